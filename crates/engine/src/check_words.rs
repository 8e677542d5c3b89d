//! The findings of a check of twin against production, in words.

use tuner_base::{WeightId, counted, joined};
use tuner_evaluation::{Agreement, Differences, Resolved};
use tuner_spec::Layout;

/// Most examples of each kind, and most names in a list.
const LISTED: usize = 10;

/// Returns the findings of a check, a line each: first what is to be said of resolved positions and
/// the counts, then each kind of mistake that was found, mostly with examples or its first
/// position, with what could not be compared, and last the part of scores that no weight explains.
pub fn check_words(found: &Agreement, differences: &Differences, layout: &Layout) -> Vec<String> {
    let mut words = resolved(&found.resolved);
    // An evaluator that only scores has no twin: its scores are compared with each other.
    words.push(if found.only_scores {
        format!(
            "check: {}, {} whose score differs once weights were moved and put back",
            counted(found.positions as usize, "position"),
            found.mismatches
        )
    } else {
        format!(
            "check: {}, {} mismatches, {} derivatives compared, {} wrong, {:.0} nodes a position",
            counted(found.positions as usize, "position"),
            found.mismatches,
            differences.compared,
            differences.wrong.len(),
            found.nodes as f64 / found.positions.max(1) as f64
        )
    });
    words.extend(wrong_view(found));
    mismatches(found, layout, &mut words);
    of_differences(differences, layout, &mut words);
    if let Some((position, residual, bound)) = &found.residuals.first {
        let count = found.residuals.count;
        // A residual within its bound is a mistake too: the bound allows any score.
        words.push(if residual <= bound {
            format!(
                "  {count} traces allow any score within {bound:.1e} or more, so that nothing tells \
                 whether they are right, first: {position}; correct their slack and rounding"
            )
        } else {
            format!(
                "  {count} traces miss the score by more than truncation explains, first by \
                 {residual:.3e} (bound {bound:.1e}): {position}"
            )
        });
    }
    if let Some(position) = &found.wrong_branches.first {
        words.push(format!(
            "  {} traces go another way at a branch than their own weights say, first: {position}; \
             correct their guards",
            found.wrong_branches.count
        ));
    }
    if let Some(position) = &found.wrapped.first {
        words.push(format!(
            "  an operation of the score's type overflowed on {} positions, first: {position}; \
             use a wider type, or pass over such positions with --on-bad-line skip",
            found.wrapped.count
        ));
    }
    constants(found, &mut words);
    words
}

/// Returns the notes of a check, a line each: scores that are not linear, numbers that join scores,
/// and weights that no position reads. An author should know of them; they need no correction.
pub fn check_notes(found: &Agreement, layout: &Layout) -> Vec<String> {
    let mut words = Vec::new();
    if found.nonlinear > 0 && !found.only_scores {
        words.push(format!(
            "  {} scores are not linear in the weights",
            found.nonlinear
        ));
    }
    // Numbers that only join scores which are not linear: how much they add to these is not known.
    let sites = &found.constants.sites;
    if found.constants.worst.is_none() && !sites.is_empty() {
        let what = if sites.keys().any(|place| is_literal(place)) {
            "literals or frozen consts join scores; of literals `check --consts` makes weights, in Rust"
        } else {
            "frozen consts join scores"
        };
        let places = some_names(sites.keys().map(ToString::to_string));
        words.push(format!("  {what}: {places}"));
    }
    let (moving, fixed) = never_read(found, layout);
    if !moving.is_empty() {
        words.push(format!(
            "  {} weights are never read in the data: {}",
            moving.len(),
            some_names(moving.iter().map(|&weight| layout.name(weight)))
        ));
    }
    if fixed > 0 {
        words.push(format!(
            "  {fixed} weights that are frozen, or tied to others, are never read either"
        ));
    }
    words
}

