//! Control plane: serves the page of a model to browsers of this computer, and renews it when a file is saved.
//!
//! Two answers: `/` is the page, and `/version?after=N` waits until there is a page newer than N, for a while. Nothing else is
//! answered, and only to requests for an address of this computer: the page of another site cannot ask under its own name.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use fmu_build::slave::Failure;
use fmu_build::view::{self, Drawn};

use super::super::Done;
use super::watch::Watch;
use super::{line, looked, lost, name};
use crate::args;
use crate::console::Console;

/// Files are looked at this often.
const EVERY: Duration = Duration::from_millis(200);
/// A file that has just been saved may not be whole yet.
const SETTLES: Duration = Duration::from_millis(60);
/// A question for a newer page is answered after this time at the latest.
const WAITS: Duration = Duration::from_secs(20);
/// A browser that says nothing is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest request.
const REQUEST: u64 = 16_384;

/// The page at present.
#[derive(Default)]
struct Page {
    version: u64,
    text: Arc<str>,
}

/// The page, and a bell that rings when it is new.
#[derive(Default)]
struct Desk {
    page: Mutex<Page>,
    bell: Condvar,
}

impl Desk {
    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, version: u64, text: &str) {
        *self.page() = Page {
            version,
            text: text.into(),
        };
        self.bell.notify_all();
    }

    /// The version, as soon as it is newer than this one, or after a while.
    fn version(&self, after: u64) -> u64 {
        let old = |page: &mut Page| page.version <= after;
        let waited = self.bell.wait_timeout_while(self.page(), WAITS, old);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }
}

/// Serves until the program is ended.
pub(super) fn serve(args: &args::View, console: &mut Console) -> Done {
    let fail = |error: io::Error| Failure(format!("127.0.0.1, port {}: {error}", args.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(fail)?;
    let port = listener.local_addr().map_err(fail)?.port();
    let address = format!("http://127.0.0.1:{port}/");
    let desk = Arc::new(Desk::default());
    let mut known = Known {
        last: None,
        files: [args.model.clone()].into(),
    };
    let mut watch = renewed(args, (&desk, &mut known, 1), console)?;
    let waiting = Arc::clone(&desk);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let desk = Arc::clone(&waiting);
            thread::spawn(move || answer(&stream, port, &desk));
        }
    });
    console.say(&format!(
        "{}: {address} (Ctrl+C ends)",
        args.model.display()
    ))?;
    if !args.no_browser {
        open_browser(&address);
    }
    for version in 2.. {
        while !watch.has_changed() {
            thread::sleep(EVERY);
        }
        thread::sleep(SETTLES);
        watch = renewed(args, (&desk, &mut known, version), console)?;
    }
    Ok(true)
}

/// What is kept from one look to the next.
struct Known {
    /// What could be drawn last.
    last: Option<Drawn>,
    /// The files that were read.
    files: BTreeSet<PathBuf>,
}

/// Looks at the model, and puts its page on the desk; what it finds is told too.
fn renewed(
    args: &args::View,
    (desk, known, version): (&Desk, &mut Known, u64),
    console: &mut Console,
) -> Result<Watch, Failure> {
    // Seen before it is read: what is saved meanwhile has changed.
    let before = Watch::of(&known.files);
    let (look, files) = looked(args);
    let watch = Watch::of(&files);
    let page = view::page(&name(args), (&look, known.last.as_ref()), Some(version));
    // What cannot be drawn does not end the loop.
    let page =
        page.or_else(|failure| view::page(&name(args), (&lost(failure), None), Some(version)))?;
    desk.put(version, &page);
    for finding in &look.findings {
        console.note(&line(finding));
    }
    if version > 1 {
        console.note(match look.findings.len() {
            0 => "renewed: no findings",
            _ => "renewed",
        });
    }
    known.last = look.drawn.or_else(|| known.last.take());
    known.files = files;
    Ok(if before.has_changed() { before } else { watch })
}

/// Answers one request; what goes wrong with a browser is its own affair.
fn answer(stream: &TcpStream, port: u16, desk: &Desk) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let _ = answered(stream, port, desk);
}

fn answered(mut stream: &TcpStream, port: u16, desk: &Desk) -> io::Result<()> {
    let mut lines = BufReader::new(stream.take(REQUEST));
    let mut first = String::new();
    lines.read_line(&mut first)?;
    let mut host = String::new();
    loop {
        let mut header = String::new();
        if lines.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            value.trim().clone_into(&mut host);
        }
    }
    let (status, kind, text) = said(&first, (&host, port), desk);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// Status, type and text of the answer to the first line of a request.
fn said(
    first: &str,
    (host, port): (&str, u16),
    desk: &Desk,
) -> (&'static str, &'static str, Arc<str>) {
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !own.iter().any(|own| own == host) {
        let text = format!("valid: http://127.0.0.1:{port}/");
        return ("403 Forbidden", "text/plain", text.into());
    }
    let mut words = first.split_whitespace();
    let (Some("GET"), Some(path)) = (words.next(), words.next()) else {
        return ("405 Method Not Allowed", "text/plain", "valid: GET".into());
    };
    if path == "/" {
        return ("200 OK", "text/html", Arc::clone(&desk.page().text));
    }
    let after = path.strip_prefix("/version?after=");
    match after.and_then(|number| number.parse().ok()) {
        Some(after) => {
            let version = desk.version(after).to_string();
            ("200 OK", "text/plain", version.into())
        }
        None => ("404 Not Found", "text/plain", "valid: /".into()),
    }
}

/// Opens the browser, where there is one to be seen.
fn open_browser(address: &str) {
    let seen = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let (program, arguments): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else if seen("DISPLAY") || seen("WAYLAND_DISPLAY") {
        ("xdg-open", &[])
    } else {
        return;
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // The address is told anyway.
    if let Ok(mut opened) = command.spawn() {
        thread::spawn(move || opened.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_is_answered_and_only_two_questions() {
        let desk = Desk::default();
        desk.put(3, "page");
        let ask = |line: &str, host: &str| {
            let (status, _, text) = said(line, (host, 80), &desk);
            (
                status.split(' ').next().unwrap_or("").to_owned(),
                text.to_string(),
            )
        };
        let here = "127.0.0.1:80";
        let of = |status: &str, text: &str| (status.to_owned(), text.to_owned());
        assert_eq!(ask("GET / HTTP/1.1", here), of("200", "page"));
        assert_eq!(ask("GET / HTTP/1.1", "localhost:80"), of("200", "page"));
        assert_eq!(ask("GET /version?after=2 HTTP/1.1", here), of("200", "3"));
        assert_eq!(ask("GET / HTTP/1.1", "evil.example").0, "403");
        assert_eq!(ask("GET / HTTP/1.1", "").0, "403");
        assert_eq!(ask("POST / HTTP/1.1", here).0, "405");
        assert_eq!(ask("GET /../model.json HTTP/1.1", here).0, "404");
        assert_eq!(ask("", here).0, "405");
    }
}
