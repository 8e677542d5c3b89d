//! A fixed amount of searching, to compare builds: the nodes change when the
//! search or the evaluation does, the time when the code does.

use std::time::Instant;

use tuner_shogi::Position;

use crate::search::{Limits, Searcher};

/// The depth that `bench` searches.
pub const DEPTH: u32 = 8;

const POSITIONS: [&str; 9] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1BG4R1/LN2KGSNL b - 15",
    "ln1g1g1nl/1ks2r3/1pppp1bpp/p3spp2/9/P1P1SP1PP/1P1PP1P2/1BK1GR3/LNSG3NL b - 29",
    "l2g3nl/1ks1g1r2/1pnsppbpp/p1pp2p2/7P1/P1PPP1P2/1PSG1P2P/1KGB1S1R1/LN5NL w - 40",
    "ln1gk2nl/1rs3gb1/p1pppsp1p/5p1p1/1p7/2P2P1P1/PPSPP1P1P/1BG1GS1R1/LN2K2NL b - 21",
    "l4gknl/4r1s2/3p1pgpp/p1p1p1p2/1n1P1P3/P1P1P1P1P/1P1S1SN2/2G1G2R1/LK5NL w BPbsp 54",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4+R2nl/3g1ks2/p2p1ppp1/2p1p3p/9/P1P3P1P/1P+p1PPN2/2G1KS3/L1S4r1 b BGNLbgsnl2p 80",
    "1+R4+Pn1/1p2+Bg1k1/p2p1p1pp/2p3p2/9/2P1P1PP1/PP1P1P2P/2G2S1K1/LN1s1G1NL w rbg2sn2lp 90",
];

/// The positions of the benchmark: openings, middlegames, endgames.
pub fn positions() -> Vec<Position> {
    let read = |text: &&str| Position::from_sfen(text).ok();
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
        assert_eq!(nodes(3), nodes(3));
    }
}
