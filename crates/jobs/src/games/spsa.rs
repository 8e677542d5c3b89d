//! `spsa`: weights moved by games alone.
//!
//! Pairs are played in batches with the same weights, so that the games depend on the
//! options and not on the threads. `spsa.json` is written after each batch; the same
//! command with `--resume` continues from it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Arena, GamesConfig, GamesProgress, identity};
use crate::folder::lock;
use crate::{Failure, Job, NamedSet, Project};
use tuner_base::{WeightId, shell_word, write_if_changed};
use tuner_engine::{EvaluatorGames, EvaluatorPlayer, LinkedSpec, spec_variables};
use tuner_fit::run::weight_lines;
use tuner_play::{ContestSettings, MatchTexts, PlayerFault, SettingsText as _};
use tuner_record::NamedValues;
use tuner_solve::Reduction;
use tuner_spec::source::Choice;
use tuner_spec::{FrozenChoice, Layout};
use tuner_tournament::{Batch, SpsaSettings, check_settings, in_order, read_state, write_state};

/// Version of `spsa.json`; another one is refused.
const FORMAT: u64 = 1;

/// Pairs that are played with the same weights. Chosen: as many as a large machine has
/// threads; what the first of them teach comes a moment late.
const BATCH: u64 = 32;

/// More weights than games tell apart in a night.
const MANY: usize = 50;

/// The largest moves that are shown.
const SHOWN: usize = 10;

/// How far weights are perturbed where nothing is said of them, in their steps.
const PERTURBATION: f64 = 10.0;

/// Weights that are moved by games.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaConfig {
    /// The folder to write into: `weights.txt`, `spsa.json`.
    pub out: PathBuf,
    /// Weights of the start: `spec`, `source`, or a file.
    pub from: String,
    /// The weights that are moved; where it starts is not for it to say.
    pub choice: FrozenChoice,
    /// How far they are moved either way at the end.
    pub perturbations: Vec<Perturbation>,
    /// What a won game of the end moves a weight by, as a part of its perturbation.
    pub rate: f64,
    /// Games in all, those of an interrupted run included.
    pub count: u64,
    /// How they are played.
    pub games: GamesConfig,
}

/// A size, for all parameters or for those of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// The name, in which `*` stands for anything.
    pub name: Option<String>,
    /// The size, in the unit of the weights.
    pub size: f64,
}

/// The result of tuning by games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpsaSummary {
    /// Games played.
    pub games: u64,
    /// Games in all.
    pub of: u64,
    /// Where the weights that were moved are.
    pub weights: NamedValues,
}

/// The content of `spsa.json`.
#[derive(Debug, Deserialize, Serialize)]
struct SpsaState {
    format: u64,
    /// The identity that a run that resumes must have in common.
    identity: Value,
    /// Pairs that were learnt from.
    pairs: u64,
    /// Where the variables are, by the names of their weights.
    variables: Vec<(String, f64)>,
}

