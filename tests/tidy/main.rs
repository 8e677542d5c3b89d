//! What must never happen in this repository: the invariants of
//! `ARCHITECTURE.md` that a look at the files can keep.
//!
//! Rules are functions that return complaints; each is shown to complain, in
//! `rules_can_fail`, on a small text that breaks it.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test that says what is wrong by failing"
)]

mod manifest;
mod pages;
mod releases;
mod rules;
mod rules_can_fail;
mod source;
mod words;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use source::{Source, files, root, text};
use tuner_core::spec::Spec;
use tuner_core::spec::codegen::{Provenance, emit};

/// Members that are programs or tests; all others have a library that must
/// neither print nor panic.
const NO_LIBRARIES: [&str; 6] = [
    "crates/tuner",
    "tests",
    "tests/dependencies",
    "tests/fuzz",
    "tests/programs",
    "tests/ui",
];

fn libraries() -> Vec<String> {
    let mut members = manifest::members();
    members.retain(|member| !NO_LIBRARIES.contains(&member.as_str()));
    members
}

fn library_sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        let members = libraries();
        let sources = members.iter().map(|member| Source::of_crate(member));
        sources.flatten().collect()
    })
}

const PANICS: &[&[&str]] = &[
    &[".", "unwrap", "("],
    &[".", "expect", "("],
    &["panic", "!"],
    &["todo", "!"],
    &["unimplemented", "!"],
];

/// What panics where nobody reads, or a disk is full.
const PRINTS: &[&[&str]] = &[
    &["println", "!"],
    &["eprintln", "!"],
    &["print", "!"],
    &["eprint", "!"],
    &["dbg", "!"],
];

const TALK: &[&[&str]] = &[
    &["env", ":", ":", "args"],
    &["args_os"],
    &["io", ":", ":", "stdout"],
    &["io", ":", ":", "stderr"],
];

/// What would tell the solver that weights have names or come from somewhere.
const OUTSIDE: &[&[&str]] = &[
    &["fs"],
    &["io"],
    &["path"],
    &["File"],
    &["Path"],
    &["PathBuf"],
    &["param"],
    &["Layout"],
    &["data"],
    &["game"],
    &["trace"],
];

/// Longest file, in lines of code. A file is cut where a concept ends, so this
/// is where two concepts are likely, not a length to aim at.
const LONGEST: usize = 600;

/// Longest code map, in lines.
const LONGEST_MAP: usize = 150;

/// Most words of the front page.
const MOST_WORDS: usize = 650;

/// Most words of prose in the book, without the records in `docs/lab`.
const MOST_WORDS_OF_THE_BOOK: usize = 15_000;

/// Longest line of prose, in characters.
const LONGEST_LINE: usize = 200;

/// Largest file, in bytes.
const LARGEST: u64 = 4_000_000;

/// Whether a file's name has one of some extensions.
fn is_of(name: &str, extensions: &[&str]) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|found| extensions.iter().any(|extension| found == *extension))
}

fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn crates_build_on_earlier_ones() {
    let mut earlier = Vec::new();
    for member in manifest::members() {
        let manifest = manifest::of(&member);
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        for name in dependencies.into_iter().flat_map(toml::Table::keys) {
            let ours = name.starts_with("tuner-");
            assert!(
                !ours || earlier.contains(name),
                "{member} builds on {name}, a later member"
            );
        }
        earlier.push(manifest["package"]["name"].as_str().unwrap().to_owned());
    }
}

#[test]
fn permissive_crates_link_no_gpl() {
    let mut permissive = Vec::new();
    for member in manifest::members() {
        let manifest = manifest::of(&member);
        let name = manifest["package"]["name"].as_str().unwrap();
        if manifest["package"]["license"]
            .as_str()
            .unwrap()
            .starts_with("GPL")
        {
            continue;
        }
        permissive.push(name.to_owned());
    }
    assert!(permissive.len() > 12, "{permissive:?}");
    let linked = manifest::linked(&permissive, &["--all-features"]);
    for name in &permissive {
        let begin = format!("{name} ");
        assert!(
            linked.lines().any(|line| line.starts_with(&begin)),
            "{name}"
        );
    }
    assert_eq!(manifest::gpl(&linked), Vec::<&str>::new());
}

