//! Counts the instructions of every step with a tool for valgrind that counts nothing else (`steps.c`). It is about
//! ten times as fast as callgrind with a profile for every step, so long runs can be counted.

use std::arch::asm;
use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;

use crate::built;
use crate::case::Case;
use crate::host::Verdict;
use crate::run::Run;
use crate::suite::{made, side_by_side};

/// What valgrind brings, in one of these folders.
const PARTS: [&str; 2] = ["/usr/libexec/valgrind", "/usr/lib/valgrind"];

/// Instructions so far, as the tool says; 0 without it.
fn executed() -> u64 {
    let request: [u64; 6] = [0x4653_0000, 0, 0, 0, 0, 0];
    let mut answer = 0_u64;
    // SAFETY: rotations that end where they began, and an exchange of a register with itself: the words
    // by which valgrind knows a request. It reads `request` and writes the answer into rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

/// Counts steps of a run; `steps` is their number.
pub(crate) fn count(library: &Library, case: &Case, steps: &str) -> Verdict {
    let steps: u32 = steps.parse().unwrap();
    let mut run = Run::start(library, case, 3);
    let mut counts = vec![1_u64; steps as usize];
    let one = |run: &mut Run<'_>| {
        let before = executed();
        let fine = run.step();
        (executed() - before, fine)
    };
    run.rehearse();
    // What is not the step's: the same calls around one that does nothing.
    let back = run.fmu.idle();
    let (around, _) = one(&mut run);
    back(&mut run.fmu);
    run.taken = 0;
    for (k, place) in counts.iter_mut().enumerate() {
        let set = run.before();
        let (count, fine) = one(&mut run);
        if !(set && fine) {
            return (format!("the run ends after {k} steps"), false);
        }
        *place = count - around;
    }
    let dearest = (0..counts.len()).max_by_key(|k| counts[*k]).unwrap_or(0);
    counts.sort_unstable();
    let [min, median, max] = [0, counts.len() / 2, counts.len() - 1].map(|at| counts[at]);
    let contact = if case.contact { "contact" } else { "free" };
    let name = &case.name;
    (
        format!("{contact} {steps} {min} {median} {max} {dearest} {name}"),
        min > 0,
    )
}

/// Makes the tool, in a folder with what valgrind needs beside it.
fn tool() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-time/valgrind");
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_time/steps.c");
    let parts = PARTS
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.is_dir());
    let parts = parts.unwrap_or_else(|| unreachable!("valgrind is in none of {PARTS:?}"));
    for name in ["default.supp", "vgpreload_core-amd64-linux.so"] {
        let link = folder.join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(parts.join(name), link).unwrap();
    }
    let archives = "/usr/lib/x86_64-linux-gnu/valgrind";
    made(
        Command::new("cc")
            .args([
                "-O2",
                "-Wall",
                "-Werror",
                "-fno-stack-protector",
                "-fno-pie",
                "-no-pie",
            ])
            .args(["-I/usr/include/valgrind", "-DVGA_amd64=1", "-DVGO_linux=1"])
            .args([
                "-DVGP_amd64_linux=1",
                "-static",
                "-nodefaultlibs",
                "-nostartfiles",
            ])
            .args([
                "-u",
                "_start",
                "-Wl,--build-id=none",
                "-Wl,-Ttext-segment=0x58000000",
                "-o",
            ])
            .arg(folder.join("steps-amd64-linux"))
            .arg(source)
            .arg(format!("{archives}/libcoregrind-amd64-linux.a"))
            .arg(format!("{archives}/libvex-amd64-linux.a"))
            .arg("-lgcc"),
    );
    folder
}

/// `counts STEPS=MODEL…`: a line for each model, as soon as it is counted.
pub(crate) fn main(orders: &[String]) -> bool {
    let (tool, library) = (tool(), built::path());
    let orders = orders.iter().map(|order| order.split_once('=').unwrap());
    side_by_side(orders.collect(), |(steps, name)| {
        let mut command = Command::new("valgrind");
        command
            .env("VALGRIND_LIB", &tool)
            // Functions of the C library are bound before the first step, not within it.
            .env("LD_BIND_NOW", "1")
            .args(["--quiet", "--tool=steps"])
            .arg(std::env::current_exe().unwrap())
            .args(["host", steps, name, "3"])
            .arg(&library);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let line = said.lines().last().unwrap_or_default();
        if let Some(counted) = line.strip_prefix("ok ") {
            println!("counted {counted}");
        } else {
            let told = String::from_utf8_lossy(&output.stderr);
            println!("FAILED {name}: {line} {told}");
        }
        output.status.success()
    })
}
