//! Mistakes in sources: all of them at once, in few lines.

use std::fmt::Display;

/// How many mistakes of one cause are written out; more are told by the first places and their
/// number. Chosen: three show whether all are alike.
const SHOWN_OF_CAUSE: usize = 3;

/// Lines of mistakes that are written out; the rest is counted.
/// Chosen; nothing depends on it.
const SHOWN: usize = 20;

/// The cause that many mistakes can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The mistakes in words, as behind their number: `literals are others now`.
    pub(super) what: &'static str,
    /// The cure of all of them.
    pub(super) cure: &'static str,
}

/// One mistake in sources, or in what is to be written into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMistake {
    /// The sentence, with place and cure.
    pub sentence: String,
    /// The cause that it shares with others, and its part of their common sentence; `None` where it
    /// has no such cause.
    shared: Option<(Cause, String)>,
}

impl SourceMistake {
    /// Makes a mistake whose cause others may share: `place` says where it is, `what` what is wrong
    /// there. The cure is that of the cause.
    pub(super) fn of(cause: Cause, place: impl Display, what: impl Display) -> Self {
        Self::cured(cause, place, what, cause.cure)
    }

    /// Makes a mistake whose cause others may share: `place` says where it is, `what` what is wrong
    /// there, `cure` what to do, if it is told alone. Told with others, it has the cure of the
    /// cause.
    pub(super) fn cured(cause: Cause, place: impl Display, what: impl Display, cure: &str) -> Self {
        let sentence = format!("{place}: {what}; {cure}");
        let shared = Some((cause, format!("{place} ({what})")));
        Self { sentence, shared }
    }

    /// Returns the cause that the mistake may share with others; `None` if it has no such cause.
    fn cause(&self) -> Option<Cause> {
        self.shared.as_ref().map(|(cause, _)| *cause)
    }
}

impl<T: Into<String>> From<T> for SourceMistake {
    /// Makes a mistake of a sentence, with place and cure in it, which shares no cause with others.
    fn from(sentence: T) -> Self {
        let (sentence, shared) = (sentence.into(), None);
        Self { sentence, shared }
    }
}

/// Why sources were not imported or not patched; all reasons at once.
///
/// Printed, many of one cause are one line with their number, the first places and the
/// cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// All mistakes, in the order in which they were found.
    pub mistakes: Vec<SourceMistake>,
}

impl SourceError {
    /// Makes an error of a single mistake.
    pub(super) fn one(mistake: impl Into<SourceMistake>) -> Self {
        let mistakes = vec![mistake.into()];
        Self { mistakes }
    }

    /// Returns all mistakes as text, each in a line of its own; nothing is shortened.
    pub fn in_full(&self) -> String {
        let all = self.mistakes.iter().map(|mistake| &*mistake.sentence);
        all.collect::<Vec<_>>().join("\n  ")
    }

    /// Returns the lines of the message, each with the number of mistakes that it tells. More than
    /// [`SHOWN_OF_CAUSE`] (3) mistakes of one cause are one line, with the first three places; all
    /// others have a line each.
    fn lines(&self) -> Vec<(usize, String)> {
        // Mistakes of one cause, in the order of their first ones; one without a cause is alone.
        let mut groups: Vec<Vec<&SourceMistake>> = Vec::new();
        for mistake in &self.mistakes {
            let group = groups
                .iter_mut()
                .find(|group| mistake.shared.is_some() && group[0].cause() == mistake.cause());
            match group {
                Some(group) => group.push(mistake),
                None => groups.push(vec![mistake]),
            }
        }
        let mut lines = Vec::new();
        for group in groups {
            match group[0].cause() {
                Some(cause) if group.len() > SHOWN_OF_CAUSE => {
                    let first = group.iter().take(SHOWN_OF_CAUSE);
                    let shorts = first.filter_map(|m| Some(&*m.shared.as_ref()?.1));
                    let shorts: Vec<&str> = shorts.collect();
                    let (count, cure) = (group.len(), cause.cure);
                    let line = format!("{count} {}: {}, …; {cure}", cause.what, shorts.join(", "));
                    lines.push((count, line));
                }
                _ => lines.extend(group.iter().map(|m| (1, m.sentence.clone()))),
            }
        }
        lines
    }
}

tuner_base::impl_fmt! { Display for SourceError, |self, f| {
    let lines = self.lines();
    for (number, (_, line)) in lines.iter().take(SHOWN).enumerate() {
        let indent = if number > 0 { "\n  " } else { "" };
        write!(f, "{indent}{line}")?;
    }
    let rest: usize = lines.iter().skip(SHOWN).map(|(count, _)| count).sum();
    if rest > 0 {
        write!(f, "\n  … and {rest} more")?;
    }
    Ok(())
} }

impl std::error::Error for SourceError {}

/// Fails with all mistakes as one error, if there are any; else succeeds.
pub(super) fn settle(mistakes: Vec<impl Into<SourceMistake>>) -> Result<(), SourceError> {
    if mistakes.is_empty() {
        return Ok(());
    }
    let mistakes = mistakes.into_iter().map(Into::into).collect();
    Err(SourceError { mistakes })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUSE: Cause = Cause {
        what: "literals are others now",
        cure: "fit again",
    };

    fn error(count: usize) -> SourceError {
        let one = |n| SourceMistake::cured(CAUSE, format!("e.rs:{n}"), "full", "cure");
        let mut mistakes: Vec<SourceMistake> = (1..=count).map(one).collect();
        mistakes.insert(1, "another thing".into());
        SourceError { mistakes }
    }

    #[test]
    fn many_of_one_cause_are_one_line() {
        assert_eq!(
            error(400).to_string(),
            "400 literals are others now: e.rs:1 (full), e.rs:2 (full), e.rs:3 (full), …; fit \
             again\n  another thing"
        );
        assert_eq!(
            error(2).to_string(),
            "e.rs:1: full; cure\n  e.rs:2: full; cure\n  another thing"
        );
        assert_eq!(error(400).in_full().lines().count(), 401);
    }

    #[test]
    fn many_causes_are_counted() {
        let mistakes = (0..25).map(|n| format!("mistake {n}").into()).collect();
        let text = SourceError { mistakes }.to_string();
        assert_eq!(text.lines().count(), 21);
        assert!(text.ends_with("… and 5 more"), "{text}");
    }
}
