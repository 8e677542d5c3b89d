//! The evaluations that lichess publishes: JSON, a position a line.
//!
//! ```text
//! {"fen":"…","evals":[{"pvs":[{"cp":311,"line":"…"}],"knodes":206765,"depth":36}]}
//! ```
//!
//! *Accepts* objects with `fen` and `evals`; of these the deepest counts, and its first variation:
//! `cp` in centipawns or `mate` in moves, both White's. There are no results, so the scores have to
//! be stated to stand for them. *Rejects* lines without evaluation. *Ignores* all other fields.
//!
//! *Source*: <https://database.lichess.org/#evals>.

use serde::Deserialize;
use shakmaty::{Chess, Position};
use tuner_data::in_games::fault;
use tuner_data::{
    Fault, LabelledPosition, MATE, Outcome, RecordEvent, RecordPlace, RecordUnit, Records,
    StatedScores, lines,
};

use crate::fen;

/// Lichess' evaluations; the [module](self) says what is accepted.
pub(crate) const EVALS: Records<Chess> = Records {
    name: "lichess-evals",
    pattern: "{\"fen\":…,\"evals\":[…]}",
    unit: RecordUnit::Records,
    takes_stated: false,
    recognises: |first, _| {
        let has = |word: &[u8]| memchr::memmem::find(first, word).is_some();
        first.trim_ascii_start().starts_with(b"{") && has(b"\"fen\"") && has(b"\"evals\"")
    },
    cut: lines::last_end,
    count: lines::count,
    parse: &parse,
};

/// A line of the file: a position, and searches of it.
#[derive(Deserialize)]
struct Line {
    fen: String,
    evals: Vec<Evaluation>,
}

/// A search of the position: its depth in plies, and its variations, the best first.
#[derive(Deserialize)]
struct Evaluation {
    depth: u32,
    pvs: Vec<Variation>,
}

/// The score of a variation, White's: in centipawns, or in moves to mate.
#[derive(Deserialize)]
struct Variation {
    cp: Option<i32>,
    mate: Option<i32>,
}

/// Reads lines of JSON, each a position with lichess' evaluations of it, and tells `to` of each:
/// the position with its score, or what is wrong. Blank lines are passed over.
fn parse(bytes: &[u8], stated: StatedScores, to: &mut dyn FnMut(RecordEvent<Chess>)) {
    for (number, line) in lines::lines(bytes) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read(line, stated) {
            Ok(labelled) => {
                to(RecordEvent::Position(RecordPlace::new(number, 1), labelled));
                to(RecordEvent::Unit);
            }
            Err((column, fault)) => {
                let place = RecordPlace::new(number, column);
                to(RecordEvent::Rejected(place, fault));
            }
        }
    }
}

/// Reads a line of lichess' evaluations: the position, and White's score. The score is that of the
/// first variation of the deepest evaluation: its centipawns, or else its moves to mate. The
/// outcome is a draw until the caller makes one of the score; it is an error if the user has not
/// stated that scores take the place of results. An error has the column, counted from 1, where the
/// JSON is wrong, and column 1 for all other mistakes.
fn read(line: &[u8], stated: StatedScores) -> Result<LabelledPosition<Chess>, (u64, Fault)> {
    let read: Line = serde_json::from_slice(line).map_err(|error| {
        let expected = "an object with fen and evals";
        (error.column() as u64, fault(error.to_string(), expected))
    })?;
    let refused = |fault| (1, fault);
    let position = fen::parse(&read.fen).map_err(refused)?;
    let deepest = read.evals.iter().max_by_key(|evaluation| evaluation.depth);
    // Mate in n moves is 2n plies, or 2n - 1 if the mating side is to move.
    let of_mate = |mate: i32| {
        // In 0 moves who is to move is mated.
        let is_whites = mate > 0 || mate == 0 && position.turn().is_black();
        let sooner = i32::from(mate != 0 && is_whites == position.turn().is_white());
        let sign = if is_whites { 1 } else { -1 };
        // More than 500 moves count as 500, so that no number, however large, turns the score
        // into one of the other side.
        sign * (MATE - (2 * mate.unsigned_abs().min(500) as i32 - sooner).max(0))
    };
    let score = deepest.and_then(|evaluation| {
        let first = evaluation.pvs.first()?;
        let score = first.cp.map(|cp| cp.clamp(-MATE, MATE));
        score.or_else(|| first.mate.map(of_mate))
    });
    let score = score.ok_or_else(|| refused(fault("no evaluation", "cp or mate in pvs")))?;
    if stated.as_results.is_none() {
        let expected = "scores that stand for results";
        return Err(refused(Fault {
            cure: "give --results-from-scores".into(),
            ..fault("an evaluation without result", expected)
        }));
    }
    Ok(LabelledPosition {
        search_score: Some(score),
        ..LabelledPosition::new(position, Outcome::Draw.into())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test fails by panicking")]

    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn the_deepest_evaluation_counts() {
        let text = "{\"fen\":\"7r/1p3k2/p1bPR3/5p2/2B2P1p/8/PP4P1/3K4 b - -\",\"evals\":[\
            {\"pvs\":[{\"cp\":69,\"line\":\"f7g7\"}],\"knodes\":4189972,\"depth\":46},\
            {\"pvs\":[{\"mate\":-2,\"line\":\"x\"},{\"cp\":1}],\"knodes\":1,\"depth\":50}]}\n\
            {\"fen\":\"4k2R/8/4K3/8/8/8/8/8 b - -\",\"evals\":[{\"pvs\":[{\"mate\":0}],\"depth\":9}]}\n\
            {\"fen\":\"8/8\",\"evals\":[]}\nnonsense\n\n";
        assert!((EVALS.recognises)(text.as_bytes(), true));
        for (as_results, expected) in [(NonZeroU32::new(400), vec![3 - MATE, MATE]), (None, vec![])]
        {
            let stated = StatedScores {
                as_results,
                ..StatedScores::default()
            };
            let (mut scores, mut rejected) = (Vec::new(), 0);
            (EVALS.parse)(text.as_bytes(), stated, &mut |event| match event {
                RecordEvent::Position(_, labelled) => scores.extend(labelled.search_score),
                RecordEvent::Rejected(_, fault) => {
                    assert!(!fault.to_string().is_empty());
                    rejected += 1;
                }
                RecordEvent::Unit => {}
                other => panic!("{other:?}"),
            });
            assert_eq!((rejected, scores), (4 - expected.len(), expected));
        }
    }
}
