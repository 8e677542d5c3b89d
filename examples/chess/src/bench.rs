//! A fixed amount of searching, to compare builds: the nodes change when the
//! search or the evaluation does, the time when the code does.

use std::time::Instant;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::search::{Limits, Searcher};

/// The depth that `bench` searches.
pub const DEPTH: u32 = 12;

const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkb1r/pp2pppp/2np1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 2 6",
    "rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N2N2/PP2PPPP/R2QKB1R w KQ - 4 6",
    "r2q1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10",
    "r1b2rk1/2q1bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 0 12",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N1BN2/1P2QPPP/3R1RK1 b - - 3 14",
    "r4rk1/pp1bppbp/3p1np1/q7/2PNP3/2N1BP2/PP1Q2PP/2R2RK1 w - - 1 13",
    "8/5pk1/1p2p1p1/p2pP2p/P2P1P1P/1P1K2P1/8/8 w - - 0 35",
    "4r1k1/1p3pp1/p2r3p/3p4/3P4/P1R2N1P/1P3PP1/4R1K1 b - - 2 26",
    "8/2k2p2/1p4p1/p1pN3p/P1P1b2P/1P2K1P1/5P2/8 b - - 4 40",
    "3r2k1/5ppp/p1q5/1p6/3Q4/P3P1P1/1P3P1P/2R3K1 w - - 0 28",
    "8/8/1k3p2/1p1r2p1/1P4P1/R4P2/4K3/8 w - - 6 52",
];

/// The positions of the benchmark: openings, middlegames, endgames.
pub fn positions() -> Vec<Chess> {
    let read = |text: &&str| {
        let fen = text.parse::<Fen>().ok()?;
        fen.into_position(CastlingMode::Standard).ok()
    };
    POSITIONS.iter().filter_map(read).collect()
}

/// Searches every position to a depth, each as a new game, and counts nodes.
/// The count is the same on every machine.
pub fn nodes(depth: u32) -> u64 {
    let mut searcher = Searcher::new(16);
    let mut total = 0;
    for pos in positions() {
        searcher.new_game();
        total += searcher.search(&pos, &[], Limits::depth(depth)).nodes;
    }
    total
}

/// Runs the benchmark and says what it measured, in one line.
pub fn report(depth: u32) -> String {
    let started = Instant::now();
    let nodes = nodes(depth);
    let seconds = started.elapsed().as_secs_f64().max(1e-6);
    let speed = (nodes as f64 / seconds) as u64;
    format!("nodes {nodes} depth {depth} seconds {seconds:.2} nps {speed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_positions_are_legal() {
        assert_eq!(positions().len(), POSITIONS.len());
    }

    #[test]
    fn the_count_is_always_the_same() {
        assert_eq!(nodes(4), nodes(4));
    }
}
