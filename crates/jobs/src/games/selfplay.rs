//! Self-play: the engine against itself.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::{Arena, GamesConfig, GamesProgress, identity};
use crate::labels::HOPELESS;
use crate::positions::same_program;
use crate::{Failure, Job, NamedSet, Project, Result, Shard};
use tuner_base::joined;
use tuner_play::{
    GameEnd, Left, Limit, MatchTexts, Sampling, SelfPlaySettings, SettingsText as _, Spent,
    Thinking,
};
use tuner_tournament::{GameTable, RecordError};

/// Games of an engine against itself, and the positions that are kept of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayConfig {
    /// The table to write, compressed where its name ends in .zst.
    pub output: PathBuf,
    /// The weights to play with: `spec`, `source`, or a file.
    pub weights: String,
    /// Games in all, those of an interrupted run included.
    pub count: u64,
    /// The part of all games that is played here.
    pub shard: Shard,
    /// How they are played.
    pub games: GamesConfig,
    /// The limit of an extra search that scores each kept position; `None`: the score is that of
    /// the search that played.
    pub score: Option<Limit>,
    /// Which positions are kept.
    pub sampling: Sampling,
}

/// The result of self-play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelfPlaySummary {
    /// Games in the table.
    pub games: u64,
    /// Positions in the table.
    pub positions: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Games left out, as the engine failed in them.
    pub faults: u64,
    /// Positions left out, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Seconds of this run.
    pub seconds: f64,
    /// Games a second of this run.
    pub games_a_second: f64,
    /// Half-moves of this run.
    pub plies: u64,
    /// Nodes of this run.
    pub nodes: u64,
    /// Part of the time spent in the search; `None` where it is unknown.
    pub search_share: Option<f64>,
    /// The table.
    pub file: String,
    /// The size of the table's file, in bytes.
    pub bytes: u64,
}

/// Plays games of an engine against itself and writes a table of games and positions. The first
/// rank returns the summary, the others play games for it and return `None`.
///
/// # Errors
/// If the engine does not play, the table cannot be written, the job was interrupted before all
/// games were played, or the engine failed in many games in a row.
pub fn selfplay(
    job: &Job,
    project: &Project,
    config: &SelfPlayConfig,
) -> Result<Option<SelfPlaySummary>> {
    let linked = project.linked()?;
    same_program(job, project, &linked, &[])?;
    let weights = NamedSet::read(job, &config.weights, &linked)?;
    let arena = Arena::of(project, &linked)?;
    let evaluation = project.evaluation()?;
    let (game, judged) = (evaluation.game(), arena.is_seeing()?);
    let played = (config.games).settings(game, judged, config.count, MatchTexts::default())?;
    let [Thinking::Move(limit), _] = played.thinking else {
        misuse!("self-play has no clocks");
    };
    let settings = SelfPlaySettings {
        seed: played.seed,
        limit,
        openings: played.openings,
        adjudication: played.adjudication,
        sampling: config.sampling,
        score: config.score,
    };
    let identity = identity_of(project, config, &arena, &weights, &settings)?;
    let openings = &config.games.openings;
    // A table that is there, and is not to be resumed, is refused before the engine is built.
    job.on_first(|| match &config.output {
        output if !config.games.resume && GameTable::is_begun(output) => {
            Err(RecordError::Exists(output.clone()).into())
        }
        _ => Ok(()),
    })?;
    let games = arena.games(job, &settings, &weights, &linked)?;
    let games = games.map_err(|words| openings.refused(&words))?;
    openings.say(job, games.openings);
    // A book is played once: at a limit of nodes or depth a game depends on its opening alone, and
    // more games would be the same again.
    let wanted = (games.openings).map_or(config.count, |count| config.count.min(count));
    let part = config.shard.range(wanted, GameTable::BLOCK);
    job.agree(&[("settings", identity.to_string())])?;
    let notation = game.name();
    let opened = job.on_first(|| opened(config, identity, notation, part.start))?;
    let Some(mut table) = opened else {
        return games.join(job).map(|()| None);
    };
    let begun = table.games();
    if begun > 0 {
        job.say(format_args!(
            "{}: resumed after {begun} games",
            config.output.display()
        ));
    }
    job.observer.listen()?;
    let progress = GamesProgress::new(job, part.end - part.start, begun);
    let started = Instant::now();
    let (mut plies, mut nodes, mut spent) = (0, 0, Spent::default());
    // If the table has more games than are asked for now, no further one is played.
    let begin = part.start + begun;
    // Faults in a row, game after game.
    let mut row = 0;
    let played = games.play(job, begin..part.end.max(begin), |_, record| {
        if let GameEnd::Fault { fault, .. } = &record.end {
            // The interrupt may have reached the engine and caused the fault, so the game is not
            // counted, but played again where the run resumes.
            if job.is_interrupted() {
                return Ok(ControlFlow::Break(()));
            }
            row += 1;
            if row == HOPELESS {
                fail!("{fault}; so did {HOPELESS} games one after the other, the engine is out of order");
            }
            job.say(format_args!("{fault}: this game is left out"));
        } else {
            row = 0;
        }
        plies += record.plies as u64;
        nodes += record.nodes;
        spent.add(record.spent);
        table.add(&record).map_err(|error| lost(&error))?;
        progress.games(table.games(), String::new);
        Ok(ControlFlow::Continue(()))
    });
    // The table is completed and the user told of it before a failure of the games is returned: the
    // games that were played stay.
    let (seconds, games) = (started.elapsed().as_secs_f64(), table.games());
    let [wins, draws, losses] = table.results();
    let (positions, left) = (table.positions(), *table.left());
    table.finish().map_err(|error| lost(&error))?;
    let summary = SelfPlaySummary {
        games,
        positions,
        wins,
        draws,
        losses,
        // Only games in which the engine failed have no result.
        faults: games - wins - draws - losses,
        left_out: left.counts().into_iter().collect(),
        seconds,
        games_a_second: (games - begun) as f64 / seconds,
        plies,
        nodes,
        search_share: spent.share(),
        file: config.output.display().to_string(),
        bytes: std::fs::metadata(&config.output).map_or(0, |file| file.len()),
    };
    say_played(job, &summary, &left, wanted, config.count);
    played?;
    let asked = part.end - part.start;
    if job.is_interrupted() && games < asked {
        return Err(Failure::Interrupted(format!(
            "after {games} of {asked} games, which are written; the same command with --resume continues"
        )));
    }
    Ok(Some(summary))
}

