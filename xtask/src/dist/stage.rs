//! The platforms, and what runs their programs on this machine: nothing, Wine or qemu. Control plane.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::{PLATFORMS, Platform, tools};
use crate::shell::{self, Result, unusable};

/// A platform with what runs its programs here.
pub(super) struct Stage {
    pub(super) platform: &'static Platform,
    /// Its importer, and what the importer reads and says.
    folder: PathBuf,
    /// The importer's command line, with the emulator before it.
    words: Vec<PathBuf>,
    /// Wine's own folder.
    prefix: Option<PathBuf>,
}

/// How a program ended and what it said.
struct Ended {
    status: ExitStatus,
    output: String,
    errors: String,
}

/// Compiles a file of `tests/platforms`, unless that has been done.
fn compile(platform: &Platform, source: &str, to: &Path, more: &[&str]) -> Result<()> {
    let source = shell::root().join("tests/platforms").join(source);
    let time = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    if time(to) > time(&source) {
        return Ok(());
    }
    let mut command = tools::zig(&["cc", "-target", platform.c_target, "-O1", "-s"]);
    command.args(["-Wall", "-Wextra", "-Werror", "-fno-sanitize=all", "-o"]);
    command.arg(to).arg(source).args(more);
    shell::run(command)
}

impl Stage {
    /// The importer for a platform, compiled, and what runs it.
    pub(super) fn of(platform: &'static Platform) -> Result<Self> {
        let folder = tools::folder().join("hosts").join(platform.target);
        fs::create_dir_all(&folder).map_err(unusable(&folder))?;
        let host = folder.join(if platform.is_windows() {
            "host.exe"
        } else {
            "host"
        });
        compile(platform, "host.c", &host, &[])?;
        let mut words = vec![host];
        let mut prefix = None;
        if platform.is_windows() {
            compile(
                platform,
                "random.c",
                &folder.join("bcryptprimitives.dll"),
                &["-shared", "-ladvapi32"],
            )?;
            words.insert(0, tools::wine()?);
            prefix = Some(tools::folder().join("wine-prefix"));
        } else if platform.target != PLATFORMS[0].target {
            let (emulator, system) = tools::arm()?;
            words.splice(0..0, [emulator, PathBuf::from("-L"), system]);
        }
        let stage = Self {
            platform,
            folder,
            words,
            prefix,
        };
        stage.prepare()?;
        Ok(stage)
    }

    /// Runs a program, and ends it if it takes minutes.
    ///
    /// Its output goes through files: Wine's services outlive the program and may hang, and waiting for a pipe that
    /// one of them has inherited would never end.
    fn end(&self, words: &[PathBuf]) -> Result<Ended> {
        let (output, errors) = (self.folder.join("output"), self.folder.join("errors"));
        let mut command = shell::program("timeout");
        command.arg("300").args(words);
        command.env("RUST_BACKTRACE", "0");
        command.stdout(File::create(&output).map_err(unusable(&output))?);
        command.stderr(File::create(&errors).map_err(unusable(&errors))?);
        if let Some(prefix) = &self.prefix {
            in_wine(&mut command, prefix);
        }
        let status = command
            .status()
            .map_err(|error| format!("cannot start the importer: {error}"))?;
        let read = |file: &Path| {
            let bytes = fs::read(file).map_err(unusable(file))?;
            Ok::<_, String>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Ended {
            status,
            output: read(&output)?,
            errors: read(&errors)?,
        })
    }

    /// Makes Wine's folder.
    fn prepare(&self) -> Result<()> {
        let Some(prefix) = &self.prefix else {
            return Ok(());
        };
        let made = || prefix.join("drive_c/windows/system32/ntdll.dll").is_file();
        if made() {
            return Ok(());
        }
        shell::say("Wine makes its folder");
        let ended = self.end(&[self.words[0].clone(), "wineboot".into(), "-i".into()])?;
        // Wine lacks the files for 32-bit programs, which are not unpacked, and its exit code reports that.
        if made() {
            return Ok(());
        }
        Err(format!(
            "Wine does not make its folder ({}): {}",
            ended.status,
            ended.errors.trim_end()
        ))
    }

    /// Runs a plan; returns the importer's output.
    pub(super) fn run(&self, plan: &str) -> Result<Vec<String>> {
        let file = self.folder.join("plan");
        fs::write(&file, plan).map_err(unusable(&file))?;
        let mut words = self.words.clone();
        words.push(file);
        let ended = self.end(&words)?;
        let mut lines: Vec<String> = ended
            .output
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        if !ended.status.success() && !lines.iter().any(|line| line.starts_with("FAILED")) {
            let said = ended.errors.lines().next_back().unwrap_or_default();
            lines.push(format!(
                "FAILED the importer ended with {}: {said}",
                ended.status
            ));
        }
        Ok(lines)
    }

    /// A path as this platform writes it.
    pub(super) fn path(&self, path: &Path) -> String {
        let text = path.display().to_string();
        if self.platform.is_windows() {
            return format!("Z:{text}").replace('/', "\\");
        }
        text
    }

    /// Where resources are, as importers say it.
    pub(super) fn location(&self, folder: &Path, version: &str) -> String {
        let path = folder.join("resources").display().to_string();
        match (version, self.platform.is_windows()) {
            ("2", true) => format!("file:///Z:{}", encoded(&path)),
            ("2", false) => format!("file://{}", encoded(&path)),
            (_, true) => format!("{}\\", self.path(Path::new(&path))),
            (_, false) => format!("{path}/"),
        }
    }
}

impl Drop for Stage {
    /// Wine's services end with the last of its programs; a hanging one would stay for ever.
    fn drop(&mut self) {
        let Some(prefix) = &self.prefix else { return };
        let server = self.words[0].with_file_name("wineserver");
        if server.is_file() {
            let mut stop = shell::program(&server);
            stop.arg("-k");
            in_wine(&mut stop, prefix);
            shell::succeeds(stop);
        }
    }
}

/// Makes a program of Wine use its folder, and nothing that it does not need.
fn in_wine(command: &mut Command, prefix: &Path) {
    command.env("WINEPREFIX", prefix).env("WINEDEBUG", "-all");
    command.env("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=");
    command.env_remove("DISPLAY");
    command.env("LD_LIBRARY_PATH", tools::wine_libraries());
}

/// A path in a URI.
pub(super) fn encoded(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20")
}
