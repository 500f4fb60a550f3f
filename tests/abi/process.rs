//! Tests that the library does not change the state of the process: while it is loaded, through successful and failed lives
//! of instances, and after it was unloaded; and that nothing of it is left then.
//!
//! Each test starts this program again in a process of its own, because other tests open files and threads.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, ptr};

use libloading::Library;

use crate::alone::alone;
use crate::client2::{Fmu2, call2, uri};
use crate::client3::{Fmu3, How, call3};
use crate::functions::load;
use crate::library::path;
use crate::world::{ERROR, OK, World, folder};

/// What a process has one of, by name.
fn process() -> Vec<(&'static str, String)> {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = |key: &str| {
        let found = status.lines().find(|line| line.starts_with(key));
        found.unwrap_or_default().to_owned()
    };
    let mut environment: Vec<String> = env::vars_os().map(|pair| format!("{pair:?}")).collect();
    environment.sort();
    let handlers: Vec<String> = (1..=64).map(handler).collect();
    let signals = ["SigBlk", "SigIgn", "SigCgt"].map(line);
    let threads = fs::read_dir("/proc/self/task").unwrap().count();
    vec![
        // What numbers are rounded to, which exceptions trap, what becomes of denormals.
        ("arithmetic", format!("{:?}", arithmetic())),
        (
            "directory",
            env::current_dir().unwrap().display().to_string(),
        ),
        ("environment", environment.join("\n")),
        ("locale", locale()),
        ("handlers of signals", handlers.join("\n")),
        ("signals", signals.join("\n")),
        ("open files", files().join("\n")),
        ("threads", threads.to_string()),
        ("mask of files", line("Umask")),
        ("locked memory", line("VmLck")),
    ]
}

/// The control bits of both units; those that only tell what has happened are left out.
#[cfg(target_arch = "x86_64")]
fn arithmetic() -> [u32; 2] {
    let (mut sse, mut x87) = (0_u32, 0_u16);
    // SAFETY: both only write to the places that they are given.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", "fnstcw [{}]", in(reg) &raw mut sse, in(reg) &raw mut x87);
    }
    [sse & !0x3f, u32::from(x87)]
}

#[cfg(not(target_arch = "x86_64"))]
fn arithmetic() -> [u32; 2] {
    [0; 2]
}

fn locale() -> String {
    // SAFETY: null asks and changes nothing; nothing else in this process sets it meanwhile.
    let name = unsafe { libc::setlocale(libc::LC_ALL, ptr::null()) };
    // SAFETY: a text of the C library, until the locale is set.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_string_lossy().into_owned()
}

fn handler(signal: c_int) -> String {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: null asks and changes nothing.
    let status = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all of it is numbers, and zero is one.
    let action = unsafe { action.assume_init() };
    format!(
        "{signal}: {status} {:#x} {:#x}",
        action.sa_sigaction, action.sa_flags
    )
}

fn files() -> Vec<String> {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let targets = entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    let names = targets.map(|target| target.display().to_string());
    // The listing itself.
    let mut names: Vec<String> = names.filter(|name| !name.ends_with("/fd")).collect();
    names.sort();
    names
}

/// Lives of both versions: one that goes well, one full of faults.
fn lives(library: &Library, world: &World, see: &dyn Fn(&str)) {
    let two = Fmu2::try_in(library, world, &world.token, Some(&uri(world)));
    let three = Fmu3::try_in(library, world, &How::of(world));
    see("instantiated");
    two.start();
    three.start();
    see("initialized");
    for k in 0..20 {
        let time = f64::from(k) * 0.01;
        assert_eq!(two.step(time, 0.01), OK);
        assert_eq!(three.step(time, 0.01).status, OK);
    }
    see("after steps");
    let mut state = ptr::null_mut();
    assert_eq!(call3!(three, fmi3GetFMUState, &raw mut state), OK);
    assert_eq!(call3!(three, fmi3SetFMUState, state), OK);
    assert_eq!(call3!(three, fmi3FreeFMUState, &raw mut state), OK);
    assert_eq!(two.step(7.0, -1.0), ERROR);
    assert_eq!(two.set_real("torque", f64::NAN), ERROR);
    assert_eq!(call3!(three, fmi3EnterEventMode), ERROR);
    see("after faults");
    assert_eq!(call3!(three, fmi3Reset), OK);
    three.start();
    assert_eq!(call3!(three, fmi3Terminate), OK);
    assert_eq!(call2!(two, fmi2Reset), OK);
    let refused = Fmu2::try_in(library, world, "{other}", Some(&uri(world)));
    assert!(refused.component.is_null());
    see("after the end");
}

/// The same in other threads, each of which frees what another one made.
fn lives_in_threads(library: &Library, world: &World) {
    std::thread::scope(|scope| {
        let threads = [(); 3].map(|()| scope.spawn(|| lives(library, world, &|_| ())));
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn nothing_of_the_process_is_changed() {
    alone("process::nothing_of_the_process_is_changed", || {
        let world = World::new("process");
        // What a host has of its own: a locale and a variable that a careless library would trip over.
        // SAFETY: no other thread is there that reads the locale.
        unsafe { libc::setlocale(libc::LC_ALL, c"C".as_ptr()) };
        let before = process();
        assert!(before.iter().all(|(_, value)| !value.is_empty()));
        let see = |when: &str| {
            // The system takes a moment to strike out a thread that has been joined.
            let mut tries = 0..100;
            while process() != before && tries.next().is_some() {
                std::thread::sleep(Duration::from_millis(10));
            }
            for (now, before) in process().iter().zip(&before) {
                assert_eq!(now, before, "{when}");
            }
        };
        let library = load(&path());
        see("loaded");
        lives(&library, &world, &see);
        see("freed");
        lives_in_threads(&library, &world);
        see("freed in threads");
        drop(library);
        see("unloaded");
    });
}

/// Memory of this process \[pages\], and lines of its map that name a file.
fn memory(file: &Path) -> (usize, usize) {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let name = file.display().to_string();
    let lines = maps.lines().filter(|line| line.contains(&name)).count();
    (crate::hostile::resident(), lines)
}

#[test]
fn a_hundred_loads_leave_nothing() {
    alone("process::a_hundred_loads_leave_nothing", || {
        let world = World::new("loads");
        let place = folder("loads");
        let (before, mut early) = (files(), 0);
        for round in 0..110 {
            // Another file each time, or the loader would find the old one.
            let copy = place.join(format!("library-{round}.so"));
            fs::copy(path(), &copy).unwrap();
            let library = load(&copy);
            assert!(memory(&copy).1 > 0);
            lives(&library, &world, &|_| ());
            if round % 10 == 0 {
                lives_in_threads(&library, &world);
            }
            drop(library);
            let (pages, lines) = memory(&copy);
            assert_eq!(lines, 0, "the library is still there after round {round}");
            fs::remove_file(&copy).unwrap();
            if round == 10 {
                early = pages;
            }
            let grown = pages.saturating_sub(early);
            // 2 MB: what an allocator keeps for itself.
            assert!(
                round < 10 || grown < 512,
                "{grown} pages more after round {round}"
            );
        }
        assert_eq!(files(), before);
        fs::remove_dir(&place).unwrap();
    });
}
