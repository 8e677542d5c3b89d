use super::nim::{Heap, Nim};
use crate::Book;

fn starts(text: &str, plies: usize) -> Vec<String> {
    let book = Book::parse(&Nim, text, plies).unwrap();
    let openings = (0..book.len() as u64).map(|number| {
        let game = book.opening(number).game(&Nim);
        let Heap { left, first } = *game.position();
        format!("{left}{first} {:?}", game.moves())
    });
    openings.collect()
}

#[test]
fn lines_are_positions_with_moves_or_operations() {
    let text = "\u{feff}# a book\n12 a\r\n\n7 b id \"x y\"; n 1;\nposition startpos moves 1 2\nposition fen 9 a moves 3\n";
    assert_eq!(
        starts(text, 0),
        ["12true []", "7false []", "37true [1, 2]", "6false [3]"]
    );
}

#[test]
fn games_give_their_first_moves() {
    let text = "[Event \"a ] b\"]\n[FEN \"20 a\"]\n\n1. t1 {a (comment} t2 (2. t3 (t1) t1) $4 2.t3 ; rest\nt2 *\n\
                [Event \"b\"]\n\n1.t1! 1... t2?! 2. t3 1-0\n[Event \"c\"]\n[FEN \"5 b\"]\n\n1... t2";
    assert_eq!(
        starts(text, 3),
        ["14false [1, 2, 3]", "34false [1, 2, 3]", "3true [2]"]
    );
    assert_eq!(starts(text, 0), ["20true []", "40true []", "5false []"]);
    // A quotation mark behind `\\` does not end a value, but the line does.
    let text = "[Event \"a \\\"]\\\\\"]\n[Site \"5\"\"]\n[FEN \"9 a\"]\n\n1. t1 *";
    assert_eq!(starts(text, 1), ["8false [1]"]);
}

#[test]
fn what_is_no_opening_is_named_with_its_line() {
    for (text, line, words) in [
        ("", 0, "no opening"),
        ("# nothing\n\n", 0, "no opening"),
        ("12 a\n12 c\n", 2, "12 c"),
        ("12 a rubbish\n", 1, "12 a rubbish"),
        ("12 a moves 1 4\n", 1, "\"4\""),
        ("[Event \"x\"]\n\n1. t1 t2\n2. t9 *\n", 4, "\"t9\""),
        ("[Event \"x\"]\n[FEN \"12 c\"]\n\n*\n", 2, "12 c"),
        (
            "[Event \"x\"]\n\n1. t1 {never\nends",
            3,
            "no end of a comment, expected `}`",
        ),
        (
            "[Event \"x\"]\n\n1. t1 (never\nends",
            3,
            "no end of a variation, expected `)`",
        ),
        ("[Event \"x", 1, "no end of a tag, expected `]`"),
    ] {
        let error = Book::parse(&Nim, text, 8).unwrap_err();
        let number = error.split(": ").next().and_then(|word| word.parse().ok());
        assert_eq!(number.unwrap_or(0), line, "{text:?}: {error}");
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn shuffling_is_the_seeds() {
    let lines: Vec<String> = (1..=50).map(|n| format!("{n} a")).collect();
    let text = lines.join("\n");
    let order = |seed| {
        let book = Book::parse(&Nim, &text, 0).unwrap().shuffled(seed);
        let left = |n| book.opening(n).start.left;
        (0..50).map(left).collect::<Vec<_>>()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let mut sorted = order(3);
    sorted.sort_unstable();
    assert_eq!(sorted, (1..=50).collect::<Vec<_>>());
}
