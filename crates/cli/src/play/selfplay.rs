//! `selfplay`: the engine against itself.

use std::ops::ControlFlow;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::interrupt::Interrupt;
use super::super::ranks::{agree, on_first, ranks};
use super::super::run::same_program;
use super::super::{Failure, output};
use super::arena::{Arena, OwnGames, OwnSeat};
use super::args::{SelfPlayArgs, adjudication, limit};
use super::scoreboard::Progress;
use super::weights::NamedSet;
use crate::project::Project;
use tuner_data::PositionNotation as _;
use tuner_play::{Limit, Sampling, SelfPlaySettings, Spent};
use tuner_tournament::{Batch, GameTable, RecordError, games_in_order};

/// Nodes a move unless told otherwise. Chosen: many fast games say more of an
/// evaluation than few slow ones.
const NODES: u64 = 800;

pub(crate) fn run(project: &Project, args: &SelfPlayArgs) -> Result<(), Failure> {
    let linked = project.linked()?;
    same_program(project, &linked, &[])?;
    let weights = NamedSet::read(&args.weights, &linked)?;
    let common = &args.common;
    let arena = Arena::of(project, &linked)?;
    let settings = settings(args, arena.is_evaluator())?;
    let games = arena.games(&settings, &weights, &linked)?;
    let games = games.map_err(|words| args.openings.refused(&words))?;
    if let OwnGames::Evaluator { games, .. } = &games {
        args.openings.say(games.openings());
    }
    let wanted = games.different(args.games);
    let evaluation = project.evaluation()?;
    let identity = identity(evaluation.name(), args, &settings, &weights)?;
    agree(&[("settings", identity.to_string())])?;
    let spent = Spent::default();
    let player = || games.seat();
    let one = |seat: &mut OwnSeat<'_, '_>, number| seat.game(number);
    let opened = on_first(|| {
        Ok(if common.resume && GameTable::is_begun(&args.output) {
            GameTable::resume(&args.output, &identity)?
        } else {
            let seed = common.seed.to_string();
            let notation = evaluation.game().name();
            GameTable::create(&args.output, identity, notation, &seed)?
        })
    })?;
    let batch = |numbers| Batch::new(numbers, common.threads()).among(ranks());
    let Some(mut table) = opened else {
        // Others play what the first one asks for.
        let go_on = |_| ControlFlow::Continue(());
        games_in_order(&batch(0..0), player, one, go_on)?;
        return Ok(());
    };
    let begun = table.games();
    if begun > 0 {
        say!("{}: resumed after {begun} games", args.output.display());
    }
    let interrupt = Interrupt::watch()?;
    let progress = Progress::new(!common.json, wanted, begun);
    let started = Instant::now();
    let mut failed: Option<RecordError> = None;
    let (mut plies, mut nodes) = (0, 0);
    let batch = batch(begun..wanted.max(begun));
    let played = games_in_order(&batch, player, one, |done| {
        if let Some((number, record)) = done {
            plies += record.plies as u64;
            nodes += record.nodes;
            spent.add(record.times);
            if let Err(error) = table.add(&record) {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            progress.games(number + 1, String::new);
        }
        interrupt.flow()
    });
    progress.done();
    let seconds = started.elapsed().as_secs_f64();
    if let Some(error) = failed {
        return Err(lost(&error));
    }
    let games = table.games();
    let mut summary = json!({
        "games": games,
        "positions": table.positions(),
        "wins": table.results()[0],
        "draws": table.results()[1],
        "losses": table.results()[2],
        "left_out": table.left_json(),
        "seconds": seconds,
        "games_a_second": (games - begun) as f64 / seconds,
        "plies": plies,
        "nodes": nodes,
        "search_share": spent.share(),
        "file": args.output.display().to_string(),
    });
    let words = words(&summary, &table);
    table.finish().map_err(|error| lost(&error))?;
    if wanted < args.games {
        say!(
            "the book has {wanted} openings, so {wanted} games are all: more would be the same again"
        );
    }
    for line in words {
        say!("{line}");
    }
    played?;
    summary["bytes"] = json!(std::fs::metadata(&args.output).map_or(0, |file| file.len()));
    if interrupt.asked() && games < wanted {
        return Err(Failure::Interrupted(format!(
            "after {games} of {wanted} games, which are written; the same command with --resume continues"
        )));
    }
    if common.json {
        output::line(&summary.to_string())?;
    }
    Ok(())
}

/// How games are played and what is kept of them.
fn settings(args: &SelfPlayArgs, judged: bool) -> Result<SelfPlaySettings, Failure> {
    let common = &args.common;
    Ok(SelfPlaySettings {
        seed: common.seed,
        limit: limit(args.nodes, args.depth, NODES),
        openings: args.openings.openings(common.seed, judged)?,
        adjudication: adjudication(args.win, args.draw, args.longest),
        sampling: Sampling {
            positions: args.positions,
            first_ply: args.first_ply,
            checks: args.with_checks,
            tactical: args.with_captures,
            noisy: args.with_noise,
        },
        score: args.score_nodes.map(Limit::Nodes),
    })
}

fn lost(error: &RecordError) -> Failure {
    format!(
        "{error}; the games up to the last whole block are safe: once it can be written again, \
         the same command continues (a `selfplay` with --resume)"
    )
    .into()
}

/// What a table that resumes must have in common.
fn identity(
    engine: &str,
    args: &SelfPlayArgs,
    settings: &SelfPlaySettings,
    weights: &NamedSet,
) -> Result<Value, Failure> {
    let thinking = match settings.limit {
        Limit::Nodes(nodes) => json!({ "nodes": nodes }),
        Limit::Depth(depth) => json!({ "depth": depth }),
        Limit::Time(time) => json!({ "seconds": time.as_secs_f64() }),
        Limit::Clock(_) => json!("clocks"),
    };
    let sampling = &settings.sampling;
    let mut identity = json!({
        "engine": engine,
        "weights": weights.identity(),
        "seed": settings.seed,
        "thinking": thinking,
        "openings": args.openings.identity()?,
        "win": settings.adjudication.win.map(|rule| (rule.score, rule.plies)),
        "draw": settings.adjudication.draw.map(|rule| (rule.score, rule.plies, rule.from)),
        "longest": settings.adjudication.longest,
        "positions": sampling.positions,
        "first_ply": sampling.first_ply,
        "with": [sampling.checks, sampling.tactical, sampling.noisy],
    });
    // Tables of before this option go on.
    if let Some(nodes) = args.score_nodes {
        identity["score_nodes"] = json!(nodes);
    }
    Ok(identity)
}

fn words(summary: &Value, table: &GameTable) -> Vec<String> {
    let [wins, draws, losses] = table.results();
    let games = format!(
        "{} games, of which the first player won {wins}, drew {draws} and lost {losses}: {} positions",
        table.games(),
        table.positions()
    );
    let left = table.left().named();
    let left: Vec<String> = left
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let left = format!("  left out: {}", left.join(", "));
    let share = summary["search_share"].as_f64().unwrap_or(0.0);
    let speed = format!(
        "  {:.1} s, {:.2} games a second, {:.2} % of the time in the search, {:.0} nodes a second",
        summary["seconds"].as_f64().unwrap_or(0.0),
        summary["games_a_second"].as_f64().unwrap_or(0.0),
        100.0 * share,
        summary["nodes"].as_f64().unwrap_or(0.0) / summary["seconds"].as_f64().unwrap_or(1.0)
    );
    vec![games, left, speed]
}
