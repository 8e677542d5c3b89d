//! `fit --rescore`: the positions of the data with scores of the engine's own search.
//!
//! Each file is scored by a command of this program, `data rescore`, which is said before
//! it is run, and keeps what it has done when it is killed. The files of scores stay in
//! the folder of `--out`, as `rescored-ID.tsv.zst`: the id is of the bytes that were read,
//! of how, and of the engine, so that the same scores are made once, and none is lost.

use std::fs;
use std::path::{Path, PathBuf};

use super::{FitConfig, FitInput};
use crate::failure::AtPath as _;
use crate::folder::lock;
use crate::job::is_utf8;
use crate::rounds::{StepRunner, run_step};
use crate::{Failure, Job, NamedSet, Project, ReadingConfig, Result, check_files};
use tuner_base::Fingerprint;
use tuner_data::Input;
use tuner_fit::run::Init;

/// Returns the configuration of a fit. Where `config.rescore` wants it and the input is an engine,
/// the files of the data are replaced by files with scores of the engine's search, which are read
/// by the default rules; else the configuration is unchanged. The command `data rescore`, which
/// `steps` runs, makes the files; one that is there already is not made again.
///
/// # Errors
/// If an option of the fit is wrong, an input is not a file that can be read twice, or a step
/// fails.
pub(super) fn rescored(
    job: &Job,
    input: &FitInput<'_>,
    mut config: FitConfig,
    steps: &dyn StepRunner,
) -> Result<FitConfig> {
    let (&FitInput::Engine(project), Some(scores)) = (input, &config.rescore) else {
        return Ok(config);
    };
    let usage = |words: String| Failure::Usage(format!("--rescore: {words}"));
    config.data.data = project.data(&config.data.data).to_vec();
    check_files(&config.data.data)?;
    refuse(job, project, &config).map_err(|failure| match failure {
        Failure::Usage(words) => usage(words),
        other => other,
    })?;
    // Mistakes in options of the fit are found before anything is searched.
    let linked = project.linked()?;
    let init = match &config.run.init {
        // To `data rescore` the word `source` is the weights of the sources, and no file.
        Init::File(path) if path.as_os_str() == "source" => "./source".to_owned(),
        init => init.to_string(),
    };
    let weights = NamedSet::read(job, &init, &linked)?
        .within_bounds(&linked)
        .fingerprint();
    let chosen = linked.choose(config.choice(linked.spec.layout())?);
    let chosen = chosen.map_err(|error| Failure::Usage(format!("--{error}")))?;
    config.run(job, &chosen.variables()?, Some(&chosen.spec))?;
    let program = &project.evaluation()?.about().build;
    // Of each input: its argument without the option `weight`, the file of its scores, and that
    // option. The name of the file has a hash of all that the scores depend on, so equal scores are
    // found again.
    let mut files = Vec::new();
    for file in &config.data.data {
        let (input, _) = Input::with_options(project.game()?, file).map_err(usage)?;
        let Input::File(path) = input else {
            let words = "standard input cannot be read twice; name files";
            return Err(usage(words.to_owned()));
        };
        let bytes = bytes(&path)?;
        let (argument, weight) = unweighted(file);
        let (thinking, reading) = (&scores.thinking, &scores.reading);
        let about =
            serde_json::to_string(&(&argument, bytes, thinking, &weights, program, reading))?;
        let id = Fingerprint::of_bytes(about.as_bytes());
        let output = config.out.join(format!("rescored-{id:016x}.tsv.zst"));
        files.push((argument, output, weight));
    }
    fs::create_dir_all(&config.out)
        .map_err(|error| format!("--out {}: {error}", config.out.display()))?;
    let _lock = lock(&config.out)?;
    let mut scored = Vec::new();
    for (argument, output, weight) in files {
        let shown = output.display();
        if output.exists() {
            job.say(format_args!(
                "{shown}: has these scores; without it they are made anew"
            ));
        } else {
            // The step continues a file that an interruption left (`--resume`).
            let [option, number] = scores.thinking.each_ref();
            let words = ["data", "rescore", option, number, "--weights", &init];
            let mut words = words.map(str::to_owned).to_vec();
            words.push(format!("--output={shown}"));
            words.extend(scores.reading.iter().cloned());
            words.push("--resume".to_owned());
            if let Some(threads) = job.threads {
                words.extend(["--threads".to_owned(), threads.to_string()]);
            }
            words.extend(["--".to_owned(), argument]);
            let interrupted = "before the fit; scores so far are kept, the same command continues";
            run_step(job, steps, &words, interrupted)?;
        }
        scored.push(PathBuf::from(format!("{shown}{weight}")));
    }
    // The files of scores have the tuner's own format, for which the defaults of reading are right.
    config.data.data = scored;
    config.data.reading = ReadingConfig::default();
    Ok(config)
}

