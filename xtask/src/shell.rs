//! Runs other programs from the repository's root. Control plane.

use std::cell::RefCell;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

/// Result of a task; the text gives the fault and, if known, the remedy.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// The output of a watched program.
pub(crate) struct Captured {
    /// Whether it exited with success.
    pub(crate) success: bool,
    /// Its output and error lines as they came.
    pub(crate) lines: Vec<String>,
}

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let from_cargo = manifest
        .as_deref()
        .and_then(Path::parent)
        .map(Path::to_path_buf);
    from_cargo.unwrap_or_else(|| PathBuf::from("."))
}

/// Where Cargo builds.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A program started in the repository's root.
pub(crate) fn program<S: AsRef<OsStr>>(name: S) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// Cargo with arguments.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    if env::var_os("CARGO_INCREMENTAL").is_none() && !keeps_increments() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Whether earlier builds, other than that of this program, have kept data for incremental builds. If none has, as in
/// a new clone, keeping such data only costs time.
fn keeps_increments() -> bool {
    let kept = fs::read_dir(target().join("debug/incremental"));
    let of_others = |name: &OsStr| !name.to_string_lossy().starts_with("xtask");
    kept.is_ok_and(|entries| entries.flatten().any(|entry| of_others(&entry.file_name())))
}

/// Whether `name --version` runs.
pub(crate) fn exists(name: &str) -> bool {
    let mut command = program(name);
    // Some programs take the word for a task and write files about it.
    command.arg("--version").current_dir(env::temp_dir());
    succeeds(command)
}

/// Runs without showing anything; only whether it succeeded.
pub(crate) fn succeeds(mut command: Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

thread_local! {
    /// The hidden output of this thread.
    static ASIDE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a task with its output hidden: returns the output with the result.
pub(crate) fn aside<T>(task: impl FnOnce() -> T) -> (T, String) {
    ASIDE.set(Some(String::new()));
    let made = task();
    (made, ASIDE.take().unwrap_or_default())
}

/// Shows text, or stores it if output is hidden.
pub(crate) fn say(text: &str) {
    ASIDE.with_borrow_mut(|aside| match aside {
        Some(said) => {
            said.push_str(text);
            said.push('\n');
        }
        None => println!("{text}"),
    });
}

/// Runs with its output shown as it comes, or stored if output is hidden.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let shown = describe(&command);
    say(&format!("$ {shown}"));
    let kept = ASIDE.with_borrow(Option::is_some);
    let ended = if kept {
        command.output().map(|output| {
            for text in [&output.stdout, &output.stderr] {
                say(String::from_utf8_lossy(text).trim_end());
            }
            output.status
        })
    } else {
        command.status()
    };
    let status = ended.map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` failed ({status})"))
    }
}

/// Runs, shows the output as it comes or stores it if output is hidden, and keeps it.
pub(crate) fn watch(mut command: Command) -> Result<Captured> {
    let shown = describe(&command);
    say(&format!("$ {shown}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    let (send, receive) = mpsc::channel();
    let readers = [
        child.stdout.take().map(|pipe| forward(pipe, send.clone())),
        child.stderr.take().map(|pipe| forward(pipe, send)),
    ];
    let mut lines = Vec::new();
    for line in receive {
        say(&line);
        lines.push(line);
    }
    for reader in readers.into_iter().flatten() {
        reader
            .join()
            .map_err(|_| format!("lost the output of `{shown}`"))?;
    }
    let status = child
        .wait()
        .map_err(|error| format!("lost `{shown}`: {error}"))?;
    Ok(Captured {
        success: status.success(),
        lines,
    })
}

/// Forwards each line of a pipe, in a separate thread.
fn forward<R: Read + Send + 'static>(
    pipe: R,
    send: mpsc::Sender<String>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(pipe)
            .split(b'\n')
            .map_while(std::result::Result::ok)
        {
            let text = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_owned();
            if send.send(text).is_err() {
                break;
            }
        }
    })
}

/// The command as a user would type it, with paths below the root made relative.
fn describe(command: &Command) -> String {
    let root = format!("{}/", root().display());
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let shown: Vec<String> = words
        .map(|word| word.to_string_lossy().replace(&root, ""))
        .collect();
    let text = shown.join(" ");
    match env::var("CARGO") {
        Ok(path) if text.starts_with(&path) => text.replacen(&path, "cargo", 1),
        _ => text,
    }
}

/// The message about a file that cannot be used.
pub(crate) fn unusable(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

/// The names of the files of a folder, in order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unusable(folder))? {
        let path = entry.map_err(unusable(folder))?.path();
        if path.is_file() {
            names.extend(path.file_name().map(PathBuf::from));
        }
    }
    names.sort();
    Ok(names)
}
