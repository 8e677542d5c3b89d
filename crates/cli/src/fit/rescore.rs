//! `fit --rescore`: the positions of the data with scores of the engine's own search.
//!
//! Each file is scored by a command of this program, `data rescore`, which is said before
//! it is run, and keeps what it has done when it is killed. Files of scores stay in the
//! folder of `--out`:
//!
//! ```text
//! rescored-1.json        of what, how, and by which engine
//! rescored-1.tsv.zst     the first file with scores, once it is whole
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use crate::args::{EngineFitArgs, ReadingArgs};
use crate::folder::lock;
use crate::play::{NamedSet, parsed};
use crate::ranks::ranks;
use crate::run::linked;
use crate::{Failure, playing};
use tuner_base::{Fingerprint, write_atomically};
use tuner_data::Input;
use tuner_engine::Plays;

/// Puts files with scores of a search of so many positions in the place of the data.
///
/// # Errors
/// If there is no file that can be read twice, or a step fails.
pub(crate) fn rescore<E: Plays>(
    engine: &E,
    args: &mut EngineFitArgs,
    nodes: u64,
) -> Result<(), Failure> {
    let usage = |words: &str| Err(Failure::Usage(format!("--rescore: {words}")));
    if !ranks().is_alone() {
        return usage("works in one process; `data rescore` gives scores before mpirun");
    }
    if args.data.data.is_empty() {
        return usage("name files; the positions that come with the engine are fitted as they are");
    }
    let folder = args.fit.out.clone();
    fs::create_dir_all(&folder).map_err(|error| format!("--out {}: {error}", folder.display()))?;
    let _lock = lock(&folder)?;
    let weights = NamedSet::read(&args.fit.init.to_string(), &linked(engine)?)?;
    let program = std::env::current_exe().and_then(fs::read)?;
    let program = Fingerprint::of_bytes(&program);
    let reading = args.data.reading.words();
    let mut scored = Vec::new();
    for (number, file) in args.data.data.iter().enumerate() {
        let (input, options) = Input::with_options(engine.notation(), file)
            .map_err(|words| Failure::Usage(format!("--rescore: {words}")))?;
        let Input::File(path) = input else {
            return usage("standard input cannot be read twice; name files");
        };
        let name = |ending: &str| folder.join(format!("rescored-{}.{ending}", number + 1));
        let (output, stamp) = (name("tsv.zst"), name("json"));
        let mut words: Vec<String> = ["data", "rescore", &unweighted(file)]
            .map(str::to_owned)
            .into();
        words.extend(["-o".to_owned(), output.display().to_string()]);
        words.extend(["--nodes".to_owned(), nodes.to_string()]);
        words.extend(["--weights".to_owned(), args.fit.init.to_string()]);
        words.extend(reading.iter().cloned());
        let about = json!({
            "command": words,
            "file": of_file(&path)?,
            "weights": weights.fingerprint(),
            "program": format!("{program:016x}"),
        });
        prepare(&output, &stamp, &about)?;
        if output.exists() {
            say!("{}: has these scores", output.display());
        } else {
            words.push("--resume".to_owned());
            if let Some(threads) = args.fit.threads {
                words.extend(["--threads".to_owned(), threads.to_string()]);
            }
            say!("$ {}", words.join(" "));
            let (command, options) = parsed(&words)?;
            playing(engine, command, options).map_err(|failure| match failure {
                Failure::Interrupted(_) => Failure::Interrupted(
                    "before the fit; scores so far are kept, the same command continues".to_owned(),
                ),
                other => other,
            })?;
        }
        let weight = options.weight;
        let weight = weight.map_or_else(String::new, |weight| format!(":weight={weight}"));
        scored.push(PathBuf::from(format!("{}{weight}", output.display())));
    }
    args.data.data = scored;
    args.data.reading = ReadingArgs::of_own_files();
    Ok(())
}

/// What tells a file from what it is later.
fn of_file(path: &Path) -> Result<Value, Failure> {
    let about = |error| format!("{}: {error}", path.display());
    let found = fs::metadata(path).map_err(about)?;
    let modified = found.modified().map_err(about)?;
    let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(json!({ "bytes": found.len(), "modified": modified.as_nanos().to_string() }))
}

/// Removes scores of something else, and writes what those to come are of.
fn prepare(output: &Path, stamp: &Path, about: &Value) -> Result<(), Failure> {
    let text = format!("{about:#}\n");
    if fs::read_to_string(stamp).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let mut part = output.as_os_str().to_owned();
    part.push(".part");
    for path in [output, Path::new(&part)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", path.display()).into());
            }
            _ => {}
        }
    }
    write_atomically(stamp, &text).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(())
}

/// The same argument without `:weight=`, which files of positions have no place for.
fn unweighted(argument: &Path) -> String {
    let text = argument.display().to_string();
    if argument.exists() {
        return text;
    }
    let parts = text.split(':').filter(|part| !part.starts_with("weight="));
    parts.collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_loses_its_weight_alone() {
        let found = unweighted(Path::new("no/file.tsv:weight=0.5:limit=10"));
        assert_eq!(found, "no/file.tsv:limit=10");
        assert_eq!(unweighted(Path::new("no/file.tsv")), "no/file.tsv");
    }
}