/// Adds lines on derivatives: one for each derivative that difference quotients contradict, and for
/// each score at random weights that the evaluation contradicts, at most ten (`LISTED`) of either;
/// then one on questions that the evaluator refuses, one on derivatives that could not be compared,
/// and one on weights by which no derivative could be compared on any position.
fn of_differences(found: &Differences, layout: &Layout, words: &mut Vec<String>) {
    let [wrong, changes] = [&found.wrong, &found.changes_wrong].map(|all| all.iter().take(LISTED));
    for wrong in wrong.chain(changes) {
        // A derivative by a weight, or a score at random weights.
        let (what, by) = match wrong.weight {
            Some(weight) => (
                format!("derivative of {}", layout.name(weight)),
                "differences",
            ),
            None => ("at random weights the score".to_owned(), "the evaluation"),
        };
        words.push(format!(
            "  {what} is {} by the trace, {} by {by} (± {:.1e}): {}",
            wrong.found.traced, wrong.found.evaluated, wrong.found.tolerance, wrong.position
        ));
    }
    if let Some((reason, position)) = &found.refusal {
        let what = match found.refused {
            0 => "at random weights".to_owned(),
            refused => {
                format!("once a weight is moved, so {refused} derivatives could not be compared")
            }
        };
        words.push(format!(
            "  the evaluator refuses `score` {what}; first on {position}: {reason}"
        ));
    }
    let (skipped, all) = (found.skipped, found.skipped + found.compared);
    if skipped > 0 {
        words.push(format!(
            "  {skipped} of {all} derivatives could not be compared: every step leads past a branch of the evaluation, or to an overflow"
        ));
    }
    let unknown = (found.read.iter()).filter(|(_, is_compared)| !**is_compared);
    let unknown = unknown.map(|(&weight, _)| layout.name(WeightId(weight)));
    let unknown: Vec<String> = unknown.collect();
    if !unknown.is_empty() {
        words.push(format!(
            "  none could be compared, on any position of the sample, of {}: a branch, a bound or the \
             rounding of a division is nearer than any step, or the score is held as it is, as an \
             index does",
            some_names(unknown.into_iter())
        ));
    }
}

/// Positions of each player from which on a view may be taken for wrong. Chosen.
const VIEWED: u64 = 1000;
/// A view is taken for wrong if scores and results correlate by less than minus this. Chosen: ten
/// times what chance makes of [`VIEWED`] positions.
const OPPOSED: f64 = 0.3;

/// Says that scores go against the results where one of the players, or either, is to move: that
/// they correlate with results by −0.3 (`OPPOSED`) or less. `None` if they do not, or if one of the
/// players is to move in fewer than 1,000 positions (`VIEWED`), as chance may do the same in few.
fn wrong_view(found: &Agreement) -> Option<String> {
    let [first, second] = found.views.map(|view| view.coefficient());
    let are_many = found.views.iter().all(|view| view.count >= VIEWED);
    if !are_many || first.min(second) > -OPPOSED {
        return None;
    }
    // Scores of one player that go with the results show that the other's are seen from the wrong
    // side; if both go against them, it is the sign of all scores or of the results.
    let cure = if first.max(second) > 0.0 {
        "correct `view` in the evaluator's answer to `tuner`, or the turn that it takes"
    } else {
        "correct the sign of the scores, or name the --perspective of the results, or give \
         FILE:results=reversed"
    };
    Some(format!(
        "  scores go against the results: they correlate by {first:+.2} where the first player is to \
         move, and by {second:+.2} where the second is; {cure}"
    ))
}

/// Weights that no position reads: those that a fit would move by themselves, and the number of the
/// others, which are frozen or tied.
fn never_read(found: &Agreement, layout: &Layout) -> (Vec<WeightId>, usize) {
    let all = found.never_read();
    let count = all.len();
    let tied: Vec<WeightId> = layout.ties().iter().map(|tie| tie.weight).collect();
    let moves = |weight: &WeightId| !layout.frozen(*weight) && !tied.contains(weight);
    let moving: Vec<WeightId> = all.into_iter().filter(moves).collect();
    let fixed = count - moving.len();
    (moving, fixed)
}

/// Adds a line for each example of a position on which the score of the twin and that of
/// production, or the two scores of an evaluator that only scores, differ, and one on the weight
/// that explains all, if there is one.
fn mismatches(found: &Agreement, layout: &Layout, words: &mut Vec<String>) {
    if found.only_scores {
        words.extend(found.examples.iter().map(|example| {
            format!(
                "  {} at first and {} then: {}; a score must depend on position and weights alone",
                example.twin, example.production, example.position
            )
        }));
        return;
    }
    for example in &found.examples {
        let terms = example.terms.iter().take(LISTED).map(|term| {
            let parameter = layout.parameter_of(term.weight);
            format!("{} {:+.1}", parameter.name(), term.share)
        });
        words.push(format!(
            "  production {} ≠ trace {}: {} (terms: {})",
            example.production,
            example.twin,
            example.position,
            joined(terms, ", ")
        ));
    }
    if let Some(culprit) = found.culprit(layout) {
        words.push(format!("  {}", culprit.sentence("production", "the twin")));
    }
}

