//! Control plane: tests of the log.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::instance::testing::Lines;

struct Memory(Lines);

impl LogSink for Memory {
    fn write(&self, status: Status, category: &str, text: &str) {
        self.0
            .borrow()
            .push(format!("{status:?} {category} {text}"));
    }
}

fn log(on: bool) -> (Log, Lines) {
    let lines = Lines::default();
    (Log::new(Box::new(Memory(lines.clone())), on), lines)
}

const CHANGE: Record = Record::StepChanged {
    time: 1.0,
    from: 0.5,
    to: 0.25,
};

#[test]
fn categories_are_those_of_the_model_description() {
    let mut declared: Vec<&str> = LOG_CATEGORIES.iter().map(|(name, _)| *name).collect();
    let mut used: Vec<&str> = Category::all().iter().map(|c| c.name()).collect();
    used.push(ALL);
    declared.sort_unstable();
    used.sort_unstable();
    assert_eq!(declared, used);
    for (at, category) in Category::all().into_iter().enumerate() {
        assert_eq!(category as usize, at);
    }
}

#[test]
fn errors_are_never_held_back() {
    let (log, lines) = log(false);
    log.status(Status::Warning, "w");
    log.info(Category::Events, "i");
    log.status(Status::Error, "e");
    log.final_word(Status::Discard, "d");
    assert_eq!(
        *lines.borrow(),
        ["Error logStatusError e", "Discard logStatusDiscard d"]
    );
}

#[test]
fn categories_switch_one_by_one() {
    let (mut log, lines) = log(false);
    log.switch(true, &["logRealTime".to_owned()]).unwrap();
    log.info(Category::Events, "no");
    log.info(Category::RealTime, "yes");
    log.switch(true, &["logAll".to_owned()]).unwrap();
    log.info(Category::Events, "yes");
    let complaint = log.switch(true, &["logTypo".to_owned()]).unwrap_err();
    assert!(complaint.contains("\"logTypo\"") && complaint.contains("logEvents"));
    log.info(Category::Events, "still");
    log.switch(false, &[]).unwrap();
    log.info(Category::Events, "no");
    assert_eq!(lines.borrow().len(), 3);
    log.switch(true, &[]).unwrap();
    assert!(log.wants(Category::Events));
}

#[test]
fn steps_queue_and_the_overflow_is_counted() {
    let (mut log, lines) = log(true);
    for _ in 0..QUEUE_LENGTH + 3 {
        log.queue(CHANGE);
    }
    assert!(lines.borrow().is_empty());
    log.deliver();
    log.deliver();
    assert_eq!(lines.borrow().len(), QUEUE_LENGTH + 1);
    assert!(lines.borrow()[0].contains("from 0.5 s to 0.25 s at time 1 s"));
    assert!(lines.borrow()[QUEUE_LENGTH].contains("3 further messages"));
}

#[test]
fn rounding_does_not_show_in_times() {
    let (mut log, lines) = log(true);
    let time = 414.0 * 0.001;
    let (element, bound) = (0, 1.0);
    for record in [
        Record::StepChanged {
            time,
            from: 0.1 + 0.2,
            to: 0.25,
        },
        Record::Sensor {
            sensor: 0,
            time,
            warns: true,
        },
        Record::NotFinite { element, time },
        Record::Clamped {
            element,
            asked: 2.0,
            bound,
            time,
        },
        Record::Calibrated {
            element,
            value: bound,
            taken: true,
            time,
        },
        Record::Calibrated {
            element,
            value: bound,
            taken: false,
            time,
        },
        Record::Fallback { time, total: 1 },
    ] {
        log.queue(record);
    }
    log.deliver();
    assert_eq!(lines.borrow().len(), 7);
    for line in lines.borrow().iter() {
        assert!(line.contains("0.414 s"), "{line}");
        assert!(!line.contains("00000"), "{line}");
    }
    assert!(lines.borrow()[0].contains("from 0.3 s to 0.25 s"));
}

#[test]
fn a_disabled_category_does_not_fill_the_queue() {
    let (mut log, lines) = log(false);
    log.queue(CHANGE);
    log.switch(true, &[]).unwrap();
    log.deliver();
    assert!(lines.borrow().is_empty());
}
