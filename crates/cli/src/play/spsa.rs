//! `spsa`: weights moved by games alone.
//!
//! Pairs are played in batches with the same weights, so that the games depend on the
//! options and not on the threads. `spsa.json` is written after each batch; the same
//! command with `--resume` continues from it.

use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::args::{WeightChoiceArgs, number_within};
use super::super::folder::lock;
use super::super::interrupt::Interrupt;
use super::super::{Failure, output};
use super::arena::Arena;
use super::args::{GameArgs, identity};
use super::scoreboard::Progress;
use crate::help::heading;
use crate::project::Project;
use crate::weights::NamedSet;
use tuner_base::{shell_word, write_if_changed};
use tuner_engine::{EvaluatorGames, EvaluatorPlayer, LinkedSpec, spec_variables};
use tuner_fit::run::weight_lines;
use tuner_play::{ContestSettings, MatchTexts, PlayerFault, SettingsText as _, Thinking};
use tuner_solve::Reduction;
use tuner_spec::Layout;
use tuner_spec::source::Choice;
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

/// Moves weights by games: each pair plays them all moved a little, up or down at random,
/// against the same moved the other way (SPSA, as fishtest has it).
///
/// For few weights, named by --only, and for what positions do not tell; it takes tens of
/// thousands of games. The result is no proof: `match` of it is.
#[derive(Args, Debug)]
pub(crate) struct SpsaArgs {
    /// The folder to write into: weights.txt, spsa.json.
    #[arg(long, default_value = "tuner-spsa", value_name = "FOLDER", help_heading = heading::OUTPUT)]
    out: PathBuf,
    /// Weights of the start: those of the spec, of the source, or of a file.
    #[arg(long, default_value = "spec", value_name = "FROM")]
    from: String,
    #[command(flatten)]
    choice: WeightChoiceArgs,
    /// How far weights are moved either way at the end, in their unit; `NAME=SIZE` for
    /// those of a parameter, whose name may hold `*`.
    #[arg(long, value_name = "SIZE|NAME=SIZE", default_value = "10", value_delimiter = ',', value_parser = parse_perturbation)]
    perturb: Vec<Perturbation>,
    /// What a won game of the end moves a weight by, as a part of --perturb.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = parse_rate)]
    rate: f64,
    /// Games in all, those of an interrupted run included.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..), help_heading = heading::GAMES)]
    games: u64,
    #[command(flatten)]
    play: GameArgs,
}

/// A size, for all parameters or for those of a name.
#[derive(Clone, Debug, PartialEq)]
struct Perturbation {
    name: Option<String>,
    size: f64,
}

