//! Tests of `run --live` in a pseudo-terminal, and of runs that go on from a state.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fmu_build::csv::Table;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::setup::{ends_with, example, pack, path, succeeds};

/// A terminal with a program in it.
struct Terminal {
    keys: File,
    /// Kept open, so that its modes can be asked for after the program.
    inner: File,
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    fn run(folder: &Path, words: &[&str]) -> Self {
        let outer: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&outer).unwrap();
        unlockpt(&outer).unwrap();
        let name = ptsname(&outer, Vec::new()).unwrap();
        let open = || {
            let name = name.to_str().unwrap();
            let mut options = OpenOptions::new();
            options.read(true).write(true).open(name).unwrap()
        };
        let size = Winsize {
            ws_row: 30,
            ws_col: 110,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&outer, size).unwrap();
        let inner = open();
        let child = Command::new(env!("CARGO_BIN_EXE_fixstep"))
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::from(open()))
            .stdout(Stdio::from(open()))
            .stderr(Stdio::from(open()))
            .spawn()
            .unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(30, 110, 0)));
        let mut reader = File::from(outer.try_clone().unwrap());
        let shared = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shared.lock().unwrap().process(&bytes[..count]);
            }
        });
        Self {
            keys: File::from(outer),
            inner,
            child,
            screen,
        }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen is as it should be.
    fn shows(&self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let text = self.text();
            if is(&text) {
                return text;
            }
            let late = began.elapsed() > Duration::from_secs(60);
            assert!(!late, "the screen never shows {what}:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn presses_then_shows(&mut self, keys: &str, text: &str) -> String {
        self.press(keys);
        self.shows(text, |screen| screen.contains(text))
    }

    /// Is the terminal as it was: lines, echo, the main screen, a cursor?
    fn is_restored(&self) -> bool {
        let modes = tcgetattr(&self.inner).unwrap().local_modes;
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
            && !screen.alternate_screen()
            && !screen.hide_cursor()
    }

    /// Waits for the end of the program; what the terminal shows then.
    fn ends(&mut self, code: i32) -> String {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if began.elapsed() > Duration::from_secs(60) {
                self.child.kill().unwrap();
                unreachable!("the program does not end:\n{}", self.text());
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(code), "{}", self.text());
        self.shows("the terminal as it was", |_| self.is_restored());
        // What was printed last may still be on its way.
        std::thread::sleep(Duration::from_millis(100));
        self.text()
    }
}

/// The time that the dashboard shows (s).
fn time(screen: &str) -> f64 {
    let words: Vec<&str> = screen.lines().next().unwrap().split_whitespace().collect();
    words[1].parse().unwrap()
}

