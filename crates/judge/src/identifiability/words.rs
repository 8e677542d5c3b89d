//! Directions in words.

use super::tables::{NamedTerm, TermMembers};
use super::{Direction, Flatness, STEP};

/// Most names in a sentence about all positions and not only those at hand.
/// Chosen.
const SHORT: usize = 4;

/// Names listed on one side of a sentence, at most. Chosen.
const LISTED: usize = 8;

/// Puts directions in words, a sentence each. Two along which no score changes, and which differ by
/// the phase alone, are one sentence.
///
/// ```text
/// adding 10 to each PST[knight] and taking 10 from MATERIAL[knight] changes no score (mg and eg each on its own)
/// ```
pub(crate) fn sentences(directions: &[Direction]) -> Vec<String> {
    let mut said = vec![false; directions.len()];
    let mut sentences = Vec::new();
    for (number, direction) in directions.iter().enumerate() {
        if said[number] {
            continue;
        }
        let partner = (number + 1..directions.len())
            .find(|&other| !said[other] && says_the_same(direction, &directions[other]));
        let Some(partner) = partner else {
            sentences.push(direction.sentence());
            continue;
        };
        said[partner] = true;
        // Both have a phase, or they would not be partners.
        let phases = [direction, &directions[partner]].map(|d| d.phase().unwrap_or_default());
        let combination = combination(&direction.named, NamedTerm::words_of_all_phases);
        sentences.push(format!(
            "{combination} changes no score{} ({} and {} each on its own)",
            direction.scope(),
            phases[0],
            phases[1]
        ));
    }
    sentences
}

/// Tells whether no score changes along two directions that differ by the phase alone, so that one
/// sentence tells of both.
fn says_the_same(one: &Direction, other: &Direction) -> bool {
    let in_phases = one.phase().is_some() && other.phase().is_some();
    let same = |(a, b): (&NamedTerm, &NamedTerm)| {
        let close = (a.coefficient - b.coefficient).abs() <= 1e-6 * a.coefficient.abs();
        a.name == b.name && a.members == b.members && close
    };
    in_phases
        && one.phase() != other.phase()
        && one.is_exact()
        && other.is_exact()
        && one.named.len() == other.named.len()
        && one.named.iter().zip(&other.named).all(same)
}

impl Direction {
    /// Returns in words what a step along the direction adds to some weights and takes from others,
    /// and what that changes.
    pub fn sentence(&self) -> String {
        let combination = combination(&self.named, NamedTerm::to_string);
        match self.flatness {
            Flatness::Exact => format!("{combination} changes no score{}", self.scope()),
            Flatness::FirstOrder => format!(
                "{combination} changes no score to first order at these weights; so large a change \
                 moves scores of these positions by up to {:.2}",
                self.largest_change
            ),
            Flatness::Near { inflation } => format!(
                "{combination} hardly changes scores in these positions: the variance along it is \
                 {} times what it would be if these weights were uncorrelated",
                times(inflation)
            ),
        }
    }

    /// Returns the phase, `mg` or `eg`, that all weights of the direction have; `None` if they have
    /// several, or no phase.
    fn phase(&self) -> Option<&str> {
        let phase = self.named.first()?.phase.as_deref()?;
        let all = (self.named.iter()).all(|term| term.phase.as_deref() == Some(phase));
        all.then_some(phase)
    }

    /// Returns the words that restrict a sentence to the positions at hand. Empty for a combination
    /// of at most [`SHORT`] terms in whole numbers, of which one is a whole table and no one a part
    /// of a table: these come from how the evaluation is built, while other combinations may be
    /// told apart by other positions.
    fn scope(&self) -> &'static str {
        let is_table =
            |term: &NamedTerm| matches!(term.members, TermMembers::All | TermMembers::AllFitted);
        let is_some = |term: &NamedTerm| matches!(term.members, TermMembers::Some { .. });
        let is_built_in = self.named.len() <= SHORT
            && self.is_whole()
            && self.named.iter().any(is_table)
            && !self.named.iter().any(is_some);
        let here = " in these positions";
        if is_built_in { "" } else { here }
    }
}

/// Writes a factor as a whole number, rounded to two digits; from a million on only that it is over
/// a million.
fn times(number: f64) -> String {
    if number >= 1e6 {
        return "over a million".to_owned();
    }
    let unit = 10_f64.powf(number.log10().floor() - 1.0).max(1.0);
    format!("{:.0}", (number / unit).round() * unit)
}

/// Writes the terms of a direction as what is added to some weights and taken from others by a step
/// of [`STEP`] times its coefficients. `words`: makes the name of a term.
fn combination(named: &[NamedTerm], words: impl Fn(&NamedTerm) -> String) -> String {
    let side = |positive: bool| -> Vec<(String, f64)> {
        let terms = (named.iter()).filter(|term| (term.coefficient > 0.0) == positive);
        let amount = |term| (words(term), STEP * term.coefficient.abs());
        terms.map(amount).collect()
    };
    let (added, taken) = (side(true), side(false));
    let are_many = added.len() + taken.len() > 2;
    let comma = if are_many { "," } else { "" };
    match (added.is_empty(), taken.is_empty()) {
        (false, true) => format!("adding {}", amounts(&added, "to")),
        (true, _) => format!("taking {}", amounts(&taken, "from")),
        (false, false) => {
            let (added, taken) = (amounts(&added, "to"), amounts(&taken, "from"));
            format!("adding {added}{comma} and taking {taken}{comma}")
        }
    }
}

/// Writes names with their amounts, equal amounts once: `10 to A and B, 20 to C`, where `to` is the
/// preposition. Beyond [`LISTED`] names only their number is said.
fn amounts(terms: &[(String, f64)], preposition: &str) -> String {
    let mut by_amount: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, amount) in terms.iter().take(LISTED) {
        let amount = number(*amount);
        match by_amount.iter_mut().find(|(other, _)| *other == amount) {
            Some((_, names)) => names.push(name),
            None => by_amount.push((amount, vec![name])),
        }
    }
    let mut parts: Vec<String> = (by_amount.iter())
        .map(|(amount, names)| format!("{amount} {preposition} {}", list(names)))
        .collect();
    if terms.len() > LISTED {
        let more = terms.len() - LISTED;
        parts.push(format!("others {preposition} {more} more"));
    }
    parts.join(", ")
}

/// Writes a whole number as such, any other with up to two digits after the point.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes a list of names: `A, B and C`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
