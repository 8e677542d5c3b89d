#![allow(clippy::unwrap_used)] // the positions below are written here

use super::transposition::Bound;
use super::*;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, fen::Fen};

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        .unwrap()
}

fn search(fen: &str, depth: u32) -> SearchResult {
    Searcher::new(1).search(&position(fen), &[], Limits::depth(depth))
}

fn best(result: &SearchResult) -> String {
    UciMove::from_standard(result.best_move.unwrap()).to_string()
}

#[test]
fn mates_are_found_and_counted() {
    let back_rank = search("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 3);
    assert_eq!(
        (best(&back_rank).as_str(), back_rank.score),
        ("d1d8", MATE - 1)
    );
    let two_rooks = search("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 5);
    assert_eq!(two_rooks.score, MATE - 3);
    let smothered = search("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 7);
    assert_eq!(
        (best(&smothered).as_str(), smothered.score),
        ("f6a6", MATE - 5)
    );
    let mated = search("7k/R7/8/8/8/8/8/1R5K b - - 0 1", 4);
    assert_eq!(mated.score, 2 - MATE);
}

#[test]
fn finished_games_have_no_move() {
    let stalemate = search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3);
    assert_eq!((stalemate.best_move, stalemate.score), (None, 0));
    let mate = search("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 3);
    assert_eq!((mate.best_move, mate.score), (None, -MATE));
}

#[test]
fn stalemate_is_a_draw_for_who_gives_it() {
    // The pawn is lost, or protected with stalemate.
    let pawn = search("8/8/8/8/8/4k3/5p2/5K2 b - - 0 1", 4);
    assert_eq!(pawn.score, 0);
    // Qf7 is stalemate, Qf8 mate.
    let queen = search("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 2);
    assert_eq!((best(&queen).as_str(), queen.score), ("f1f8", MATE - 1));
}

#[test]
fn a_perpetual_check_is_a_draw() {
    // Black is a rook up and mates next; White checks on e8 and h5 for ever.
    let result = search("6k1/6p1/8/7Q/8/1q6/1r6/7K w - - 0 1", 8);
    assert_eq!(result.score, 0);
}

#[test]
fn a_repetition_in_the_game_counts() {
    let mut pos = position("7k/8/8/8/8/8/r7/4K1R1 w - - 20 60");
    let play = |pos: &Chess, text: &str| text.parse::<UciMove>().unwrap().to_move(pos).unwrap();
    let mut searcher = Searcher::new(1);
    for text in ["g1f1", "h8h7", "f1g1"] {
        searcher.path.push(Node::root(&pos).key);
        pos.play_unchecked(play(&pos, text));
    }
    let root = Node::root(&pos);
    searcher.path.push(root.key);
    let back = root.child(play(&pos, "h7h8"));
    assert_eq!(searcher.negamax(&back, 3, Window::FULL), 0);
    let elsewhere = root.child(play(&pos, "h7h6"));
    assert!(searcher.negamax(&elsewhere, 3, Window::FULL) != 0);
}

#[test]
fn fifty_moves_are_a_draw_unless_they_mate() {
    let nearly = "7k/8/8/8/8/2R5/8/1Q5K w - - 98 120";
    assert!(search(nearly, 4).score.abs() < MATE_BOUND);
    let in_time = search("6k1/5ppp/8/8/8/8/8/K2R4 w - - 99 120", 3);
    assert_eq!(in_time.score, MATE - 1);
}

#[test]
fn fixed_nodes_are_exact_and_repeatable() {
    let pos = position("r2q1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10");
    let run = || Searcher::new(1).search(&pos, &[], Limits::nodes(3_000));
    let (first, second) = (run(), run());
    assert_eq!(first.nodes, 3_000);
    assert_eq!(first.best_move, second.best_move);
    assert_eq!((first.score, &first.pv), (second.score, &second.pv));
}

#[test]
fn a_colliding_table_entry_cannot_smuggle_in_a_move() {
    let pos = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let foreign = Chess::default().legal_moves()[0];
    let illegal: Vec<Move> = Chess::default()
        .legal_moves()
        .into_iter()
        .filter(|m| !pos.is_legal(*m))
        .collect();
    assert!(illegal.contains(&foreign));
    for m in illegal {
        let mut searcher = Searcher::new(1);
        let key = Node::root(&pos).key;
        searcher.table.put(key, Some(m), 500, 50, Bound::Exact);
        let result = searcher.search(&pos, &[], Limits::depth(4));
        assert!(pos.is_legal(result.best_move.unwrap()));
        let mut along = pos.clone();
        for m in result.pv {
            assert!(along.is_legal(m));
            along.play_unchecked(m);
        }
    }
}

#[test]
fn quiescence_takes_what_hangs_and_leaves_what_is_defended() {
    let mut searcher = Searcher::new(1);
    let hanging = position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    assert!(searcher.quiescence_score(&hanging) > crate::eval::evaluate(&hanging) + 500);
    let defended = position("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1");
    assert_eq!(
        searcher.quiescence_score(&defended),
        crate::eval::evaluate(&defended)
    );
}

#[test]
fn the_leaf_of_quiescence_has_the_score_that_it_returns() {
    use crate::eval::evaluate;
    let mut searcher = Searcher::new(0);
    let (mut moved, mut unexplained) = (0, 0);
    for root in positions_of_games() {
        let score = searcher.quiescence_score(&root);
        let (same, leaf) = searcher.quiescence_leaf(&root);
        assert_eq!(score, same);
        let Some(leaf) = leaf else {
            unexplained += 1;
            continue;
        };
        let sign = if leaf.turn() == root.turn() { 1 } else { -1 };
        assert_eq!(sign * evaluate(&leaf), score);
        assert!(!leaf.is_check());
        moved += u32::from(leaf != root);
    }
    assert!(moved > 300 && unexplained < 20, "{moved} {unexplained}");
}

/// Positions of games by chance, noisy ones among them.
fn positions_of_games() -> Vec<Chess> {
    let mut positions = Vec::new();
    // Chosen by a generator that everybody knows: Knuth's, of 64 bits.
    let mut state = 1_u64;
    for _ in 0..40 {
        let mut pos = Chess::default();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            pos.play_unchecked(moves[(state >> 33) as usize % moves.len()]);
            positions.push(pos.clone());
        }
    }
    positions
}

#[test]
fn another_evaluation_is_asked_instead() {
    let pos = position("r2q1rk1/pb1nbppp/1p2pn2/2pp4/2PP4/1PN1PN2/PB2BPPP/R2Q1RK1 w - - 0 10");
    let search = |result: SearchResult| (result.best_move, result.score, result.pv);
    let limits = || Limits::nodes(3_000);
    let same = Searcher::with(1, At(crate::eval::evaluate)).search(&pos, &[], limits());
    let production = Searcher::new(1).search(&pos, &[], limits());
    assert_eq!(search(same), search(production));
    let nothing = Searcher::with(1, At(|_: &Chess| 7)).search(&pos, &[], limits());
    assert_eq!(nothing.score.abs(), 7);
}

#[test]
fn a_stop_from_outside_ends_the_search() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    let limits = Limits {
        stop: Some(Arc::new(AtomicBool::new(true))),
        ..Limits::default()
    };
    let result = Searcher::new(1).search(&Chess::default(), &[], limits);
    assert!(result.best_move.is_some());
    assert!(result.nodes < 10);
}
