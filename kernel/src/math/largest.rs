//! Data plane: the largest of several numbers, with what it belongs to.

/// The largest magnitude seen so far, and what it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest<T> {
    /// The magnitude; zero before any.
    pub value: f64,
    /// What it belongs to.
    pub of: T,
}

impl<T> Largest<T> {
    /// Replaces both if the new magnitude is larger. The first of equal ones stays; NaN is ignored, so callers check for
    /// it.
    #[inline]
    pub fn raise(&mut self, value: f64, of: T) {
        if value > self.value {
            *self = Self { value, of };
        }
    }
}