/// Moves weights by games alone.
///
/// # Errors
/// If the engine does not play, files cannot be written, or nothing is free; none where the job
/// was interrupted: the summary says how far it got.
pub fn spsa(job: &Job, project: &Project, config: &SpsaConfig) -> Result<SpsaSummary, Failure> {
    let linked = project.linked()?;
    let start = NamedSet::read(job, &config.from, &linked)?;
    let chosen = linked.spec.choose(&FrozenChoice {
        start: Some(start.weights.clone()),
        ..config.choice.clone()
    })?;
    let layout = chosen.layout();
    let variables = spec_variables(layout)?;
    let reduction = variables.reduction;
    if reduction.variables() == 0 {
        fail!("no weight is free; name some by --only or --free");
    }
    if reduction.variables() > MANY {
        job.say(format_args!(
            "{} weights at once: games tell little of each; --only chooses some",
            reduction.variables()
        ));
    }
    if !reduction.constraints().is_empty() {
        fail!(
            "spsa keeps no orders and no sums; take them out of the spec, or --freeze their weights"
        );
    }
    let tuning = Tuning {
        job,
        config,
        settings: settings(config, layout, &reduction)?,
        names: &variables.names,
        reduction: &reduction,
    };
    fs::create_dir_all(&config.out)
        .map_err(|error| format!("--out {}: {error}", config.out.display()))?;
    let _lock = lock(&config.out)?;
    let arena = Arena::of(project, &linked)?;
    let contest = (config.games).settings(arena.is_evaluator(), MatchTexts::default())?;
    let about = [
        ("engine", project.evaluation()?.name().into()),
        ("start", start.fingerprint().into()),
        ("weights", tuning.root_names().into()),
        (
            "perturbations",
            tuning.settings.perturbations.clone().into(),
        ),
        ("rate", config.rate.into()),
        ("pairs", tuning.settings.pairs.into()),
    ];
    let identity = identity(about, &contest.line(), &contest.openings);
    let mut state = tuning.begun(identity, &start)?;
    let Arena::Evaluator(project) = arena else {
        let words = "each pair of games has other weights, and a build for each takes too long; \
                     let the evaluator play (docs/playing.md)";
        misuse!("spsa: {words}");
    };
    tuning.play(project, &linked, &contest, &mut state)?;
    tuning.report(layout, &start, &state)?;
    Ok(SpsaSummary {
        games: 2 * state.pairs,
        of: 2 * tuning.settings.pairs,
        weights: NamedValues(state.variables),
    })
}

fn settings(
    config: &SpsaConfig,
    layout: &Layout,
    reduction: &Reduction,
) -> Result<SpsaSettings, Failure> {
    let roots = reduction.roots();
    let mut perturbations = vec![None; roots.len()];
    for Perturbation { name, size } in &config.perturbations {
        // A `*` in a name stands for anything.
        let choice = name.as_ref().map(|name| Choice {
            only: vec![name.clone()],
            ..Choice::default()
        });
        let mut hits = 0;
        for (&root, perturbation) in roots.iter().zip(&mut perturbations) {
            let own = layout.parameter_of(root).name();
            let named = choice.as_ref().map(|choice| choice.takes_name(own));
            if named.unwrap_or(perturbation.is_none()) {
                *perturbation = Some(*size);
                hits += 1;
            }
        }
        if let (0, Some(name)) = (hits, name) {
            misuse!("--perturb {name}: no free weight is of a parameter of this name");
        }
    }
    let steps: Vec<f64> = roots.iter().map(|&root| reduction.step(root)).collect();
    // Sizes by name alone leave the others at the default.
    let perturbations = perturbations.into_iter().zip(&steps);
    let perturbations = perturbations.map(|(size, step)| size.unwrap_or(PERTURBATION * step));
    Ok(SpsaSettings {
        seed: config.games.seed,
        pairs: config.count.div_ceil(2),
        perturbations: perturbations.collect(),
        steps,
        bounds: reduction.bounds().to_vec(),
        rate: config.rate,
    })
}

/// The weights that are moved, and how.
struct Tuning<'a> {
    job: &'a Job,
    config: &'a SpsaConfig,
    settings: SpsaSettings,
    /// Of all weights.
    names: &'a [String],
    reduction: &'a Reduction,
}

