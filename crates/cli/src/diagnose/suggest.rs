//! `suggest`: features that no weight reads.

use std::fmt::Write as _;

use serde::Serialize;

use super::args::SuggestArgs;
use super::subject::{Subject, optional, signed, weights};
use crate::output;
use crate::table::TextTable;
use tuner_base::joined;
use tuner_data::{AnyGame, FeatureCode, FeatureLanguage};
use tuner_jobs::{Job, JobFailure as Failure, JobResult as Result, Project, fail};
use tuner_judge::{FeatureTest, Suggestions};

/// The first lines of helpers in C++; they go above the namespace in the file that is printed.
const INCLUDE: &str = "#include <cstdint>\n\n";

/// How many nearly equal features a table line names at most.
const NAMED: usize = 2;

/// The output of `--json`.
#[derive(Serialize)]
struct SuggestObject<'a> {
    clusters: usize,
    tested: usize,
    already_read: Vec<&'a str>,
    rare: usize,
    discoveries: usize,
    /// Types and functions that the code of features needs.
    rust: String,
    cpp: String,
    suggestions: Vec<SuggestedObject<'a>>,
}

/// A feature that is suggested.
#[derive(Serialize)]
struct SuggestedObject<'a> {
    words: &'a str,
    name: &'a str,
    #[serde(flatten)]
    test: &'a FeatureTest,
    /// Names of the features that are nearly the same, which `test` has as numbers.
    near: Vec<&'a str>,
    rust: &'a str,
    cpp: &'a str,
}

/// Runs `suggest`: tests features of the game that no weight reads, and lists those that would
/// lower E, or with `--code` their code. Each is tested beside the weights that may move, at the
/// weights that are typed. Fails where the game has no features, or all positions have the same
/// result.
pub(crate) fn run(job: &Job, project: &Project, args: &SuggestArgs) -> Result<()> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let linked = (linked.choose((&args.choice).into()))
        .map_err(|error| Failure::Usage(format!("--{error}")))?;
    let at = weights(job, &linked, &args.at.weights)?;
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        let examination = &subject.examination;
        let game = examination.evaluation.game();
        let words = game.feature_words();
        if words.is_empty() {
            fail!(
                "no features of this game are known: its positions are {}; suggest is for chess, by \
                 positions in FEN",
                game.name()
            );
        }
        let found = examination.with_features(&at);
        job.reading_ended();
        let (report, mut rows) = found?;
        job.say_reading(&report.report);
        subject.verdict(&report.report, &report.agreement, &at)?;
        let mut lanes = at.lanes().to_vec();
        // The slots of features are behind those of the weights, with two lanes each, at 0.
        lanes.resize(2 * rows.slots(), 0.0);
        let objective = subject.objective_of(&mut rows, &lanes, &report.report)?;
        let outcome = |row| rows.row(row).outcome();
        if (1..rows.len()).all(|row| (outcome(row) - outcome(0)).abs() <= 0.0) {
            fail!("all positions have the same result, which says nothing of features");
        }
        if report.report.total().with_game == 0 {
            say!(
                "warning: no games are known, so each position counts as one: tests pass too often"
            );
        }
        job.doing("testing features");
        let found = examination.suggestions(&rows, &at, &objective, args.top);
        job.reading_ended();
        let found = found?.map_err(|reason| format!("nothing can be suggested: {reason}"))?;
        say_counts(&found);
        let facts = [("weights", &*args.at.weights)];
        let code = |language| code(game, &found, language);
        // Both are made, as the object of `--json` has both.
        let [rust, cpp] = [code(FeatureLanguage::Rust)?, code(FeatureLanguage::Cpp)?];
        let object = object(&found, &words, [&rust, &cpp]);
        subject.show(&facts, &objective, &object, || match args.code {
            // The counts, which were said, tell that nothing is suggested.
            _ if found.chosen.is_empty() => Ok(()),
            None => output::text(&table(&found, &words)),
            Some(language) => {
                let language = language.into();
                let code = if language == FeatureLanguage::Rust {
                    &rust
                } else {
                    &cpp
                };
                output::text(&source(&found, &words, code, language))
            }
        })
    })
}

/// Tells the user how many features were tested, how many of them would lower E, and how many are
/// listed or were left out.
fn say_counts(found: &Suggestions) {
    say!(
        "{} features tested: {} would lower E, at most 5 % of these by chance, {} are listed, \
         each beside those before it; {} more are read by weights already, {} are of too few games",
        found.tested,
        found.discoveries,
        found.chosen.len(),
        found.already_read.len(),
        found.rare
    );
}

