//! Control plane: receives the log messages of a loaded FMU.

use std::ffi::{CStr, c_char};
use std::sync::{Mutex, PoisonError};

use crate::slave::{Level, Message};

/// Messages kept between two looks; later ones are counted only.
const KEPT: usize = 2000;

/// Collects messages. Its address is the environment pointer that the FMU hands back, so it lives
/// in a box until after the instance is gone. A mutex, because some FMUs log from their own threads.
#[derive(Debug, Default)]
pub(super) struct LogSink {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    messages: Vec<Message>,
    dropped: usize,
    last_complaint: String,
}

impl LogSink {
    /// Stores a message; called from the FMU, so it must not panic.
    pub(super) fn push(&self, status: i32, category: String, text: String) {
        let level = match status {
            0 => Level::Note,
            1 | 2 => Level::Warning,
            _ => Level::Error,
        };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if level > Level::Note {
            inner.last_complaint.clone_from(&text);
        }
        if inner.messages.len() < KEPT {
            inner.messages.push(Message {
                level,
                category,
                text,
            });
        } else {
            inner.dropped += 1;
        }
    }

    /// Takes what was noted.
    pub(super) fn take(&self) -> Vec<Message> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut messages = std::mem::take(&mut inner.messages);
        let dropped = std::mem::take(&mut inner.dropped);
        if dropped > 0 {
            messages.push(Message {
                level: Level::Warning,
                category: String::new(),
                text: format!("{dropped} more messages were dropped"),
            });
        }
        messages
    }

    /// Takes the last warning or error, to explain a status.
    pub(super) fn complaint(&self) -> String {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut inner.last_complaint)
    }
}

/// Copies a C string; NULL is empty.
pub(super) fn copy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not NULL, and the FMI standard promises a terminated string that lives for this call.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}

/// The sink behind an environment pointer; `None` for NULL.
pub(super) fn sink<'a>(environment: *mut std::ffi::c_void) -> Option<&'a LogSink> {
    // SAFETY: we passed the address of a boxed sink that outlives the instance; an FMU hands that
    // pointer back or, against the standard, NULL.
    unsafe { environment.cast::<LogSink>().cast_const().as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_bounded_and_counted() {
        let sink = LogSink::default();
        for n in 0..KEPT + 5 {
            sink.push(0, String::new(), n.to_string());
        }
        sink.push(3, "logStatusError".to_owned(), "broken".to_owned());
        let messages = sink.take();
        assert_eq!(messages.len(), KEPT + 1);
        assert_eq!(messages[KEPT].text, "6 more messages were dropped");
        assert_eq!(sink.complaint(), "broken");
        assert!(sink.take().is_empty());
    }

    #[test]
    fn null_is_an_empty_text() {
        assert_eq!(copy(std::ptr::null()), "");
        assert_eq!(copy(c"a".as_ptr()), "a");
        assert!(sink(std::ptr::null_mut()).is_none());
    }
}
