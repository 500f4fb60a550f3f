//! Places in a vector that are known to lie within it (creation in the control plane, the rest in the data plane).
//!
//! What is read entry by entry spends as much on tests of places as on the numbers. Here places are tested once,
//! when they are kept; a vector is tested once with each use.

#![expect(
    unsafe_code,
    reason = "places that have been tested once are not tested again"
)]

/// Places, with the length that a vector must have to hold them all.
#[derive(Clone, Debug)]
pub struct Places {
    list: Box<[u32]>,
    end: usize,
}

/// How many are looked at together.
const TOGETHER: usize = 4;

impl Places {
    /// Keeps places.
    pub fn new(places: &[usize]) -> Self {
        let list: Box<[u32]> = places.iter().map(|place| *place as u32).collect();
        let end = list
            .iter()
            .fold(0, |end, place| end.max(*place as usize + 1));
        Self { list, end }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.list.iter().map(|place| *place as usize)
    }

    /// The length that a vector must have.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// As they are kept: each below [`Self::end`].
    pub(super) fn list(&self) -> &[u32] {
        &self.list
    }

    /// Is a vector zero at all of them? Looks at each, whatever it finds; of a vector that is too short this is not
    /// said.
    #[inline]
    pub fn are_zero(&self, values: &[f64]) -> bool {
        if values.len() < self.end {
            return false;
        }
        // SAFETY: every place is below `end`, by the only constructor, and so is within `values`.
        let bits = |place: &u32| unsafe { values.get_unchecked(*place as usize) }.to_bits();
        let (chunks, rest) = self.list.as_chunks::<TOGETHER>();
        let mut all = [0; TOGETHER];
        for chunk in chunks {
            for (all, place) in all.iter_mut().zip(chunk) {
                *all |= bits(place);
            }
        }
        let rest = rest.iter().fold(0, |some, place| some | bits(place));
        // Without the sign.
        all.iter().fold(rest, |some, bits| some | bits) << 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_looked_at_wherever_they_are() {
        let places = Places::new(&[8, 1, 4, 5, 2, 6]);
        assert_eq!((places.len(), places.end()), (6, 9));
        assert_eq!(places.iter().collect::<Vec<_>>(), [8, 1, 4, 5, 2, 6]);
        let others = [3.0, 0.0, -0.0, 1.0, 0.0, 0.0, 0.0, f64::NAN, 0.0];
        assert!(places.are_zero(&others));
        for place in places.iter() {
            for x in [1.0, -1.0, f64::NAN, f64::INFINITY, f64::from_bits(1)] {
                let mut values = others;
                values[place] = x;
                assert!(!places.are_zero(&values), "{x} at {place}");
            }
        }
        assert!(!places.are_zero(&others[..8]));
        assert!(Places::new(&[]).are_zero(&[]));
        assert!(Places::new(&[]).is_empty());
    }
}
