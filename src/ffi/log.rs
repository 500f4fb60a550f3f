//! Control plane: sends log messages to the importer through its callbacks.

use std::ffi::{CString, c_void};

use super::fmi2::types::Logger as Fmi2Logger;
use super::fmi3::types::LogMessage as Fmi3Logger;
use crate::instance::log::LogSink;
use crate::instance::status::Status;
use crate::instance::texts::c_text;

/// FMI 2's logger. It is variadic, so one finished text is sent, without placeholders.
pub(super) struct Fmi2Sink {
    /// The callback, if there is one.
    pub(super) logger: Option<Fmi2Logger>,
    /// The importer's pointer, passed to the callback.
    pub(super) environment: *mut c_void,
    /// Name of the instance.
    pub(super) name: CString,
}

// SAFETY: the importer calls an instance from one thread at a time, whichever that is, and expects its callback on that
// thread; the pointer is passed on and never read here.
unsafe impl Send for Fmi2Sink {}

impl LogSink for Fmi2Sink {
    fn write(&self, status: Status, category: &str, text: &str) {
        let Some(logger) = self.logger else {
            return;
        };
        let category = c_text(category);
        let text = c_text(&escaped(text));
        // SAFETY: the callback is the importer's, valid until the instance is freed; the texts live until it returns,
        // and the text has no placeholder.
        unsafe {
            logger(
                self.environment,
                self.name.as_ptr(),
                status,
                category.as_ptr(),
                text.as_ptr(),
            );
        }
    }
}

/// `%` begins a placeholder and `#` a value reference: both are doubled to be shown literally.
fn escaped(text: &str) -> String {
    text.replace('%', "%%").replace('#', "##")
}

/// FMI 3's logger.
pub(super) struct Fmi3Sink {
    /// The callback, if there is one.
    pub(super) logger: Option<Fmi3Logger>,
    /// The importer's pointer, passed to the callback.
    pub(super) environment: *mut c_void,
}

// SAFETY: as for `Fmi2Sink`.
unsafe impl Send for Fmi3Sink {}

impl LogSink for Fmi3Sink {
    fn write(&self, status: Status, category: &str, text: &str) {
        let Some(logger) = self.logger else {
            return;
        };
        let category = c_text(category);
        let text = c_text(text);
        // SAFETY: the callback is the importer's, valid until the instance is freed; the texts live
        // until it returns.
        unsafe { logger(self.environment, status, category.as_ptr(), text.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_be_filled_in() {
        assert_eq!(
            escaped("100 % of #3 at /tmp/a%20b"),
            "100 %% of ##3 at /tmp/a%%20b"
        );
        assert_eq!(c_text("a\0b").as_bytes(), b"a b");
    }

    #[test]
    fn no_callback_is_no_problem() {
        let sink = Fmi2Sink {
            logger: None,
            environment: std::ptr::null_mut(),
            name: CString::default(),
        };
        sink.write(Status::Error, "logStatusError", "unheard");
        let sink = Fmi3Sink {
            logger: None,
            environment: std::ptr::null_mut(),
        };
        sink.write(Status::Error, "logStatusError", "unheard");
    }
}
