//! A fixed amount of searching, to compare builds: the nodes change when the
//! search or the evaluation does, the time when the code does.

use std::time::Instant;

use tuner_shogi::Position;

use crate::search::{Limits, Searcher};

/// The depth that `bench` searches.
pub const DEPTH: u32 = 5;

const POSITIONS: [&str; 9] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PPSPPPP1P/1BG4R1/LN2KGSNL b - 15",
    "ln1g1g1nl/1ks2r3/1pppp1bpp/p3spp2/9/P1P1SP1PP/1P1PP1P2/1BK1GR3/LNSG3NL b - 29",
    "l2g3nl/1ks1g1r2/1pnsppbpp/p1pp2p2/7P1/P1PPP1P2/1PSG1P2P/1KGB1S1R1/LN5NL w - 40",
    "ln1gk2nl/1rs3gb1/p1pppsp1p/5p1p1/1p7/2P2P1P1/PPSPP1P1P/1BG1GS1R1/LN2K2NL b - 21",
    "l4gknl/4r1s2/3p1pgpp/p1p1p1p2/1n1P1P3/P1P1P1P1P/1P1S1SN2/2G1G2R1/LK5NL w BPbsp 54",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "1+P1g4l/+P1nskgs2/2ppppn2/7+r1/2PPP1pgp/P2S1P1p1/2NBS1PlP/2K4G1/LR7 b BPnlp 105",
    "4s3+R/3s3gg/2+Np2N2/1p5rp/2k1G2N1/4PSPPP/1+l1P1K3/P2G4+p/9 b 2BSL3Pn2l5p 135",
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
