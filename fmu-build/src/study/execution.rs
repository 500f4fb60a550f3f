//! Control plane: makes the runs of a study that are missing, on several threads, in chunks.
//!
//! A chunk takes a fifth of a second or more, so that files cost little beside runs. Its size follows from the time that runs
//! take and does not show in the table.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::Study;
use super::folder::{Folder, write};
use super::one::ran;
use super::table::Row;
use crate::slave::Failure;

/// Time of a chunk: what a killed worker loses.
const CHUNK: Duration = Duration::from_millis(250);
/// Long studies have longer chunks: this part of the time so far, up to the longest.
const SHARE: u32 = 100;
const LONGEST: Duration = Duration::from_secs(5);

/// Hears of the work.
pub trait Watcher {
    /// So many runs of those that were missing are finished.
    fn progress(&mut self, done: usize, of: usize);
}

/// The runs that are left, of which workers take chunks.
struct Open {
    runs: Vec<usize>,
    next: usize,
    workers: usize,
    began: Instant,
    /// Runs made, and the time that they took on their workers.
    made: (usize, Duration),
}

impl Open {
    /// The next chunk.
    fn take(&mut self) -> Vec<usize> {
        let left = self.runs.len() - self.next;
        let target = (self.began.elapsed() / SHARE).clamp(CHUNK, LONGEST);
        let size = match self.made {
            (0, _) => 1,
            (made, took) => {
                (target.as_secs_f64() * made as f64 / took.as_secs_f64().max(1e-9)).ceil() as usize
            }
        };
        // Towards the end no worker has much more left than the others.
        let size = size.clamp(1, left.div_ceil(self.workers).max(1)).min(left);
        let chunk = self.runs[self.next..self.next + size].to_vec();
        self.next += size;
        chunk
    }
}

/// Makes runs and keeps their rows in chunks. If a chunk cannot be kept, the error says how many runs are.
pub fn execute(
    study: &Study,
    folder: &Folder,
    (runs, workers): (Vec<usize>, usize),
    watcher: &mut dyn Watcher,
) -> Result<(), Failure> {
    let total = study.design.runs();
    let (missing, mut made) = (runs.len(), 0);
    let workers = workers.clamp(1, runs.len().max(1));
    let open = Mutex::new(Open {
        runs,
        next: 0,
        workers,
        began: Instant::now(),
        made: (0, Duration::ZERO),
    });
    let stop = AtomicBool::new(false);
    watcher.progress(made, missing);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (sender, open, stop) = (sender.clone(), &open, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let chunk = open.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if chunk.is_empty() {
                        break;
                    }
                    let told = work(study, folder, &chunk, open, stop);
                    if sender.send(told).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut first = None;
        for (count, told) in receiver {
            made += count;
            watcher.progress(made, missing);
            if let Err(failure) = told {
                stop.store(true, Ordering::Relaxed);
                first.get_or_insert(failure);
            }
        }
        match first {
            None => Ok(()),
            Some(Failure(why)) => Err(Failure(format!(
                "{why}\n{} of {total} runs are kept; the same command goes on from there when this is mended",
                total - missing + made
            ))),
        }
    })
}

/// Makes the runs of a chunk and keeps them; how many are kept, and what went wrong. Those that are made are kept when
/// something has failed, here or on another worker.
fn work(
    study: &Study,
    folder: &Folder,
    chunk: &[usize],
    open: &Mutex<Open>,
    stop: &AtomicBool,
) -> (usize, Result<(), Failure>) {
    let mut rows: Vec<Row> = Vec::with_capacity(chunk.len());
    let mut told = Ok(());
    for run in chunk {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let began = Instant::now();
        let found = ran(study, *run);
        let series = found.series.as_ref();
        told = series.map_or(Ok(()), |series| {
            write(&folder.series(*run), series.to_text().as_bytes())
        });
        if told.is_err() {
            break;
        }
        rows.push(found.row);
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.made.0 += 1;
        open.made.1 += began.elapsed();
    }
    match folder.keep(&rows) {
        Ok(()) => (rows.len(), told),
        Err(failure) => (0, Err(failure)),
    }
}