/// Adds what is to be said of the part of scores that no weight explains:
///
/// - on how many positions the score depends on no weight at all;
/// - how much that part is; or, where it is known of no position, that plain numbers take part in
///   what is not linear in the weights. Where there are no such numbers either, that is all;
/// - where no place is known at which numbers join the score, what to do about it, if that part
///   comes from where no weight can be, as a cache (`Agreement::has_foreign_constants`);
/// - where places are known, what to do about it if it differs from position to position, and the
///   ten (`LISTED`) places of the largest sums.
fn constants(found: &Agreement, words: &mut Vec<String>) {
    let constants = &found.constants;
    if let Some(position) = &found.unexplained.first {
        words.push(format!(
            "  on {} the score depends on no weight at all, first: {position}",
            counted(found.unexplained.count as usize, "position")
        ));
    }
    if let Some((position, value)) = &constants.worst {
        words.push(format!(
            "  no weight explains a part of the score on {}, {:.1} on average, most on {position}: {value:+}",
            counted(constants.positions as usize, "position"),
            constants.total / constants.positions as f64
        ));
    } else if constants.suspicious.is_empty() {
        return;
    } else {
        words.push(
            "  plain numbers that are no literals take part in what is not linear in the weights, as \
             factors do: `traced!(frozen(NAME))` in its file freezes a const that is a count; of frozen \
             consts and of what is counted on the board, accept them with --allow-constants"
                .to_owned(),
        );
    }
    if constants.sites.is_empty() && !found.has_foreign_constants() {
        return;
    }
    if constants.sites.is_empty() {
        words.push(
            "    it joins the score where no plain number is seen to: a table that is no weight, or code \
             that is not traced; name the table as one of weights, or accept it as it is with \
             --allow-constants; of Rust, `check --rebuild` tells which weights it hides"
                .to_owned(),
        );
    } else if constants.vary() {
        // Where no number of any place is a literal, these numbers count something on the board,
        // and each thing counted is worth a number.
        let mut places = constants.sites.keys();
        let cure = if places.all(|place| constants.suspicious.contains(place)) {
            "multiply what is counted there by a const of its own, which is 1 so far, or trace the file of the \
             consts that are read there (in Rust `tuner new` once more, with `--trace FILE`)"
        } else if constants.sites.keys().any(|place| is_literal(place)) {
            "make weights of literals there, in Rust by the change that `check --consts` prints"
        } else {
            "freeze no const there that is a weight"
        };
        words.push(format!("    it differs from position to position: {cure}"));
    }
    let mut sites: Vec<_> = constants.sites.iter().collect();
    sites.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    for (place, (positions, total)) in sites.into_iter().take(LISTED) {
        let kind = if constants.suspicious.contains(place) {
            "a plain number"
        } else {
            "a literal or a frozen const"
        };
        words.push(format!(
            "    {place}: {kind} joins the score on {}, {:.1} on average{}",
            counted(*positions as usize, "position"),
            total / *positions as f64,
            cure(place)
        ));
    }
}

/// Tells whether a place, ``src/eval.rs:12: `15` ``, may be that of a literal: whether the
/// expression in backquotes is not the name of a const, in capitals.
fn is_literal(place: &str) -> bool {
    let expression = place.split('`').nth(1).unwrap_or_default();
    !is_in_capitals(expression.rsplit("::").next().unwrap_or(expression))
}

/// Tells whether a name is that of a const or static: letters, all of them capitals.
fn is_in_capitals(name: &str) -> bool {
    name.chars().any(char::is_alphabetic) && name == name.to_uppercase()
}

