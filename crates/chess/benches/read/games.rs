//! Games of PGN: positions with results and scores, against pgn-reader replaying
//! every move.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use rayon::prelude::*;
use shakmaty::{CastlingMode, Chess, Position, fen};
use tuner_chess::Fen;
use tuner_data::{Input, OnBadLine, ReadError, ReadOptions, any_game, read_blocks};

/// Replays every move of every game.
struct Replay {
    moves: u64,
}

impl Visitor for Replay {
    type Tags = Option<Chess>;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, tags: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen = fen::Fen::from_ascii(value.as_bytes()).ok();
            *tags = fen.and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Option<Chess>) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(tags.unwrap_or_default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        match san.san.to_move(position) {
            Ok(m) => {
                position.play_unchecked(m);
                self.moves += 1;
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn end_game(&mut self, _: Chess) {}
}

/// Measures on one thread each, then on all.
pub(crate) fn speed(paths: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let texts: Vec<Vec<u8>> = paths.iter().map(fs::read).collect::<Result<_, _>>()?;
    for threads in [1, 0] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let threads = pool.current_num_threads();
        let [mut ours, mut bare] = [Duration::MAX; 2];
        let [mut positions, mut moves] = [0; 2];
        for _ in 0..super::RUNS {
            let start = Instant::now();
            moves = pool.install(|| texts.par_iter().map(|text| replayed(text)).sum());
            bare = bare.min(start.elapsed());
            let start = Instant::now();
            positions = pool.install(|| extracted(paths))?;
            ours = ours.min(start.elapsed());
        }
        println!(
            "{threads} threads: {moves} moves replayed in {:.2} s, {positions} positions read in {:.2} s",
            bare.as_secs_f64(),
            ours.as_secs_f64()
        );
        super::goal(
            "of the speed of pgn-reader replaying every move",
            0.8,
            (positions as f64 / ours.as_secs_f64()) / (moves as f64 / bare.as_secs_f64()),
        );
    }
    Ok(())
}

fn replayed(text: &[u8]) -> u64 {
    let mut replay = Replay { moves: 0 };
    let mut reader = Reader::new(text);
    while let Ok(Some(())) = reader.read_game(&mut replay) {}
    replay.moves
}

fn extracted(paths: &[PathBuf]) -> Result<u64, ReadError> {
    let inputs: Vec<Input> = paths.iter().cloned().map(Input::File).collect();
    let options = ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..ReadOptions::default()
    };
    let mut scored = 0_u64;
    let each = |scores: &mut u64, sample: tuner_data::Sample| {
        *scores += u64::from(sample.labelled.search_score.is_some());
        Ok(())
    };
    let report = read_blocks(
        &inputs,
        &options,
        any_game(Fen),
        || 0,
        each,
        |scores| {
            scored += scores;
            ControlFlow::Continue(())
        },
    )?;
    assert_eq!(
        scored,
        report.total().with_search_score,
        "every position is emitted"
    );
    Ok(report.total().positions)
}
