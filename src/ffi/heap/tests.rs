//! Boxes in pages of their own.

use super::*;

/// All of this crate's own tests run with the allocator of the shared library.
#[global_allocator]
static HEAP: Heap = Heap;

/// Is something in pages of ours?
fn is_ours<T>(at: *const T) -> bool {
    place_of(at.addr()).is_some()
}

fn lists() -> Vec<Vec<u64>> {
    (1..40).map(|n| vec![n; n as usize * 7]).collect()
}

#[test]
fn the_allocator_knows_that_it_is_the_global_one() {
    assert!(is_global());
}

#[test]
fn what_was_measured_has_room_and_goes_back_with_the_last_box() {
    let known = lists();
    let room = measured(|| drop(lists()));
    assert!(room >= known.iter().map(|list| 8 * list.len()).sum());
    let pages = Pages::new(room).unwrap_or_else(|| unreachable!("a few pages"));
    let place = pages.place;
    let (made, outside) = pages.hold(lists);
    assert_eq!((&made, outside), (&known, 0));
    assert!(is_ours(made.as_ptr()) && made.iter().all(|list| is_ours(list.as_ptr())));
    assert!(!is_ours(known.as_ptr()));
    let taken = place.load(Ordering::Acquire);
    assert_eq!(boxes(place).load(Ordering::Acquire), made.len() + 1);
    let mut made = made.into_iter();
    let last = made.next();
    drop(made);
    assert_eq!(place.load(Ordering::Acquire), taken);
    drop(last);
    assert_ne!(place.load(Ordering::Acquire), taken);
}

#[test]
fn a_box_that_grows_moves_and_keeps_what_it_holds() {
    let pages = Pages::new(4096).unwrap_or_else(|| unreachable!("a few pages"));
    let (mut list, _) = pages.hold(|| (0..100_u64).collect::<Vec<_>>());
    assert!(is_ours(list.as_ptr()));
    list.extend(100..5000);
    assert!(!is_ours(list.as_ptr()));
    assert!(list.iter().copied().eq(0..5000));
    // Zeros are zeros where memory is new, and within the pages too.
    let pages = Pages::new(1 << 16).unwrap_or_else(|| unreachable!("a few pages"));
    let (zeros, outside) = pages.hold(|| {
        drop(vec![7_u8; 1000]);
        vec![0_u8; 5000]
    });
    assert!(outside == 0 && is_ours(zeros.as_ptr()));
    assert!(zeros.iter().all(|byte| *byte == 0));
}

#[test]
fn what_finds_no_room_comes_from_the_system() {
    let pages = Pages::new(0).unwrap_or_else(|| unreachable!("a page"));
    let (list, outside) = pages.hold(|| vec![1_u8; 1 << 20]);
    assert_eq!(outside, 1);
    assert!(!is_ours(list.as_ptr()));
    // Another thread does not notice.
    let pages = Pages::new(1 << 16).unwrap_or_else(|| unreachable!("a few pages"));
    let (theirs, _) = pages.hold(|| {
        let thread = std::thread::spawn(|| vec![1_u8; 10]);
        thread.join().unwrap_or_default()
    });
    assert!(theirs.len() == 10 && !is_ours(theirs.as_ptr()));
}