/// What to do about a number at a place, as the end of a sentence, if the expression there shows
/// where the number is kept: in a static behind a lock, an atomic or a `thread_local!`, as
/// `BONUS.lock(…)`; or in a field alone, as of a board with an incremental score, ``src/eval.rs:34:
/// `self.state.score as i32` ``. Else empty.
fn cure(place: &str) -> String {
    let expression = place.split('`').nth(1).unwrap_or_default();
    // A name in capitals is that of a static. A variable may have such a method too, which tells
    // nothing.
    let is_locked = |word: &str| {
        let mut ways = [".lock(", ".read(", ".load(", ".with(", ".with_borrow("].iter();
        ways.any(|way| {
            word.split_once(way)
                .is_some_and(|(name, _)| is_in_capitals(name))
        })
    };
    let mut words = expression.split(|c: char| !(c.is_alphanumeric() || "_.(".contains(c)));
    if words.any(is_locked) {
        return "; it is behind a lock, an atomic or a `thread_local!`, which hold no weights: make \
                it a plain const or static"
            .to_owned();
    }
    // `PATH[INDEX] as TYPE`, in which only the path must be there.
    let (names, index) = expression.split_at(expression.find('[').unwrap_or(expression.len()));
    let (index, rest) = index.split_at(index.find(']').map_or(0, |end| end + 1));
    let path = names.split(" as ").next().unwrap_or_default();
    let is_name = |part: &str| {
        let name = part.strip_suffix("()").unwrap_or(part);
        name.starts_with(|c: char| c.is_alphabetic())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    // At least one field; with a method call at the end the number is computed, not kept.
    let is_path = path.contains('.') && path.split('.').all(is_name) && !path.ends_with(')');
    if is_path && (rest.is_empty() || rest.starts_with(" as ")) {
        format!(
            "; it is kept in a field: write `tuner_core::traced_as!({path}{index} => OTHER)` there, where OTHER \
             computes it from the position"
        )
    } else {
        String::new()
    }
}

/// Returns the lines on resolved positions, those that are traced where a quiescence search from
/// them ends: how many these are, and how many end in mate or stalemate there; how often the search
/// returns another score than its last position is worth; and that the engine offers no such
/// search. Each only if there is something to say.
fn resolved(found: &Resolved) -> Vec<String> {
    let mut words = Vec::new();
    if found.moved + found.unexplained > 0 {
        words.push(format!(
            "{} positions are traced where their quiescence search ends; {} end in mate or \
             stalemate there, and are traced themselves",
            found.moved, found.unexplained
        ));
    }
    if let Some((position, score, standing)) = &found.wrong.first {
        words.push(format!(
            "{} times the quiescence search returns another score than its last position is \
             worth, first {score} instead of {standing} of {position}: its line is not that of \
             its score",
            found.wrong.count
        ));
    }
    if found.unoffered > 0 {
        words.push(
            "this engine offers no quiescence search: implement `Engine::quiescence`, or leave \
             --resolve out"
                .to_owned(),
        );
    }
    words
}

/// Joins the first ten names by commas, and says how many more there are.
pub fn some_names(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut words: Vec<String> = names.take(LISTED).collect();
    if more > 0 {
        words.push(format!("… and {more} more"));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_kept_elsewhere_is_told_from_others() {
        for (place, expected) in [
            (
                "src/eval.rs:34: `self.state.score as i32`",
                "kept in a field",
            ),
            ("src/eval.rs:1: `board.psq`", "kept in a field"),
            (
                "src/eval.rs:3: `board.state().score as i32`",
                "`tuner_core::traced_as!(board.state().score => OTHER)`",
            ),
            (
                "src/eval.rs:3: `board.men[side as usize] as i32`",
                "`tuner_core::traced_as!(board.men[side as usize] => OTHER)`",
            ),
            ("src/eval.rs:1: `board.men[0] + 2`", ""),
            ("src/eval.rs:1: `MEN[0]`", ""),
            ("src/eval.rs:1: `*BONUS.lock().unwrap()`", "a plain const"),
            (
                "src/eval.rs:1: `crate::BONUS.read().unwrap()[3]`",
                "a plain const",
            ),
            (
                "src/eval.rs:1: `A_1.load(Ordering::Relaxed) as i32`",
                "a plain const",
            ),
            (
                "src/eval.rs:1: `2 * BONUS.with(|b| b.get())`",
                "a plain const",
            ),
            ("src/eval.rs:1: `board.read()`", ""),
            ("src/eval.rs:1: `psq`", ""),
            ("src/eval.rs:1: `board.psq()`", ""),
            ("src/eval.rs:1: `0.5`", ""),
            ("", ""),
        ] {
            let words = cure(place);
            assert!(words.contains(expected), "{place}: {words}");
            assert_eq!(words.is_empty(), expected.is_empty(), "{place}: {words}");
        }
    }
}