/// The words of a command; some of them stand for files.
fn worded<'a>(line: &'a str, files: &[(&str, &'a Path)]) -> Vec<&'a str> {
    let file = |word: &'a str| {
        let known = files.iter().find(|(name, _)| *name == word);
        known.map_or(word, |(_, file)| path(file))
    };
    line.split_whitespace().map(file).collect()
}

fn read(path: &Path) -> Table {
    Table::parse(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_paced_run_is_watched_paused_changed_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("quarter_car");
    let out = folder.path().join("out.csv");
    let line = "run MODEL --live --stop 1000 -o out.csv --watch wheel_load,body_height";
    let words = worded(line, &[("MODEL", &model)]);
    let mut terminal = Terminal::run(folder.path(), &words);
    let seen = terminal.shows("the dashboard", |text| text.contains("wheel_load"));
    assert!(
        seen.contains("RTI now") && seen.contains("misses") && seen.contains("q quit"),
        "{seen}"
    );
    assert!(!seen.contains("suspension_travel"), "{seen}");
    let seen = terminal.presses_then_shows(" ", "PAUSED");
    std::thread::sleep(Duration::from_millis(200));
    let paused = time(&seen);
    assert_eq!(time(&terminal.text()), paused);
    // A key, a typed value, and one that is none.
    terminal.presses_then_shows("\x1b[C", "set suspension_stiffness=23.1");
    terminal.presses_then_shows("\r25x\x7f\r", "set suspension_stiffness=25");
    terminal.presses_then_shows("\rsoft\r", "\"soft\" is not a finite number");
    terminal.presses_then_shows("\x1b[B\x1b[B\x1b[B\r12.5\r", "set road=12.5");
    let seen = terminal.presses_then_shows("s", "saved the state in quarter_car_");
    let (_, name) = seen.split_once("saved the state in ").unwrap();
    let state = folder.path().join(name.lines().next().unwrap().trim());
    assert!(state.is_file(), "{state:?}");
    terminal.press(".");
    terminal.shows("one step", |text| {
        text.contains("PAUSED") && time(text) > paused
    });
    terminal.presses_then_shows("+", "PAUSED");
    terminal.presses_then_shows(" ", "2 × the clock");
    terminal.shows("more time", |text| time(text) > paused + 0.2);
    terminal.press("q");
    let said = terminal.ends(0);
    assert!(
        said.contains("set suspension_stiffness=25") && said.contains("you ended the run at"),
        "{said}"
    );
    what_was_saved_goes_on(&model, (&state, paused), &out);
}

/// The state that was saved at a time, just after the road was lifted, goes on as the run did.
fn what_was_saved_goes_on(model: &Path, (state, paused): (&Path, f64), out: &Path) {
    let table = read(out);
    let load = { table.names.iter() }.position(|name| name == "wheel_load");
    let load = load.unwrap();
    let before = table.columns[0].partition_point(|it| *it < paused - 1e-9);
    // The road under the wheel presses on it from the next step on.
    let change = table.columns[load][before + 1] - table.columns[load][before];
    assert!(change > 1000.0, "{change}");
    let more = out.with_file_name("more.csv");
    let stop = (paused + 0.1).to_string();
    let line = "run MODEL --state STATE --stop STOP -o MORE";
    let files = [
        ("MODEL", model),
        ("STATE", state),
        ("STOP", Path::new(&stop)),
        ("MORE", &more),
    ];
    succeeds(&worded(line, &files));
    let more = read(&more);
    assert!((more.columns[0][0] - paused).abs() < 1e-12);
    for row in 1..more.rows() {
        assert_eq!(
            more.columns[load][row],
            table.columns[load][before + row],
            "{row}"
        );
    }
}

#[test]
fn it_keeps_to_the_clock() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    for (speed, least) in [("1", 0.4), ("4", 0.1)] {
        let began = Instant::now();
        let words = [
            "run",
            path(&model),
            "--live",
            "--stop",
            "0.4",
            "--speed",
            speed,
        ];
        let said = Terminal::run(folder.path(), &words).ends(0);
        let took = began.elapsed().as_secs_f64();
        assert!(took >= least, "{took}");
        assert!(said.contains("0 s to 0.4 s"), "{said}");
    }
}

#[test]
fn whoever_ends_it_gets_the_terminal_back() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let words = ["run", path(&model), "--live", "--stop", "1000"];
    for paused in [false, true] {
        let mut terminal = Terminal::run(folder.path(), &words);
        terminal.shows("the dashboard", |text| text.contains("RTI now"));
        if paused {
            terminal.presses_then_shows(" ", "PAUSED");
        }
        // Ctrl-C.
        terminal.press("\x03");
        assert!(terminal.ends(0).contains("you ended the run"));
        let mut terminal = Terminal::run(folder.path(), &words);
        terminal.shows("the dashboard", |text| text.contains("RTI now"));
        let child = Pid::from_child(&terminal.child);
        kill_process(child, Signal::TERM).unwrap();
        assert!(terminal.ends(0).contains("you ended the run"));
    }
    // An error does, too: a column that is not there.
    let wrong = [&words[..], &["--watch", "angel"]].concat();
    let said = Terminal::run(folder.path(), &wrong).ends(1);
    assert!(said.contains("--watch") && said.contains("angel"), "{said}");
}

#[test]
fn without_a_terminal_it_is_refused() {
    let said = ends_with(1, &["run", path(&example("pendulum")), "--live"]);
    assert!(said.contains("standard output is no terminal"), "{said}");
}