/// Returns what decides on the games, and must be the same where a table is resumed: engine,
/// weights, the part that is played, and all settings; where builds of the engine play, their
/// options too.
fn identity_of(
    project: &Project,
    config: &SelfPlayConfig,
    arena: &Arena<'_>,
    weights: &NamedSet,
    settings: &SelfPlaySettings,
) -> Result<Value> {
    let who = [
        ("engine", project.evaluation()?.name().into()),
        ("weights", weights.fingerprint().into()),
    ];
    let shard = config.shard.identity(config.count);
    let shard = shard.map(|shard| ("shard", shard.into()));
    let own = project.file.engine.as_ref().map(|engine| &engine.options);
    let own = own.filter(|options| !arena.is_evaluator() && !options.is_empty());
    let own = own.map(serde_json::to_value).transpose()?;
    Ok(identity(
        (who.into_iter().chain(shard)).chain(own.map(|options| ("options", options))),
        &settings.line(),
        &settings.openings,
    ))
}

/// Tells the user what self-play came to. `wanted`: games that are played in all; if they are fewer
/// than `all` that were asked for, the book has no more openings, and that is said first.
fn say_played(job: &Job, played: &SelfPlaySummary, left: &Left, wanted: u64, all: u64) {
    if wanted < all {
        job.say(format_args!("the book has {wanted} openings, so {wanted} games are all: more would be the same again"));
    }
    let SelfPlaySummary {
        games,
        positions,
        wins,
        draws,
        losses,
        faults,
        ..
    } = played;
    job.say(format_args!(
        "{games} games, of which the first player won {wins}, drew {draws} and lost {losses}: \
         {positions} positions"
    ));
    let named = left.named().into_iter().filter(|(_, count)| *count > 0);
    let named = named.map(|(name, count)| format!("{count} {name}"));
    job.say(format_args!("  left out: {}", joined(named, ", ")));
    if *faults > 0 {
        job.say(format_args!(
            "  the engine failed in {faults} games, which are left out"
        ));
    }
    let nodes = played.nodes as f64 / played.seconds;
    let share = played.search_share.map(|share| 100.0 * share);
    let share = share.map(|share| format!("{share:.2} % of the time in the search, "));
    let share = share.unwrap_or_default();
    job.say(format_args!(
        "  {:.1} s, {:.2} games a second, {share}{nodes:.0} nodes a second",
        played.seconds, played.games_a_second
    ));
}

/// Opens the table to write: a new one, or the one that is resumed. `notation`: the name of its
/// column of positions; `first`: the number of the first game that is played here.
fn opened(
    config: &SelfPlayConfig,
    identity: Value,
    notation: &str,
    first: u64,
) -> Result<GameTable> {
    let output = &config.output;
    Ok(if config.games.resume && GameTable::is_begun(output) {
        GameTable::resume(output, &identity)?
    } else {
        let seed = config.games.seed.to_string();
        GameTable::create(output, identity, notation, &seed, first)?
    })
}

/// Returns the failure of a run whose table cannot be written any further, with how to continue.
fn lost(error: &RecordError) -> Failure {
    format!(
        "{error}; the games up to the last whole block are safe: once it can be written again, \
         the same command continues (a `selfplay` with --resume)"
    )
    .into()
}
