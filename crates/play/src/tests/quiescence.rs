use super::nim::{Heap, Nim};
use tuner_game::quiescence;

const MATE: i32 = 10_000;

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "what `quiescence` asks for"
)]
/// An evaluation that wants as much taken as can be.
fn evaluate(heap: &Heap) -> i32 {
    (heap.left * heap.left % 17) as i32 - 8
}

/// All lines of "captures", each side free to stand still: no pruning.
fn plain(heap: Heap, depth: u32) -> i32 {
    let moves = heap.left > 0;
    if !moves {
        // By the rules of the game, though nobody is in check.
        return depth as i32 - MATE;
    }
    let mut best = evaluate(&heap);
    if heap.left >= 3 && depth < 32 {
        let after = Heap {
            left: heap.left - 3,
            first: !heap.first,
        };
        best = best.max(-plain(after, depth + 1));
    }
    best
}

#[test]
fn the_leaf_has_the_score_that_the_search_returns() {
    let mut moved = 0;
    for left in 1..90 {
        let root = Heap { left, first: true };
        let found = quiescence(&Nim, &root, &evaluate, MATE);
        assert_eq!(found.score, plain(root, 0));
        if let Some(leaf) = found.leaf {
            let sign = if leaf.first { 1 } else { -1 };
            assert_eq!(sign * evaluate(&leaf), found.score);
            moved += u32::from(leaf != root);
        }
    }
    assert!(moved > 20);
}