impl Tuning<'_> {
    fn root_names(&self) -> Vec<String> {
        let roots = self.reduction.roots().iter();
        roots.map(|root| self.names[root.index()].clone()).collect()
    }

    /// The state to continue from, or a new one.
    fn begun(&self, identity: Value, start: &NamedSet) -> Result<SpsaState, Failure> {
        let path = self.config.out.join("spsa.json");
        let name = path.display();
        let cure = "name another folder by --out";
        let Some(state) = read_state::<SpsaState>(&path, FORMAT, cure)? else {
            let at = self.reduction.start(&start.weights);
            return Ok(SpsaState {
                format: FORMAT,
                identity,
                pairs: 0,
                variables: self.root_names().into_iter().zip(at).collect(),
            });
        };
        if !self.config.games.resume {
            let words =
                "it is there already; --resume continues it, or name another folder by --out";
            fail!("{name}: {words}");
        }
        check_settings(&state.identity, &identity).map_err(|words| format!("{name}: {words}"))?;
        self.job
            .say(format_args!("resumed after {} games", 2 * state.pairs));
        Ok(state)
    }

    /// Weights that games are played with: tied ones on their grid too.
    fn weights(&self, variables: &[f64]) -> Vec<f64> {
        let weights = self.reduction.weights(variables);
        let each = weights.into_iter().enumerate();
        each.map(|(index, weight)| {
            let step = self.reduction.step(WeightId(index));
            (weight / step).round() * step
        })
        .collect()
    }

    fn play(
        &self,
        project: &Project,
        linked: &LinkedSpec,
        contest: &ContestSettings,
        state: &mut SpsaState,
    ) -> Result<(), Failure> {
        let (job, openings) = (self.job, &self.config.games.openings);
        let games = EvaluatorGames::of_match(project.evaluation()?, contest)?;
        let games = games.map_err(|words| openings.refused(&words))?;
        openings.say(job, games.openings());
        job.observer.listen()?;
        let all = self.settings.pairs;
        let progress = GamesProgress::new(job, 2 * all, 2 * state.pairs);
        let path = self.config.out.join("spsa.json");
        while state.pairs < all {
            let end = (state.pairs + BATCH).min(all);
            let now: Vec<f64> = state.variables.iter().map(|(_, at)| *at).collect();
            let one = |player: &mut EvaluatorPlayer<'_>, pair: u64| -> Result<u8, PlayerFault> {
                let [first, second] = (self.settings.sides(&now, pair))
                    .map(|side| NamedSet::of("", self.weights(&side)).values(linked));
                player.sides([&first, &second])?;
                Ok(player.pair(pair)?.half_points().iter().sum())
            };
            let batch = Batch::new(state.pairs..end, job.players());
            let mut results = Vec::new();
            let take = |done: Option<(u64, u8)>| {
                results.extend(done.map(|(_, points)| points));
                Ok::<_, Failure>(job.flow())
            };
            in_order(&batch, || games.player(&[]), one, take)?;
            if results.len() as u64 == end - state.pairs {
                let mut numbers = now;
                for (pair, points) in (state.pairs..).zip(results) {
                    self.settings.learn(&mut numbers, pair, points);
                }
                for ((_, at), number) in state.variables.iter_mut().zip(numbers) {
                    *at = number;
                }
                state.pairs = end;
                write_state(&path, state)?;
                progress.games(2 * state.pairs, String::new);
            }
            if job.is_interrupted() {
                break;
            }
        }
        job.status_ended();
        Ok(())
    }

    /// Writes the weights, and says what moved most.
    fn report(&self, layout: &Layout, start: &NamedSet, state: &SpsaState) -> Result<(), Failure> {
        let job = self.job;
        let variables: Vec<f64> = state.variables.iter().map(|(_, at)| *at).collect();
        let at = self.settings.steps.iter().zip(&variables);
        let rounded: Vec<f64> = at.map(|(step, at)| (at / step).round() * step).collect();
        let weights = self.weights(&rounded);
        let path = self.config.out.join("weights.txt");
        let values = layout.values(&layout.counts(&weights)?);
        write_if_changed(&path, &weight_lines(self.names.iter().zip(values)))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let before = self.reduction.start(&start.weights);
        let mut moves: Vec<(f64, String)> = (state.variables.iter())
            .zip(&before)
            .zip(&self.settings.perturbations)
            .map(|(((name, at), before), size)| {
                let words = format!("{name} {before} → {at:.2}");
                ((at - before).abs() / size, words)
            })
            .collect();
        moves.sort_by(|a, b| b.0.total_cmp(&a.0));
        job.say(format_args!(
            "{} games of {}; what moved most, in perturbations:",
            2 * state.pairs,
            2 * self.settings.pairs
        ));
        for (size, words) in moves.iter().take(SHOWN) {
            job.say(format_args!("  {words} ({size:.1})"));
        }
        job.say(format_args!("{}: written", path.display()));
        if state.pairs >= self.settings.pairs {
            job.say(format_args!(
                "whether they win: `match {} {} --sprt 0,5 --games 20000`",
                shell_word(&path),
                shell_word(Path::new(&self.config.from))
            ));
        }
        Ok(())
    }
}
