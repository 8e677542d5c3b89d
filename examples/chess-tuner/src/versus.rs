//! A match: two engines, pairs of games from random openings, both colours.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use chess_engine::search::Searcher;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Color, EnPassantMode, Position};
use tuner_core::outcome::Outcome;

use crate::elo::Tally;
use crate::game::Game;
use crate::opening;
use crate::opponent::Opponent;

/// Random plies at the start of a pair, and the largest score that quiescence
/// may find after them. Chosen; both engines get both sides anyway.
const OPENING_PLIES: usize = 8;
const OPENING_BOUND: i32 = 150;

/// Longer games are drawn.
const MAX_PLIES: usize = 500;

/// How a match is played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The two programs; results are counted for the first one.
    pub engines: [PathBuf; 2],
    /// Openings; each is played twice.
    pub pairs: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Of the openings.
    pub seed: u64,
    /// Games at a time. Engines that are deterministic give the same results
    /// with any number.
    pub threads: usize,
}

/// Plays a match to its end; `observe` sees the results after each pair.
///
/// # Errors
///
/// An engine does not start, crashes, is silent for a minute, or plays an
/// illegal move: the first of these ends the match.
pub fn play(settings: &Settings, observe: &(dyn Fn(&Tally) + Sync)) -> Result<Tally, String> {
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let work = || -> Result<(), String> {
        let [first, second] = &settings.engines;
        let mut engines = [Opponent::start(first)?, Opponent::start(second)?];
        loop {
            let pair = next.fetch_add(1, Ordering::Relaxed);
            if pair >= settings.pairs {
                return Ok(());
            }
            let result = play_pair(&mut engines, settings, pair)?;
            if let Ok(mut tally) = tally.lock() {
                tally.add(result);
                observe(&tally);
            }
        }
    };
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let stop_on_error =
            || work().inspect_err(|_| next.store(settings.pairs, Ordering::Relaxed));
        let workers: Vec<_> = (0..settings.threads.max(1))
            .map(|_| scope.spawn(stop_on_error))
            .collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker
                .join()
                .unwrap_or_else(|_| Err("a game could not be played".to_owned()))
        };
        workers.into_iter().map(join).collect()
    });
    results.into_iter().collect::<Result<(), String>>()?;
    tally.into_inner().map_err(|error| error.to_string())
}

/// Plays an opening with both colours: the first engine's half points.
fn play_pair(
    engines: &mut [Opponent; 2],
    settings: &Settings,
    pair: u64,
) -> Result<[u8; 2], String> {
    let mut rng = opening::generator(settings.seed, pair);
    let start = opening::random(
        &mut rng,
        OPENING_PLIES,
        OPENING_BOUND,
        &mut Searcher::new(0),
    );
    let mut half_points = [0; 2];
    for (slot, first_plays) in half_points.iter_mut().zip(Color::ALL) {
        let outcome = play_game(engines, first_plays, start.clone(), settings.nodes)?;
        *slot = match first_plays.fold_wb(outcome, outcome.flipped()) {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        };
    }
    Ok(half_points)
}

fn play_game(
    engines: &mut [Opponent; 2],
    first_plays: Color,
    mut game: Game,
    nodes: u64,
) -> Result<Outcome, String> {
    for engine in engines.iter_mut() {
        engine.new_game()?;
    }
    let start = Fen::from_position(game.pos(), EnPassantMode::Legal).to_string();
    let mut moves = Vec::new();
    while game.ply() < MAX_PLIES {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome);
        }
        let engine = usize::from(game.pos().turn() != first_plays);
        let m = engines[engine].choose(&start, &moves, &game, nodes)?;
        moves.push(UciMove::from_standard(m));
        game.play(m);
    }
    Ok(Outcome::Draw)
}
