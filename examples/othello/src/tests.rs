use super::*;

fn perft(board: Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.moves();
    if moves.is_empty() {
        return 1;
    }
    let after = moves.into_iter().map(|m| {
        let mut next = board;
        next.play(m);
        perft(next, depth - 1)
    });
    after.sum()
}

/// Counts that Othello programs agree on.
#[test]
fn the_rules_are_those_of_others() {
    let counts = [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216];
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(perft(Board::START, depth), count, "{depth}");
    }
}

#[test]
fn positions_are_read_as_they_are_written() {
    let mut board = Board::START;
    let mut seen = 0;
    while let Some(&m) = board.moves().get(seen % board.moves().len().max(1)) {
        assert_eq!(Othello.parse(&Othello.describe(&board)), Ok(board));
        let text = Othello.write_move(&board, m);
        assert_eq!(Othello.read_move(&board, &text), Some(m));
        board.play(m);
        seen += 1;
    }
    assert!(seen > 50 && Othello.ending(&board, &[]).is_some());
    for text in [
        "",
        "X",
        "----- X",
        &format!("{}? X", "-".repeat(63)),
        &"-".repeat(64),
    ] {
        assert!(Othello.parse(text).is_err(), "{text}");
    }
}

#[test]
fn the_ten_squares_are_an_eighth_of_the_board() {
    let mut count = [0; 10];
    for square in 0..64 {
        count[class(square)] += 1;
        assert_eq!(class(square), class(63 - square));
    }
    assert_eq!(count, [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]);
    assert_eq!((class(0), class(9), class(27)), (0, 4, 9));
}