#[test]
fn an_engine_links_only_the_macros_and_the_traces() {
    let linked = manifest::linked(&["tuner-core"], &["--no-default-features"]);
    let mut names: Vec<&str> = linked.lines().filter_map(|l| l.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    let macros = [
        "proc-macro2",
        "quote",
        "syn",
        "tuner-core",
        "tuner-edition",
        "tuner-edition-2018",
        "tuner-macros",
        "tuner-source",
        "tuner-trace",
        "unicode-ident",
    ];
    assert_eq!(names, macros);
    // The board of shogi alone brings no tuner along.
    let board = manifest::linked(&["tuner-shogi"], &["--no-default-features"]);
    let ours = board.lines().filter(|line| line.starts_with("tuner-"));
    assert_eq!(ours.count(), 1, "{board}");
}

/// What an evaluator never links: what only Tuner's side needs. A star stands for any end of a
/// name.
const TUNERS: [&str; 28] = [
    "arrow*",
    "clap*",
    "indicatif",
    "maud",
    "nalgebra*",
    "pulp",
    "rayon*",
    "serde*",
    "thiserror*",
    "toml*",
    "tuner",
    "tuner-cli",
    "tuner-data",
    "tuner-engine",
    "tuner-evaluation",
    "tuner-fit",
    "tuner-jobs",
    "tuner-judge",
    "tuner-linalg",
    "tuner-model",
    "tuner-parallel",
    "tuner-record",
    "tuner-report",
    "tuner-rows",
    "tuner-solve",
    "tuner-spec",
    "tuner-tournament",
    "zstd*",
];

#[test]
fn an_evaluator_links_no_tuner() {
    for (package, features, spared) in [
        ("chess-engine", "tune", ""),
        ("othello", "tune", ""),
        // The attack tables of rsshogi bring it.
        ("shogi-engine", "tune", "thiserror*"),
    ] {
        let linked = manifest::linked(&[package], &["--features", features]);
        assert!(linked.contains("\ntuner-evaluator "), "{package}: {linked}");
        let never = TUNERS.into_iter().filter(|&never| never != spared);
        let never: Vec<&str> = never.collect();
        assert_eq!(
            manifest::named(&linked, &never),
            Vec::<&str>::new(),
            "{package}"
        );
    }
}

#[test]
fn no_public_signature_names_nalgebra_or_rsshogi() {
    for (member, library) in [("crates/solve", "nalgebra"), ("crates/shogi", "rsshogi")] {
        let sources = Source::of_crate(member);
        assert!(!sources.is_empty());
        let complaints = |source| rules::in_public(source, library);
        assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
    }
}

#[test]
fn the_solver_knows_numbers_only() {
    let sources = Source::of_crate("crates/solve");
    assert!(!sources.is_empty());
    let complaints = |source| rules::without(source, OUTSIDE);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn only_the_command_line_talks() {
    let mut sources: Vec<&Source> = library_sources()
        .iter()
        // Programs.
        .filter(|source| !source.name.contains("/src/bin/") && !source.name.ends_with("/main.rs"))
        .collect();
    // It talks as well, but not so.
    let prints = |source: &&Source| rules::without(source, PRINTS);
    assert_none(&sources.iter().flat_map(prints).collect::<Vec<_>>());
    sources.retain(|source| {
        // An evaluator answers on standard output.
        let is_answer = source.name == "crates/evaluator/src/serve.rs";
        // What the compiler was asked.
        let is_question = source.name == "tuner-macros/src/package.rs";
        !is_answer && !is_question && !source.name.starts_with("crates/cli/src/")
    });
    let complaints = |source: &&Source| rules::without(source, TALK);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn libraries_do_not_panic() {
    let sources = library_sources();
    let complaints = |source| rules::without(source, PANICS);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

/// What a stored identity is made of has words or numbers of its own.
#[test]
fn identities_are_not_debugged() {
    let sources = library_sources();
    let complaints = |source| rules::debugged_identities(source);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn the_generated_weights_are_those_of_the_spec() {
    for (declared, generated) in [
        ("specs/chess.toml", "examples/chess/src/tuned_weights.rs"),
        ("specs/shogi.toml", "examples/shogi/src/tuned_weights.rs"),
        (
            "examples/python/engine.toml",
            "tests/traces/tuned_weights.rs",
        ),
    ] {
        let spec = Spec::load(&root().join(declared)).unwrap();
        let values = spec.layout().initial_counts();
        let expected = emit(&spec, values, &Provenance::default()).unwrap();
        assert!(
            text(generated) == expected,
            "{generated} is not what {declared} stands for; run \
             cargo run --release -p tuner -- spec emit {declared} -o {generated}"
        );
    }
}

#[test]
fn files_stay_short() {
    let complaints: Vec<String> = files("")
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
        .map(|name| (rules::lines_of_code(&text(&name)), name))
        .filter(|&(lines, _)| lines > LONGEST)
        .map(|(lines, name)| format!("{name}: {lines} lines of code, at most {LONGEST}"))
        .collect();
    assert_none(&complaints);
    let lines = text("ARCHITECTURE.md").lines().count();
    assert!(lines <= LONGEST_MAP, "ARCHITECTURE.md: {lines} lines");
    for name in files("") {
        let size = fs::metadata(root().join(&name)).unwrap().len();
        assert!(size <= LARGEST, "{name}: {size} bytes, at most {LARGEST}");
    }
}

#[test]
fn the_front_page_is_short() {
    let readme = text("README.md");
    let words = rules::words_of_prose(&readme);
    assert!(
        words <= MOST_WORDS,
        "README.md: {words} words, at most {MOST_WORDS}"
    );
    let pages = files("").into_iter().filter(|name| is_of(name, &["md"]));
    let complaints: Vec<String> = pages
        .flat_map(|name| {
            let long = rules::long_lines(&text(&name), LONGEST_LINE);
            long.into_iter()
                .map(move |(line, length)| format!("{name}:{line}: {length} characters"))
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn the_book_lists_its_pages_is_short_and_says_what_is_next() {
    let mut pages = files("docs");
    pages.retain(|name| is_of(name, &["md"]));
    let pages: Vec<String> = pages
        .iter()
        .map(|page| page["docs/".len()..].into())
        .collect();
    let of_book = |page: &str| text(&format!("docs/{page}"));
    let listed: Vec<String> = pages
        .iter()
        .filter(|page| *page != "SUMMARY.md")
        .cloned()
        .collect();
    assert!(listed.len() > 15, "{listed:?}");
    let mut complaints = pages::unlisted(&of_book("SUMMARY.md"), &listed);
    let guide = pages.iter().filter(|page| !page.starts_with("lab/"));
    let words = guide
        .clone()
        .map(|page| rules::words_of_prose(&of_book(page)));
    let words = words.sum::<usize>();
    if words > MOST_WORDS_OF_THE_BOOK {
        complaints.push(format!(
            "docs: {words} words, at most {MOST_WORDS_OF_THE_BOOK}"
        ));
    }
    let open = guide.filter(|page| *page != "SUMMARY.md" && !pages::ends_with_next(&of_book(page)));
    complaints.extend(open.map(|page| format!("docs/{page}: its last heading is not `## Next`")));
    assert_none(&complaints);
}

#[test]
fn links_lead_somewhere() {
    let pages = files("").into_iter().filter(|name| is_of(name, &["md"]));
    let exists = |name: &str| root().join(name).exists();
    let complaints: Vec<String> = pages
        .flat_map(|name| pages::broken_links(&name, &text(&name), &exists, &text))
        .collect();
    assert_none(&complaints);
}

#[test]
fn words_are_plain() {
    let complaints: Vec<String> = files("")
        .into_iter()
        .filter(|name| is_of(name, &["rs", "md", "toml", "stderr"]))
        // The rule and the test of the rule.
        .filter(|name| name != "tests/tidy/words.rs" && name != "tests/tidy/rules_can_fail.rs")
        .flat_map(|name| words::retired(&name, &text(&name)))
        .collect();
    assert_none(&complaints);
}

#[test]
fn doc_comments_say_what_the_item_is() {
    // Comments on arguments are the help that users see; those of examples are also in their specs.
    let is_help = |name: &str| name.starts_with("crates/cli/src/") && name.ends_with("args.rs");
    let is_library = |name: &str| !is_help(name) && !name.starts_with("examples/");
    let mut sources = 0;
    let mut complaints = Vec::new();
    for member in libraries() {
        for name in files(&format!("{member}/src")) {
            if is_of(&name, &["rs"]) && is_library(&name) {
                sources += 1;
                complaints.extend(words::unclear_docs(&name, &text(&name)));
            }
        }
    }
    assert!(sources > 100, "{sources}");
    assert_none(&complaints);
}

#[test]
fn types_are_named_by_what_they_are() {
    let mut declared = Vec::new();
    let program = Source::of_crate("crates/tuner");
    for source in library_sources().iter().chain(&program) {
        if !source.name.starts_with("crates/") {
            continue;
        }
        let is_kind = |word: &str| ["struct", "enum", "trait", "type"].contains(&word);
        for window in source.tokens.windows(2) {
            let (kind, name) = (&*window[0].text, &*window[1].text);
            let is_named_so = is_kind(kind) && words::TYPE_NAMES.contains(&name);
            assert!(
                !is_named_so,
                "{}:{}: `{kind} {name}`",
                source.name, window[0].line
            );
        }
        let types = rules::public_types(source).into_iter();
        declared.extend(types.map(|name| (name, source.name.clone())));
    }
    assert!(declared.len() > 100);
    assert_none(&rules::shared_names(&declared));
}

#[test]
fn no_path_of_a_machine() {
    // In pieces, so that this file does not hold them itself.
    let homes = [
        ["/ho", "me/"],
        ["/ro", "ot/"],
        ["/wo", "rk/"],
        ["/Us", "ers/"],
    ]
    .map(|p| p.concat());
    let mut complaints = Vec::new();
    for name in files("") {
        let bytes = fs::read(root().join(&name)).unwrap();
        let words = String::from_utf8_lossy(&bytes);
        for (number, line) in words.lines().enumerate() {
            if homes.iter().any(|home| machine_path(line, home)) {
                complaints.push(format!("{name}:{}: {line}", number + 1));
            }
        }
    }
    assert_none(&complaints);
}

/// Tells whether a path from the root of the file system begins in a line
/// with `home`; one inside a longer path or address does not.
fn machine_path(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "._-/".contains(c)))
    })
}

/// What is no check: settings, questions that others ask, measurements by hand, and the two
/// that call the others.
const NO_CHECKS: [&str; 5] = [
    ".ci/all-features",
    ".ci/deny.toml",
    ".ci/has-mpi",
    ".ci/numbers",
    ".ci/release",
];
const CALLERS: [&str; 2] = [".ci/run", ".ci/nightly"];

#[test]
fn every_check_is_of_the_run_or_of_the_night() {
    let all = files(".ci");
    let scripts = all.iter().map(String::as_str);
    let scripts: Vec<&str> = scripts.filter(|name| !NO_CHECKS.contains(name)).collect();
    assert!(scripts.len() > 5, "{scripts:?}");
    let tests = files("").into_iter().filter(|name| is_of(name, &["rs"]));
    let tests: Vec<_> = tests.map(|name| (name.clone(), text(&name))).collect();
    let callers = CALLERS.map(|caller| format!("{caller}\n{}", text(caller)));
    assert_none(&rules::left_out(&callers.concat(), &scripts, &tests));
}

#[test]
fn the_readme_starts_with_two_commands() {
    assert_eq!(
        manifest::first_block(&text("README.md")),
        [
            "cargo run --release -p tuner -- -C examples/chess fit",
            "cargo test --release --workspace"
        ]
    );
}

#[test]
fn the_page_on_evaluators_holds_the_example() {
    let (page, example) = ("docs/evaluator.md", "examples/python/score/evaluator.py");
    let block = format!("```python\n{}```", text(example));
    assert!(text(page).contains(&block), "{page} differs from {example}");
}

#[test]
fn what_keeps_an_invariant_exists() {
    let sources: String = files("")
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
        .map(|name| text(name))
        .collect();
    let exists = |keeper: &str| {
        if keeper.contains('/') {
            root().join(keeper).exists()
        } else {
            sources.contains(&format!("fn {keeper}()"))
        }
    };
    let keepers = rules::keepers(&text("ARCHITECTURE.md"));
    assert!(keepers.len() > 10, "{keepers:?}");
    for keeper in keepers {
        assert!(
            exists(&keeper),
            "ARCHITECTURE.md names `{keeper}`, which is nowhere"
        );
    }
}

#[test]
fn every_crate_has_the_texts_of_its_licence() {
    let mut permissive = Vec::new();
    for member in manifest::members() {
        let manifest = manifest::of(&member);
        let licence = manifest["package"]["license"].as_str().unwrap();
        let expected = manifest::texts_of(licence)
            .unwrap_or_else(|| panic!("{member}: no text for `{licence}`"));
        let mut found = files(&member);
        // A member may hold another one.
        found.retain(|name| name.starts_with(&format!("{member}/LICENSE")));
        let paths: Vec<String> = expected.iter().map(|n| format!("{member}/{n}")).collect();
        assert_eq!(found, paths);
        for name in expected {
            assert!(
                text(name) == text(&format!("{member}/{name}")),
                "{member}/{name}"
            );
        }
        if !licence.starts_with("GPL") {
            permissive.push(manifest["package"]["name"].as_str().unwrap().to_owned());
        }
    }
    let linked = manifest::linked(&permissive, &[]);
    assert_eq!(manifest::gpl(&linked), Vec::<&str>::new());
    for (name, first, last) in [
        ("LICENSE-MIT", "MIT License", "SOFTWARE."),
        (
            "LICENSE-APACHE",
            "Apache License",
            "limitations under the License.",
        ),
        (
            "LICENSE-GPL",
            "GNU GENERAL PUBLIC LICENSE",
            "why-not-lgpl.html>.",
        ),
    ] {
        let text = text(name);
        assert!(
            text.trim_start().starts_with(first) && text.trim_end().ends_with(last),
            "{name}"
        );
    }
}

#[test]
fn manifests_leave_to_the_workspace_what_it_says() {
    for member in manifest::members() {
        // Its edition is what that crate is for.
        let expected: &[&str] = match member.as_str() {
            "crates/edition" | "crates/edition-2018" => &["package.edition"],
            _ => &[],
        };
        let own = manifest::own_words(&manifest::of(&member));
        assert_eq!(own, expected, "{member}");
    }
}
