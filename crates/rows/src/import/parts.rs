//! Parts of a file, read by all threads, in their order.

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::thread;

use tuner_parallel as parallel;

use super::{ImportError, RawRow, Source};

/// Parts per thread that are read in one wave, and as many more that wait. Chosen.
const WAVE: usize = 2;

/// Takes rows, in their order.
pub(super) type RowSink<'a> = dyn FnMut(&RawRow<'_>, &mut ImportError) + 'a;

/// A part of a file, of which any thread reads the rows.
pub(super) trait Part: Send + Sync {
    /// Hands all rows over, until one cannot be read, which is reported; breaks where nothing
    /// behind it can be either.
    fn rows(&self, problems: &mut ImportError, each: &mut RowSink<'_>) -> ControlFlow<()>;
}

/// Runs `read` on all parts of a source, on the threads of the current pool, and hands what it
/// gives to `gather`, in their order, on this thread. One more thread reads the file.
///
/// `tools`: makes what a thread works with, which `read` is given. Problems are reported in the
/// order of the parts, those of the source itself behind them; after a part where `read` breaks
/// nothing more is read.
pub(super) fn each_part<W: Send, T: Send>(
    source: &mut dyn Source,
    problems: &mut ImportError,
    tools: &(dyn Fn() -> W + Sync),
    read: &ReadPart<'_, W, T>,
    gather: &mut dyn FnMut(T, &mut ImportError),
) {
    let wave = WAVE * parallel::threads();
    let file = problems.file.clone();
    thread::scope(|scope| {
        // One thread cuts the file into parts, which wait in a channel; in waves, all threads read
        // them.
        let (to, from) = sync_channel(wave);
        let cutter = scope.spawn(|| {
            let (to, mut problems) = (to, ImportError::new(&file));
            while let Some(part) = source.next(&mut problems) {
                if to.send(part).is_err() {
                    break;
                }
            }
            problems
        });
        'parts: loop {
            let parts: Vec<Box<dyn Part>> = from.iter().take(wave).collect();
            if parts.is_empty() {
                break;
            }
            let made = parallel::map_init(0..parts.len(), tools, |tools, number| {
                let mut problems = ImportError::new(&file);
                let (made, flow) = read(tools, &*parts[number], &mut problems);
                (made, problems, flow)
            });
            for (made, found, flow) in made {
                problems.append(found);
                gather(made, problems);
                if flow.is_break() {
                    break 'parts;
                }
            }
        }
        // After a break the thread that reads the file still sends: without a receiver it stops.
        drop(from);
        // If the other thread panicked, the scope panics too.
        if let Ok(found) = cutter.join() {
            problems.append(found);
        }
    });
}

/// Reads a part with the tools of a thread; breaks if nothing behind it can be read.
type ReadPart<'a, W, T> =
    dyn Fn(&mut W, &dyn Part, &mut ImportError) -> (T, ControlFlow<()>) + Sync + 'a;
