//! Control plane: long work that another thread can end. Steps of simulations ask whether they are to go on.
//!
//! A flag belongs to the thread that works [`under`] it; threads that help it take the flag over ([`flag`]).

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::slave::Failure;

/// Set when work is to end.
pub type Flag = Arc<AtomicBool>;

thread_local! {
    static FLAG: RefCell<Option<Flag>> = const { RefCell::new(None) };
}

/// Works under a flag.
pub fn under<T>(flag: Option<Flag>, task: impl FnOnce() -> T) -> T {
    let before = FLAG.replace(flag);
    let made = task();
    FLAG.set(before);
    made
}

/// The flag of this thread.
pub fn flag() -> Option<Flag> {
    FLAG.with_borrow(Option::clone)
}

/// Is this thread's work to end?
pub fn requested() -> bool {
    FLAG.with_borrow(|flag| { flag.as_ref() }.is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// The failure of work that is to end.
pub(crate) fn check() -> Result<(), Failure> {
    if requested() {
        return Err(Failure("interrupted".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_holds_for_its_task_and_for_threads_that_take_it_over() {
        let own = Flag::default();
        assert!(check().is_ok());
        under(Some(own.clone()), || {
            assert!(check().is_ok());
            own.store(true, Ordering::Relaxed);
            assert!(check().is_err());
            let taken = flag();
            let [with, without] = std::thread::scope(|scope| {
                let with = scope.spawn(|| under(taken, requested));
                let without = scope.spawn(requested);
                [with, without].map(|thread| thread.join().is_ok_and(|is| is))
            });
            assert!(with && !without);
        });
        assert!(check().is_ok());
    }
}
