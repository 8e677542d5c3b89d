use std::collections::BTreeMap;
use std::sync::Mutex;

use super::nim::{Heap, Nim};
use crate::*;
use tuner_game::rules::Game;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what a player asks for")]
/// An evaluation that knows nothing.
fn blank(_: &Heap) -> i32 {
    0
}

#[test]
fn a_game_that_can_be_searched_to_its_end_is_played_perfectly() {
    for left in 1..=24 {
        let mut player = AlphaBeta::new(&Nim, blank);
        let game = Game::new(&Nim, Heap { left, first: true });
        let found = player.choose(&game, Limit::Depth(30)).unwrap();
        // Who leaves a multiple of four wins.
        let wins = matches!(found.score, Some(Score::Mate(moves)) if moves > 0);
        let loses = matches!(found.score, Some(Score::Mate(moves)) if moves <= 0);
        assert_eq!((wins, loses), (left % 4 != 0, left % 4 == 0), "{found:?}");
        if left % 4 != 0 {
            assert_eq!(found.best, left % 4, "{found:?}");
        }
    }
}

#[test]
fn nodes_end_a_search_and_the_choice_depends_on_nothing_else() {
    let start = Game::new(
        &Nim,
        Heap {
            left: 400,
            first: true,
        },
    );
    let choose = |nodes| {
        let mut player = AlphaBeta::new(&Nim, blank);
        player.choose(&start, Limit::Nodes(nodes)).unwrap()
    };
    for nodes in [1, 10, 100, 1_000] {
        let found = choose(nodes);
        assert_eq!(found, choose(nodes));
        // A quiescence search that has begun is finished, and one move is searched.
        assert!(found.nodes <= nodes + 150, "{nodes}: {found:?}");
        assert!(nodes < 100 || found.nodes >= nodes, "{nodes}: {found:?}");
    }
}

#[test]
fn a_new_game_forgets_the_last() {
    let game = Game::new(
        &Nim,
        Heap {
            left: 61,
            first: true,
        },
    );
    let mut player = AlphaBeta::new(&Nim, |heap: &Heap| (heap.left * 7 % 13) as i32);
    let first = player.choose(&game, Limit::Nodes(500)).unwrap();
    player.choose(&game, Limit::Nodes(5_000)).unwrap();
    player.new_game().unwrap();
    assert_eq!(player.choose(&game, Limit::Nodes(500)).unwrap(), first);
}

#[test]
fn a_position_is_evaluated_once() {
    let asked = Mutex::new(BTreeMap::new());
    let evaluate = |heap: &Heap| {
        *asked
            .lock()
            .unwrap()
            .entry((heap.left, heap.first))
            .or_insert(0) += 1;
        (heap.left * 7 % 13) as i32
    };
    let mut player = AlphaBeta::new(&Nim, evaluate);
    for left in [61, 59, 58] {
        let game = Game::new(&Nim, Heap { left, first: true });
        let found = player.choose(&game, Limit::Nodes(2_000)).unwrap();
        assert!(found.nodes >= 2_000, "{found:?}");
        player.new_game().unwrap();
    }
    let asked = asked.lock().unwrap();
    assert!(asked.len() > 20, "{asked:?}");
    assert!(asked.values().all(|&times| times == 1), "{asked:?}");
}
