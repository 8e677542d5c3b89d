//! `selfplay`: the engine against itself.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::interrupt::Interrupt;
use super::super::ranks::{agree, on_first};
use super::super::run::same_program;
use super::super::{Failure, output};
use super::arena::Arena;
use super::args::{SelfPlayArgs, identity};
use super::scoreboard::Progress;
use crate::project::Project;
use crate::weights::NamedSet;
use tuner_play::{
    Left, Limit, MatchTexts, Sampling, SelfPlaySettings, SettingsText as _, Spent, Thinking,
};
use tuner_tournament::{GameTable, RecordError};

pub(crate) fn run(project: &Project, args: &SelfPlayArgs) -> Result<(), Failure> {
    let linked = project.linked()?;
    same_program(project, &linked, &[])?;
    let weights = NamedSet::read(&args.weights, &linked)?;
    let play = &args.play;
    let arena = Arena::of(project, &linked)?;
    let evaluation = project.evaluation()?;
    let limit = play.thinking.limit();
    let thinking = Thinking::Move(limit);
    let played = play.settings(thinking, arena.is_evaluator(), MatchTexts::default())?;
    let settings = SelfPlaySettings {
        seed: played.seed,
        limit,
        openings: played.openings,
        adjudication: played.adjudication,
        sampling: args.sampling(),
        score: args.score_nodes.map(Limit::Nodes),
    };
    let engine = json!({ "engine": evaluation.name(), "weights": weights.fingerprint() });
    let identity = identity(engine, &settings.line(), &settings.openings);
    let games = arena.games(&settings, &weights, &linked)?;
    let games = games.map_err(|words| play.openings.refused(&words))?;
    play.openings.say(games.openings);
    // A game depends on its opening alone, so a book is played once.
    let wanted = (games.openings).map_or(args.games, |count| args.games.min(count));
    agree(&[("settings", identity.to_string())])?;
    let opened = opened(args, identity, evaluation.game().name())?;
    let Some(mut table) = opened else {
        return games.join(play.threads());
    };
    let begun = table.games();
    if begun > 0 {
        say!("{}: resumed after {begun} games", args.output.display());
    }
    let interrupt = Interrupt::watch()?;
    let progress = Progress::new(!play.json, wanted, begun);
    let started = Instant::now();
    let (mut plies, mut nodes, mut spent) = (0, 0, Spent::default());
    let played = games.play(begun..wanted.max(begun), play.threads(), |done| {
        if let Some((number, record)) = done {
            plies += record.plies as u64;
            nodes += record.nodes;
            spent.add(record.spent);
            table.add(&record).map_err(|error| lost(&error))?;
            progress.games(number + 1, String::new);
        }
        Ok(interrupt.flow())
    });
    progress.done();
    let seconds = started.elapsed().as_secs_f64();
    let games = table.games();
    let [wins, draws, losses] = table.results();
    let (positions, left) = (table.positions(), *table.left());
    table.finish().map_err(|error| lost(&error))?;
    if wanted < args.games {
        say!(
            "the book has {wanted} openings, so {wanted} games are all: more would be the same again"
        );
    }
    say!(
        "{games} games, of which the first player won {wins}, drew {draws} and lost {losses}: \
         {positions} positions"
    );
    say!("  left out: {}", left_out(&left));
    let speed = (games - begun) as f64 / seconds;
    say!(
        "  {seconds:.1} s, {speed:.2} games a second, {:.2} % of the time in the search, {:.0} nodes \
         a second",
        100.0 * spent.share().unwrap_or(0.0),
        nodes as f64 / seconds
    );
    played?;
    if interrupt.asked() && games < wanted {
        return Err(Failure::Interrupted(format!(
            "after {games} of {wanted} games, which are written; the same command with --resume continues"
        )));
    }
    if play.json {
        let left_out: BTreeMap<&str, u64> = left.counts().into_iter().collect();
        let summary = json!({
            "games": games,
            "positions": positions,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "left_out": left_out,
            "seconds": seconds,
            "games_a_second": speed,
            "plies": plies,
            "nodes": nodes,
            "search_share": spent.share(),
            "file": args.output.display().to_string(),
            "bytes": std::fs::metadata(&args.output).map_or(0, |file| file.len()),
        });
        output::line(&summary.to_string())?;
    }
    Ok(())
}

/// The table that is written, on the first rank.
fn opened(
    args: &SelfPlayArgs,
    identity: Value,
    notation: &str,
) -> Result<Option<GameTable>, Failure> {
    on_first(|| {
        Ok(if args.play.resume && GameTable::is_begun(&args.output) {
            GameTable::resume(&args.output, &identity)?
        } else {
            let seed = args.play.seed.to_string();
            GameTable::create(&args.output, identity, notation, &seed)?
        })
    })
}

fn left_out(left: &Left) -> String {
    let named = left.named().into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = named
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    words.join(", ")
}

impl SelfPlayArgs {
    /// Returns which positions of the games are kept.
    fn sampling(&self) -> Sampling {
        Sampling {
            positions: self.positions,
            first_ply: self.first_ply,
            checks: self.with_checks,
            tactical: self.with_captures,
            noisy: self.with_noise,
        }
    }
}

fn lost(error: &RecordError) -> Failure {
    format!(
        "{error}; the games up to the last whole block are safe: once it can be written again, \
         the same command continues (a `selfplay` with --resume)"
    )
    .into()
}