/// Returns the code that counts the features that are suggested; fails for a game that has no such
/// code.
fn code(game: &AnyGame, found: &Suggestions, language: FeatureLanguage) -> Result<FeatureCode> {
    let chosen: Vec<usize> = found.chosen.iter().map(|test| test.feature).collect();
    let code = game.feature_code(&chosen, language);
    code.ok_or_else(|| "this game has no code of its features".into())
}

/// Returns the findings for `--json`. `words`: what each feature is, by its number; the code is in
/// Rust and in C++.
fn object<'a>(
    found: &'a Suggestions,
    words: &'a [String],
    [rust, cpp]: [&'a FeatureCode; 2],
) -> SuggestObject<'a> {
    let named = |features: &[usize]| features.iter().map(|of| &*words[*of]).collect();
    let functions = rust.functions.iter().zip(&cpp.functions);
    let suggested = found.chosen.iter().zip(functions);
    // A function of the code is its name and its text.
    let suggested = suggested.map(|(test, (rust, cpp))| SuggestedObject {
        words: &words[test.feature],
        name: &rust.0,
        near: named(&test.near),
        test,
        rust: &rust.1,
        cpp: &cpp.1,
    });
    SuggestObject {
        clusters: found.clusters,
        tested: found.tested,
        already_read: named(&found.already_read),
        rare: found.rare,
        discoveries: found.discoveries,
        rust: rust.helpers.clone(),
        cpp: cpp.helpers.clone(),
        suggestions: suggested.collect(),
    }
}

/// Returns the fitted value of a feature in the middlegame (`lane` 0) or the endgame (1), in the
/// unit of the weights, as text; `-` where weights read the feature there already.
fn value(test: &FeatureTest, lane: usize) -> String {
    test.values[lane].map_or_else(|| "-".to_owned(), |value| signed(value.value, 0))
}

/// Returns the table of features that are suggested, each with features that are worth little
/// beside it. `words`: what each feature is, by its number.
fn table(found: &Suggestions, words: &[String]) -> String {
    let mut table = TextTable::new("E falls by,±,χ²,mg,eg,games,<feature,<much the same");
    for test in &found.chosen {
        let near = test.near.iter().take(NAMED).map(|of| &words[*of]);
        let more = match test.near.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        table.row([
            optional(Some(test.worth.expected), 7),
            optional(Some(test.worth.standard_error), 7),
            optional(Some(test.chi_squared), 0),
            value(test, 0),
            value(test, 1),
            test.games.to_string(),
            words[test.feature].clone(),
            joined(near, ", ") + &more,
        ]);
    }
    table.text()
}

/// Returns the code of all that is suggested, to be pasted: for each feature a weight at 0 and the
/// function that counts it. `words`: what each feature is, by its number; `code` has the functions,
/// in the order of the suggestions.
fn source(
    found: &Suggestions,
    words: &[String],
    code: &FeatureCode,
    language: FeatureLanguage,
) -> String {
    // In C++ all is in a namespace, as names such as `count` are those of many engines too.
    let is_cpp = language == FeatureLanguage::Cpp;
    let (ending, include) = if is_cpp { ("hpp", INCLUDE) } else { ("rs", "") };
    let mut text = format!(
        "// A file of its own, such as suggested.{ending}. For each function f below, and a weight F\n\
         // at 0 beside the others of your evaluation, add to White's score\n\
         //     F * ({})\n\n",
        code.difference
    );
    if is_cpp {
        let _ = write!(text, "#pragma once\n{include}namespace suggested {{\n\n");
    }
    // Helpers that begin with the include have it above the namespace already.
    text += code.helpers.strip_prefix(include).unwrap_or(&code.helpers);
    text.push('\n');
    for (test, (name, function)) in found.chosen.iter().zip(&code.functions) {
        let weight = name.to_uppercase();
        let weight = match language {
            FeatureLanguage::Rust => format!("pub const {weight}: (i32, i32) = (0, 0);"),
            FeatureLanguage::Cpp => format!("constexpr int {weight}[2] = {{0, 0}};"),
        };
        let _ = writeln!(
            text,
            "/// {}: E falls by {:.7}, middlegame {}, endgame {} by one step.\n{weight}\n\n{function}",
            words[test.feature],
            test.worth.expected,
            value(test, 0),
            value(test, 1),
        );
    }
    if is_cpp {
        text += "} // namespace suggested\n";
    }
    text
}
