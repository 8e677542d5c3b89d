#![allow(clippy::unwrap_used)] // the positions below are written here

use super::transposition::Bound;
use super::*;

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn search(sfen: &str, depth: u32) -> SearchResult {
    Searcher::new(1).search(&position(sfen), &[], Limits::depth(depth))
}

fn best(result: &SearchResult) -> String {
    result.best_move.unwrap().to_string()
}

const MIDDLE: &str =
    "l4gknl/4r1s2/3p1pgpp/p1p1p1p2/1n1P1P3/P1P1P1P1P/1P1S1SN2/2G1G2R1/LK5NL w BPbsp 54";

#[test]
fn mates_are_found_and_counted() {
    let gold_on_the_head = search("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 3);
    assert_eq!(
        (best(&gold_on_the_head).as_str(), gold_on_the_head.score),
        ("G*5b", MATE - 1)
    );
    // A gold on the head, and another one wherever the king goes.
    let three_plies = search("9/4k4/9/4P4/9/9/9/9/4K4 b 2G 1", 5);
    assert_eq!(
        (best(&three_plies).as_str(), three_plies.score),
        ("G*5c", MATE - 3)
    );
    let lost = search("9/4k4/4G4/4P4/9/9/9/9/4K4 w G 1", 4);
    assert_eq!(lost.score, 2 - MATE);
    let mated = search("8k/7G1/7SP/9/9/9/9/9/4K4 w - 1", 4);
    assert_eq!((mated.best_move, mated.score), (None, -MATE));
}

#[test]
fn who_cannot_move_has_lost() {
    let stuck = search("8k/9/8G/9/9/9/9/7R1/4K4 w - 1", 3);
    assert_eq!((stuck.best_move, stuck.score), (None, -MATE));
    // Moving the rook to that file wins at once, without check.
    let sticks = search("8k/9/8G/9/9/9/9/9/4K2R1 b - 1", 2);
    assert_eq!(sticks.score, MATE - 1);
}

#[test]
fn a_pawn_that_is_dropped_may_not_mate() {
    // P*1b would be mate; another move is found.
    let result = search("8k/9/7G1/8S/9/9/9/9/4K4 b P 1", 3);
    assert_ne!(best(&result), "P*1b");
}

#[test]
fn declaring_wins_and_is_played_for() {
    let now = search("1RRBB4/KGGSSLL2/9/9/9/9/9/9/8k b 2P 1", 3);
    assert_eq!((now.best_move, now.score), (None, MATE - 1));
    assert!(now.declares);
    // The king enters with its last step, and declares after any reply.
    let soon = "1RRBB4/2GGSSLL1/9/K8/9/9/9/9/8k b 2P 1";
    assert_eq!(score_of(soon, "", "9d9c"), MATE - 3);
    assert!(score_of(soon, "", "9d9e") < MATE_BOUND);
}

/// Plays moves and returns where they lead, with what came before.
fn after(start: &str, moves: &str) -> (Position, Vec<Visit>) {
    let (mut pos, mut history) = (position(start), Vec::new());
    for text in moves.split_whitespace() {
        history.push(Visit::of(&pos));
        pos.play(pos.read_usi(text).unwrap());
    }
    (pos, history)
}

/// The score of a move that is searched as the last one of a game.
fn score_of(start: &str, moves: &str, last: &str) -> i32 {
    let (pos, mut history) = after(start, moves);
    history.push(Visit::of(&pos));
    let mut searcher = Searcher::new(1);
    searcher.start(&history, Limits::default());
    searcher.iteration = 3;
    let child = Node::root(&pos).child(pos.read_usi(last).unwrap());
    -searcher.negamax(&child, 3, Window::FULL)
}

#[test]
fn a_repetition_in_the_game_counts() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    assert_eq!(score_of(start, "2h3h 8b7b 3h2h", "7b8b"), 0);
    assert_ne!(score_of(start, "2h3h 8b7b 3h2h", "7b6b"), 0);
}

