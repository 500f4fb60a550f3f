//! The environment of an FMU in the tests: unpacked resources, a token, a log.

use fixstep_model::table;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fixstep_model::Model;
use fixstep_variables::VariableTable;
use fixstep_variables::file::MECHANISM_FILE;

/// A driven and damped pendulum.
pub(crate) const PENDULUM: &str = include_str!("pendulum.json");

pub(crate) const OK: c_int = 0;
pub(crate) const WARNING: c_int = 1;
pub(crate) const DISCARD: c_int = 2;
pub(crate) const ERROR: c_int = 3;

/// A new empty folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = std::process::id();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("abi-{own}-{count}-{name}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// An unpacked FMU's resources.
pub(crate) struct World {
    /// `…/resources`, without a trailing separator.
    pub(crate) resources: PathBuf,
    /// Its token.
    pub(crate) token: String,
    /// Its variables.
    pub(crate) table: VariableTable,
}

impl World {
    /// The pendulum's, in a folder with this name.
    pub(crate) fn new(name: &str) -> Self {
        let resources = folder(name).join("resources");
        Self::at(resources, PENDULUM)
    }

    /// The pendulum's with an experiment of another step \[s\].
    pub(crate) fn stepping(name: &str, step: f64) -> Self {
        let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
        model["experiment"]["step"] = step.into();
        Self::at(folder(name).join("resources"), &model.to_string())
    }

    /// A model's, in this folder.
    pub(crate) fn at(resources: PathBuf, text: &str) -> Self {
        Self::of(resources, &Model::from_json(text).unwrap())
    }

    /// That of a model that was read, in this folder.
    pub(crate) fn of(resources: PathBuf, model: &Model) -> Self {
        let packed = model.packed().unwrap();
        let table = table::of(&model.mechanism);
        Self::raw(resources, &packed.bytes, packed.token, table)
    }

    /// That of the bytes of a mechanism, in this folder.
    pub(crate) fn raw(
        resources: PathBuf,
        mechanism: &[u8],
        token: String,
        table: VariableTable,
    ) -> Self {
        fs::create_dir_all(&resources).unwrap();
        fs::write(resources.join(MECHANISM_FILE), mechanism).unwrap();
        Self {
            resources,
            token,
            table,
        }
    }

    /// Value reference of a variable.
    pub(crate) fn reference(&self, name: &str) -> u32 {
        let mut variables = self.table.variables.iter();
        let at = variables.position(|variable| variable.name == name);
        u32::try_from(at.unwrap()).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.resources.parent().unwrap());
    }
}

/// What an FMU has logged.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<Message>>);

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) status: c_int,
    pub(crate) category: String,
    pub(crate) text: String,
}

impl Log {
    /// The log behind an environment pointer.
    pub(crate) fn write(
        environment: *mut c_void,
        status: c_int,
        category: *const c_char,
        text: *const c_char,
    ) {
        // SAFETY: the environment is a `Log` that outlives the instance.
        let log = unsafe { &*environment.cast::<Self>() };
        let message = Message {
            status,
            category: read(category),
            text: read(text),
        };
        log.0.lock().unwrap().push(message);
    }

    /// All messages so far.
    pub(crate) fn all(&self) -> Vec<Message> {
        self.0.lock().unwrap().clone()
    }

    /// Forgets all messages.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// Number of messages so far.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Text of the last message.
    pub(crate) fn last(&self) -> String {
        self.all()
            .pop()
            .map(|message| message.text)
            .unwrap_or_default()
    }
}

/// A text of C.
pub(crate) fn read(text: *const c_char) -> String {
    // SAFETY: texts of FMUs end with a zero byte.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().unwrap().to_owned()
}

/// A text for C.
pub(crate) fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// A path for C.
pub(crate) fn c_path(path: &Path) -> CString {
    c(path.to_str().unwrap())
}
