//! Comments about opening books.

/// A comment on the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BookMark {
    /// The move before it came from the book.
    Move,
    /// The book ends here.
    End,
}

/// Reads what a comment says of the book: cutechess and fastchess write `book`, others begin with
/// that, as in `book, mb=+0+0` of TCEC, or write `Book exit` where it ends. `None` of all other
/// comments.
pub(super) fn book_mark(comment: &[u8]) -> Option<BookMark> {
    const WORD: usize = "book".len();
    let text = comment.trim_ascii_start();
    // Most comments begin with a score and are left at once.
    let (word, rest) = text.split_at_checked(WORD)?;
    if !word.eq_ignore_ascii_case(b"book") {
        return None;
    }
    if rest.first().is_some_and(u8::is_ascii_whitespace) {
        let exit = rest.trim_ascii_start();
        let exit = &exit[..exit.len().min("exit".len())];
        if exit.eq_ignore_ascii_case(b"exit") {
            return Some(BookMark::End);
        }
    }
    let more = rest.first().is_some_and(u8::is_ascii_alphanumeric);
    (!more).then_some(BookMark::Move)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_are_named_by_the_first_word() {
        for (comment, expected) in [
            ("book", Some(BookMark::Move)),
            (" Book ", Some(BookMark::Move)),
            ("book, mb=+0+0+0+0+0,", Some(BookMark::Move)),
            ("Book exit", Some(BookMark::End)),
            ("book  exit: 8 plies", Some(BookMark::End)),
            ("bookish", None),
            ("book2", None),
            ("boo", None),
            ("", None),
            ("out of book", None),
            ("+0.30/12 0.5s", None),
        ] {
            assert_eq!(book_mark(comment.as_bytes()), expected, "{comment}");
        }
    }
}