#[test]
fn perpetual_check_is_no_way_out() {
    let start = "4k4/9/9/9/9/9/9/9/4K3R b - 1";
    let round = "1i1a 5a5b 1a1b 5b5a";
    // Checking on loses, and going back before the check wins.
    assert_eq!(score_of(start, round, "1b1a"), -FORBIDDEN);
    assert_eq!(score_of(start, &format!("{round} 1b1a"), "5a5b"), FORBIDDEN);
    // After a move on the way that is no check it is a draw.
    let calm = "1i1a 5a5b 1a1b 5b5a 1b2b 5a4a 2b1b 4a5a";
    assert_eq!(score_of(start, calm, "1b1a"), 0);
}

#[test]
fn fixed_nodes_are_exact_and_repeatable() {
    let pos = position(MIDDLE);
    let run = || Searcher::new(1).search(&pos, &[], Limits::nodes(3_000));
    let (first, second) = (run(), run());
    assert_eq!(first.nodes, 3_000);
    assert_eq!(first.best_move, second.best_move);
    assert_eq!((first.score, &first.pv), (second.score, &second.pv));
}

#[test]
fn a_colliding_table_entry_cannot_smuggle_in_a_move() {
    let pos = position("4k4/9/9/9/9/9/4P4/9/4K4 b - 1");
    let start = Position::start();
    let foreign = start.legal_moves();
    let illegal: Vec<Move> = foreign
        .iter()
        .copied()
        .filter(|m| !pos.is_legal(*m))
        .collect();
    assert!(illegal.len() > 20);
    for m in illegal {
        let mut searcher = Searcher::new(1);
        searcher
            .table
            .put(pos.key(), Some(m), 500, 50, Bound::Exact);
        let result = searcher.search(&pos, &[], Limits::depth(4));
        assert!(pos.is_legal(result.best_move.unwrap()));
        let mut along = pos;
        for m in result.pv {
            assert!(along.is_legal(m));
            along.play(m);
        }
    }
}

#[test]
fn quiescence_takes_what_hangs_and_leaves_what_is_defended() {
    let mut searcher = Searcher::new(1);
    let hanging = position("4k4/9/9/4s4/4P4/9/9/9/4K4 b - 1");
    assert!(searcher.quiescence_score(&hanging) > crate::eval::evaluate(&hanging) + 500);
    let defended = position("4k4/4g4/4p4/9/9/4R4/9/9/4K4 b - 1");
    assert_eq!(
        searcher.quiescence_score(&defended),
        crate::eval::evaluate(&defended)
    );
}

#[test]
fn quiescence_ends_where_evasions_could_go_on() {
    let mut searcher = Searcher::new(1);
    for pos in positions_of_games() {
        searcher.quiescence_score(&pos);
        assert!(searcher.nodes < 100_000, "{pos}: {} nodes", searcher.nodes);
    }
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
    assert!(moved > 300 && unexplained < 40, "{moved} {unexplained}");
}

/// Positions of games by chance, noisy ones among them.
fn positions_of_games() -> Vec<Position> {
    let mut positions = Vec::new();
    // Chosen by a generator that everybody knows: Knuth's, of 64 bits.
    let mut state = 1_u64;
    for _ in 0..40 {
        let mut pos = Position::start();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            pos.play(moves[(state >> 33) as usize % moves.len()]);
            positions.push(pos);
        }
    }
    positions
}

#[test]
fn another_evaluation_is_asked_instead() {
    let pos = position(MIDDLE);
    let search = |result: SearchResult| (result.best_move, result.score, result.pv);
    let limits = || Limits::nodes(3_000);
    let same = Searcher::with(1, At(crate::eval::evaluate)).search(&pos, &[], limits());
    let production = Searcher::new(1).search(&pos, &[], limits());
    assert_eq!(search(same), search(production));
    let start = Position::start();
    let nothing = Searcher::with(1, At(|_: &Position| 7)).search(&start, &[], limits());
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
    let result = Searcher::new(1).search(&Position::start(), &[], limits);
    assert!(result.best_move.is_some());
    assert!(result.nodes < 10);
}
