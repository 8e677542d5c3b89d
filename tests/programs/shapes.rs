//! Small evaluations in unusual but legal Rust, one a file of `shapes`, with `/*@*/` before
//! each weight and `THIS` for the module, perhaps `// traced(ARGUMENTS)` first: each is an exact twin or a message with a place.
//!
//! `shapes/expected.txt` says which. Twins are compared with production whose literals are
//! others, all changed at once: what a twin never reads shows; `TUNER_SHAPES=12` does so twelve
//! times. Those that are `open` end in
//! errors of rustc; a shape that gets a twin or a message goes to the others.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MARK: &str = "/*@*/";

/// The shapes of which this is expected: names and texts.
fn shapes(expected: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shapes");
    let list = fs::read_to_string(folder.join("expected.txt")).unwrap();
    let lines = list.lines().filter_map(|line| line.split_once(' '));
    let named = lines.filter(|(_, what)| *what == expected);
    let text = |name: &str| fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    named
        .map(|(name, _)| (name.to_owned(), text(name)))
        .collect()
}

/// The module of a shape, `name` being that of the file.
fn module(name: &str, text: &str) -> String {
    let import = if text.contains("#[tunable") {
        "use tuner_core::tunable;\n"
    } else {
        ""
    };
    let text = text.replace("THIS", name);
    let comment = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// traced"));
    let arguments = comment.unwrap_or("()");
    format!(
        "use crate::B;\n{import}{text}\n\
         #[cfg(feature = \"tune\")]\ntuner_core::traced!{arguments};\n"
    )
}

/// The same evaluation with other literals, and items of other names.
fn changed(name: &str, text: &str, other: usize, rng: &mut ChaCha8Rng) -> (String, String) {
    let mut parts = text.split(MARK);
    let mut new = parts.next().unwrap().to_owned();
    for part in parts {
        let length = part
            .find(|c: char| !c.is_ascii_digit() && c != '-')
            .unwrap();
        let value: i64 = part[..length].parse().unwrap();
        let by = rng.random_range(1..=5) * if rng.random_bool(0.5) { 1 } else { -1 };
        let rest = &part[length..];
        // Of a literal behind a minus, and of one with digits after a point.
        write!(
            new,
            "{MARK}{}{rest}",
            if value + by < 0 && value >= 0 {
                value + by.abs()
            } else {
                value + by
            }
        )
        .unwrap();
    }
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap();
    let stem = name[digits..].find(|c: char| !c.is_ascii_digit());
    let stem = &name[..stem.map_or(name.len(), |end| digits + end)];
    let (upper, made) = (stem.to_uppercase(), format!("{name}_v{other}"));
    let new = new.replace(&upper, &format!("{upper}V{other}"));
    let new = new.replace(&format!("{stem}_"), &format!("{stem}_v{other}_"));
    (made.clone(), module(&made, &new))
}

#[test]
fn twins_of_unusual_shapes_are_production_at_other_literals() {
    let others = std::env::var("TUNER_SHAPES").map_or(1, |others| others.parse().unwrap());
    let positions = 16 * others.min(4);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut files, mut list, mut table) = (Vec::new(), String::new(), String::new());
    let shapes = shapes("twin");
    for (name, text) in &shapes {
        files.push((name.clone(), module(name, text)));
        write!(table, "crate::Shape {{ name: {name:?}, production: {name}::evaluate, twin: {name}::__traced::evaluate, others: &[").unwrap();
        for other in 0..others {
            let (made, text) = changed(name, text, other, &mut rng);
            write!(table, "({made:?}, {made}::evaluate),").unwrap();
            files.push((made, text));
        }
        table += "] },\n";
    }
    for (name, _) in &files {
        writeln!(list, "pub mod {name};").unwrap();
    }
    write!(list, "pub static SHAPES: &[crate::Shape] = &[\n{table}];\n").unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shapes{others}"));
    let program = crate::built::compiled(&folder, "shapes_main.rs", &list, &files);
    let program = program.unwrap_or_else(|said| panic!("{said}"));
    let output = Command::new(program)
        .arg(positions.to_string())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (last, wrong) = said
        .trim()
        .rsplit_once('\n')
        .map_or((said.trim(), ""), |(w, l)| (l, w));
    assert!(output.status.success() && wrong.is_empty(), "{said}");
    println!("{} shapes: {last}", shapes.len());
    let numbers = last.split(' ').filter_map(|n| n.parse::<usize>().ok());
    let least = shapes.len() * others * positions / 2;
    assert!(numbers.into_iter().all(|n| n > least), "{last}");
}

#[test]
fn shapes_without_twin_are_refused_with_their_place() {
    let shapes = shapes("refused");
    let files: Vec<_> = (shapes.iter())
        .map(|(name, text)| (name.clone(), module(name, text)))
        .collect();
    let mut list = String::from("pub static SHAPES: &[crate::Shape] = &[];\n");
    for (name, _) in &files {
        writeln!(list, "pub mod {name};").unwrap();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shapes-refused");
    let said = crate::built::compiled(&folder, "shapes_main.rs", &list, &files).unwrap_err();
    let is_silent = |name: &&str| {
        let place = format!("src/made/{name}.rs:");
        !said
            .lines()
            .any(|line| line.contains(&place) && line.contains("; "))
    };
    let names = shapes.iter().map(|(name, _)| name.as_str());
    let silent: Vec<&str> = names.filter(is_silent).collect();
    assert!(
        shapes.len() > 40 && silent.is_empty(),
        "{silent:?} in\n{said}"
    );
}