fn parse_perturbation(text: &str) -> Result<Perturbation, String> {
    let (name, size) = match text.rsplit_once('=') {
        Some((name, size)) => (Some(name.to_owned()), size),
        None => (None, text),
    };
    match size.parse() {
        Ok(size) if f64::is_finite(size) && size > 0.0 => Ok(Perturbation { name, size }),
        _ => Err("expected a size above 0, such as 10, or NAME=10".to_owned()),
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let range = (Bound::Excluded(0.0), Bound::Included(1.0));
    number_within(text, range, "a number above 0 and up to 1, such as 0.01")
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

pub(crate) fn run(project: &Project, args: &SpsaArgs) -> Result<(), Failure> {
    let linked = project.linked()?;
    let start = NamedSet::read(&args.from, &linked)?;
    let choice = args.choice.from(Some(start.weights.clone()));
    let chosen = linked.spec.choose(&choice)?;
    let layout = chosen.layout();
    let variables = spec_variables(layout)?;
    let reduction = variables.reduction;
    if reduction.variables() == 0 {
        return Err("no weight is free; name some by --only or --free".into());
    }
    if reduction.variables() > MANY {
        say!(
            "{} weights at once: games tell little of each; --only chooses some",
            reduction.variables()
        );
    }
    if !reduction.constraints().is_empty() {
        let words = "spsa keeps no orders and no sums; take them out of the spec, or --freeze their weights";
        return Err(words.into());
    }
    let tuning = Tuning {
        settings: settings(args, layout, &reduction)?,
        names: &variables.names,
        reduction: &reduction,
    };
    fs::create_dir_all(&args.out)
        .map_err(|error| format!("--out {}: {error}", args.out.display()))?;
    let _lock = lock(&args.out)?;
    let arena = Arena::of(project, &linked)?;
    let thinking = Thinking::Move(args.play.thinking.limit());
    let contest = (args.play).settings(thinking, arena.is_evaluator(), MatchTexts::default())?;
    let about = json!({
        "engine": project.evaluation()?.name(),
        "start": start.fingerprint(),
        "weights": tuning.root_names(),
        "perturbations": tuning.settings.perturbations,
        "rate": args.rate,
        "pairs": tuning.settings.pairs,
    });
    let identity = identity(about, &contest.line(), &contest.openings);
    let mut state = begun(args, identity, &tuning, &start)?;
    let Arena::Evaluator(project) = arena else {
        let words = "each pair of games has other weights, and a build for each takes too long; \
                     let the evaluator play (docs/playing.md)";
        return Err(Failure::Usage(format!("spsa: {words}")));
    };
    tuning.play(project, &linked, &contest, args, &mut state)?;
    tuning.report(args, layout, &start, &state)
}

fn settings(
    args: &SpsaArgs,
    layout: &Layout,
    reduction: &Reduction,
) -> Result<SpsaSettings, Failure> {
    let names: Vec<&str> = (reduction.roots().iter())
        .map(|&root| layout.parameter_of(root).name())
        .collect();
    let mut perturbations = vec![None; names.len()];
    for Perturbation { name, size } in &args.perturb {
        // A `*` in a name stands for anything.
        let choice = name.as_ref().map(|name| Choice {
            only: vec![name.clone()],
            ..Choice::default()
        });
        let mut hits = 0;
        for (own, perturbation) in names.iter().zip(&mut perturbations) {
            let named = choice.as_ref().map(|choice| choice.takes_name(own));
            if named.unwrap_or(perturbation.is_none()) {
                *perturbation = Some(*size);
                hits += 1;
            }
        }
        if let (0, Some(name)) = (hits, name) {
            let words = format!("--perturb {name}: no free weight is of a parameter of this name");
            return Err(Failure::Usage(words));
        }
    }
    // Sizes by name alone leave the others at the default.
    let default = 10.0;
    let steps: Vec<f64> = (reduction.roots().iter())
        .map(|&root| reduction.step(root))
        .collect();
    let perturbations = perturbations.into_iter().zip(&steps);
    Ok(SpsaSettings {
        seed: args.play.seed,
        pairs: args.games.div_ceil(2),
        perturbations: perturbations
            .map(|(size, step)| size.unwrap_or(default * step))
            .collect(),
        steps,
        bounds: reduction.bounds().to_vec(),
        rate: args.rate,
    })
}

/// The state to continue from, or a new one.
fn begun(
    args: &SpsaArgs,
    identity: Value,
    tuning: &Tuning<'_>,
    start: &NamedSet,
) -> Result<SpsaState, Failure> {
    let path = args.out.join("spsa.json");
    let name = path.display();
    let cure = "name another folder by --out";
    let Some(state) = read_state::<SpsaState>(&path, FORMAT, cure)? else {
        let at = tuning.reduction.start(&start.weights);
        return Ok(SpsaState {
            format: FORMAT,
            identity,
            pairs: 0,
            variables: tuning.root_names().into_iter().zip(at).collect(),
        });
    };
    if !args.play.resume {
        let words = "it is there already; --resume continues it, or name another folder by --out";
        return Err(format!("{name}: {words}").into());
    }
    check_settings(&state.identity, &identity).map_err(|words| format!("{name}: {words}"))?;
    say!("resumed after {} games", 2 * state.pairs);
    Ok(state)
}

/// The weights that are moved, and how.
struct Tuning<'a> {
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

    /// Weights that games are played with: tied ones on their grid too.
    fn weights(&self, variables: &[f64]) -> Vec<f64> {
        let weights = self.reduction.weights(variables);
        let each = weights.into_iter().enumerate();
        each.map(|(index, weight)| {
            let step = self.reduction.step(tuner_solve::WeightId(index));
            (weight / step).round() * step
        })
        .collect()
    }

    fn play(
        &self,
        project: &Project,
        linked: &LinkedSpec,
        settings: &ContestSettings,
        args: &SpsaArgs,
        state: &mut SpsaState,
    ) -> Result<(), Failure> {
        let games = EvaluatorGames::of_match(project.evaluation()?, settings)?;
        let games = games.map_err(|words| args.play.openings.refused(&words))?;
        args.play.openings.say(games.openings());
        let interrupt = Interrupt::watch()?;
        let all = self.settings.pairs;
        let progress = Progress::new(!args.play.json, 2 * all, 2 * state.pairs);
        let path = args.out.join("spsa.json");
        while state.pairs < all {
            let end = (state.pairs + BATCH).min(all);
            let now: Vec<f64> = state.variables.iter().map(|(_, at)| *at).collect();
            let one = |player: &mut EvaluatorPlayer<'_>, pair: u64| -> Result<u8, PlayerFault> {
                let [first, second] = (self.settings.sides(&now, pair))
                    .map(|side| NamedSet::of("", self.weights(&side)).values(linked));
                player.sides([&first, &second])?;
                Ok(player.pair(pair)?.half_points().iter().sum())
            };
            let batch = Batch::new(state.pairs..end, args.play.threads());
            let mut results = Vec::new();
            let take = |done: Option<(u64, u8)>| {
                results.extend(done.map(|(_, points)| points));
                Ok::<_, Failure>(interrupt.flow())
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
            if interrupt.asked() {
                break;
            }
        }
        progress.done();
        Ok(())
    }

    /// Writes the weights, and says what moved most.
    fn report(
        &self,
        args: &SpsaArgs,
        layout: &Layout,
        start: &NamedSet,
        state: &SpsaState,
    ) -> Result<(), Failure> {
        let variables: Vec<f64> = state.variables.iter().map(|(_, at)| *at).collect();
        let at = self.settings.steps.iter().zip(&variables);
        let rounded: Vec<f64> = at.map(|(step, at)| (at / step).round() * step).collect();
        let weights = self.weights(&rounded);
        let path = args.out.join("weights.txt");
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
        let is_done = state.pairs >= self.settings.pairs;
        if args.play.json {
            let named: serde_json::Map<String, Value> = (state.variables.iter())
                .map(|(name, at)| (name.clone(), json!(at)))
                .collect();
            output::line(
                &json!({
                    "games": 2 * state.pairs,
                    "of": 2 * self.settings.pairs,
                    "weights": named,
                })
                .to_string(),
            )?;
        }
        say!(
            "{} games of {}; what moved most, in perturbations:",
            2 * state.pairs,
            2 * self.settings.pairs
        );
        for (size, words) in moves.iter().take(SHOWN) {
            say!("  {words} ({size:.1})");
        }
        say!("{}: written", path.display());
        if !is_done {
            let words = format!("after {} games; --resume continues", 2 * state.pairs);
            return Err(Failure::Interrupted(words));
        }
        say!(
            "whether they win: `match {} {} --sprt 0,5 --games 20000`",
            shell_word(&path),
            shell_word(Path::new(&args.from))
        );
        Ok(())
    }
}