#[test]
fn fmus_systems_and_variable_steps_are_paced_too() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let fmu = pack(folder.path(), "pendulum", "3");
    let system = folder.path().join("servo.ssp");
    let description = model.parent().unwrap().join("../servo_axis/system.json");
    succeeds(&["ssp", path(&description), "-o", path(&system)]);
    for words in [
        &[path(&model), "--error", "1e-6"][..],
        &[path(&fmu)],
        &[path(&system)],
    ] {
        let words = [&["run", "--live", "--stop", "1000"], words].concat();
        let mut terminal = Terminal::run(folder.path(), &words);
        terminal.shows("the dashboard", |text| {
            text.contains("RTI now") && time(text) > 0.2
        });
        let answer = if words.contains(&path(&system)) {
            "the state of a system of several FMUs is not saved"
        } else {
            "saved the state in pendulum_"
        };
        terminal.presses_then_shows("s", answer);
        terminal.press("q");
        terminal.ends(0);
    }
}

#[test]
fn a_run_goes_on_from_a_state_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let input = at("road.csv");
    fs::write(&input, "time,road\n0,0\n0.1,30\n0.6,-20\n1,0\n").unwrap();
    let (whole, half) = (at("whole.csv"), at("half.csv"));
    let (state, end) = (at("half.state"), at("end.state"));
    let files = [
        example("quarter_car"),
        pack(folder.path(), "quarter_car", "2"),
        pack(folder.path(), "quarter_car", "3"),
    ];
    for (file, variable) in files.iter().flat_map(|file| [(file, false), (file, true)]) {
        let named = [
            ("FILE", file.as_path()),
            ("INPUT", &input),
            ("WHOLE", &whole),
            ("HALF", &half),
            ("STATE", &state),
            ("END", &end),
        ];
        let run = |line: &str, settings: bool| {
            let line = format!("run FILE --step 0.0078125 --no-trial --input INPUT {line}");
            let error = ["--error", "1e-6"];
            let more = if variable && settings {
                &error[..]
            } else {
                &[]
            };
            succeeds(&[&worded(&line, &named)[..], more].concat());
        };
        // A run whose state is saved promises no stop time.
        run(
            "--set suspension_damping=2.5 --stop 1 -o WHOLE --save-state END",
            true,
        );
        run(
            "--set suspension_damping=2.5 --stop 0.5 -o HALF --save-state STATE",
            true,
        );
        // Of an FMU, the settings of the step are those of the state.
        run(
            "--state STATE --stop 1 -o HALF",
            file.extension().unwrap() == "json",
        );
        let (whole, half) = (read(&whole), read(&half));
        assert_eq!((whole.rows(), half.rows()), (129, 65));
        let columns = whole.columns.iter().zip(&half.columns);
        for (name, (whole, half)) in whole.names.iter().zip(columns) {
            assert_eq!(whole[64..], half[..], "{file:?} {variable} {name}");
        }
    }
    // What the state holds cannot be set; a state of another model is none; and time goes on.
    let refused = |file: &Path, line: &str| {
        let named = [("FILE", file), ("STATE", state.as_path())];
        let line = format!("run FILE --state STATE {line}");
        ends_with(1, &worded(&line, &named))
    };
    let said = refused(&files[1], "--stop 1 --set solver.fixit=4");
    assert!(
        said.contains("solver.fixit=4") && said.contains("goes on from a state"),
        "{said}"
    );
    let said = refused(&example("pendulum"), "--stop 1");
    assert!(
        said.contains("--state") && said.contains("state is refused"),
        "{said}"
    );
    let said = refused(&files[1], "--stop 0.25");
    assert!(
        said.contains("0.25 s must not be before start time 0.5 s"),
        "{said}"
    );
}

/// A terminal that is closed ends the run.
#[test]
fn a_run_ends_with_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let outer: OwnedFd =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&outer).unwrap();
    unlockpt(&outer).unwrap();
    let name = ptsname(&outer, Vec::new()).unwrap();
    let open = || {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true);
        Stdio::from(options.open(name.to_str().unwrap()).unwrap())
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_fixstep"))
        .args([
            "run",
            path(&example("four_bar")),
            "--live",
            "--stop",
            "1000",
        ])
        .current_dir(folder.path())
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    let mut bytes = [0; 4096];
    let mut master = File::from(outer);
    assert!(master.read(&mut bytes).unwrap() > 0);
    drop(master);
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            unreachable!("the run goes on without its terminal");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
