//! Draws arguments at random, the same in every run.

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(super) struct Chance {
    state: u64,
    /// For a while nothing is drawn that is wrong by itself, so that runs get somewhere.
    pub(super) calm: bool,
}

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            calm: false,
        }
    }

    /// Changes its mood now and then.
    pub(super) fn breathe(&mut self) {
        if self.one_in(60) {
            self.calm = !self.one_in(3);
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Shall something be wrong, once in n times?
    pub(super) fn wild(&mut self, n: usize) -> bool {
        let wild = self.one_in(n);
        wild && !self.calm
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A value reference: of one that suits, of any variable, or of none.
    pub(super) fn reference(&mut self, suitable: &[u32], variables: usize) -> u32 {
        if self.wild(12) {
            return self.pick(&[variables as u32, u32::MAX, 1 << 31, 100_000]);
        }
        if self.wild(3) {
            return self.below(variables) as u32;
        }
        self.pick(suitable)
    }

    /// A number, now and then of the kind that breaks things.
    pub(super) fn real(&mut self) -> f64 {
        if self.wild(10) {
            return self.pick(&[
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                5e-324,
                -1e-310,
                f64::MAX,
                -0.0,
                1e300,
            ]);
        }
        self.pick(&[0.0, 0.5, 1.0, 2.0, -1.0, 0.25, 3.0, 1e-3])
    }

    pub(super) fn integer(&mut self) -> i32 {
        if self.wild(10) {
            return self.pick(&[i32::MIN, i32::MAX, -1]);
        }
        self.pick(&[0, 1, 2, 3, 4])
    }

    /// A count of elements, seldom more than three.
    pub(super) fn count(&mut self) -> usize {
        if self.wild(10) {
            self.below(super::ROOM + 1)
        } else {
            self.below(4)
        }
    }

    /// The same count, or now and then another.
    pub(super) fn like(&mut self, count: usize) -> usize {
        if self.wild(10) { self.count() } else { count }
    }

    /// A communication step \[s\]: mostly one that can be made.
    pub(super) fn step(&mut self) -> f64 {
        if self.wild(8) {
            return self.pick(&[
                0.0,
                -0.01,
                f64::NAN,
                f64::INFINITY,
                1e300,
                1e6,
                1e-300,
                5e-324,
                0.013,
                0.5,
            ]);
        }
        self.pick(&[0.01, 0.01, 0.02, 0.005, 0.05])
    }

    /// A pointer, seldom null.
    pub(super) fn maybe<T>(&mut self, pointer: *const T) -> *const T {
        if self.wild(40) {
            std::ptr::null()
        } else {
            pointer
        }
    }

    /// A pointer to write to, seldom null.
    pub(super) fn maybe_mut<T>(&mut self, pointer: *mut T) -> *mut T {
        if self.wild(40) {
            std::ptr::null_mut()
        } else {
            pointer
        }
    }
}