/// Fails with the reason, without the name of the option, where scores of a search would be of no
/// use, or cannot be had: on several ranks, with weights at zero, with a fit to results alone,
/// without files, or without a search.
fn refuse(job: &Job, project: &Project, config: &FitConfig) -> Result<()> {
    for path in config.data.data.iter().chain([&config.out]) {
        is_utf8(path)?;
    }
    let words = if !job.ranks.is_alone() {
        "works in one process; `data rescore` gives scores before mpirun"
    } else if config.run.init == Init::Zero {
        "a search with all weights at zero says nothing; `loop --from zero` climbs from there"
    } else if config.run.targets.lambda == Some(1.0) {
        "does nothing with --lambda 1, results alone; leave it out, or take a lambda below 1"
    } else if config.data.data.is_empty() {
        "name files"
    } else if !project.evaluation()?.plays() && project.file.engine.is_none() {
        "this evaluator has no search; `serve_playing` gives it one, and `data rescore --engine` \
         asks a program that speaks UCI or USI"
    } else {
        return Ok(());
    };
    Err(Failure::usage(words))
}

/// Returns the fingerprint of the bytes of a file, 16 hexadecimal digits.
///
/// # Errors
/// If it cannot be read, or is a pipe or the like, which cannot be read twice.
fn bytes(path: &Path) -> Result<String> {
    if !fs::metadata(path).at(path)?.is_file() {
        misuse!(
            "--rescore: {}: is no file that can be read twice",
            path.display()
        );
    }
    let found = fs::read(path).at(path)?;
    Ok(format!("{:016x}", Fingerprint::of_bytes(&found)))
}

/// Parts an argument `FILE:limit=1000:weight=0.5` into the argument without a weight, as `data
/// rescore` writes no weights, and the option `:weight=0.5`, empty where there is none, which is
/// put behind the file of scores.
fn unweighted(argument: &Path) -> (String, String) {
    let (file, options) = Input::parted(argument);
    // `options` has the last first, so each is put before those that are there.
    let (mut kept, mut weight) = (String::new(), String::new());
    for (name, value) in options {
        if name == "weight" {
            weight = format!(":weight={value}");
        } else {
            kept = format!(":{name}={value}{kept}");
        }
    }
    (format!("{}{kept}", file.display()), weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_loses_its_weight_alone() {
        let found = |text: &str| unweighted(Path::new(text));
        let pair = |argument: &str, weight: &str| (argument.to_owned(), weight.to_owned());
        assert_eq!(
            found("no/file.tsv:weight=0.5:limit=10"),
            pair("no/file.tsv:limit=10", ":weight=0.5")
        );
        assert_eq!(found("no/file.tsv"), pair("no/file.tsv", ""));
        // A file that is there ends the options.
        assert_eq!(found("Cargo.toml:limit=3"), pair("Cargo.toml:limit=3", ""));
        assert_eq!(found("a:b/c.tsv:weight=2"), pair("a:b/c.tsv", ":weight=2"));
    }
}
