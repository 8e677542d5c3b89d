//! Which files an evaluation has its weights in, and the functions through which they
//! reach it.

use std::collections::{HashMap, HashSet};

use super::evaluation::Evaluation;
use super::modules::Modules;
use crate::Failure;
use tuner_source::{DeclaredItem, Holds, Scan};

/// The files among some that declare what the evaluation reads: weights, what these are
/// made of, what computes with them, and what scores go through. By names alone, so rather
/// too many files than too few; what has no way from the function to a weight in these is
/// in none.
pub(super) fn files(
    modules: &Modules,
    among: &[usize],
    evaluation: &Evaluation,
) -> Result<HashSet<usize>, Failure> {
    let texts: Vec<&str> = (modules.files.iter())
        .map(|file| file.text.as_str())
        .collect();
    let scan = Scan::of(&texts).map_err(|errors| {
        let words: Vec<String> = (errors.iter())
            .map(|error| {
                format!(
                    "{}: {}",
                    modules.files[error.file].path.display(),
                    error.error
                )
            })
            .collect();
        words.join("\n")
    })?;
    let tables = (scan.consts.iter())
        .filter(|found| {
            among.contains(&found.file)
                && !found.literals.is_empty()
                && !matches!(found.holds, Holds::Nothing(_))
        })
        .map(|found| (found.file, found.item.as_str()));
    let tables: HashSet<(usize, &str)> = tables.collect();
    let items: Vec<(usize, &DeclaredItem)> = (modules.files.iter().enumerate())
        .flat_map(|(number, file)| file.declared.items.iter().map(move |item| (number, item)))
        .collect();
    let is_table =
        |&(file, item): &(usize, &DeclaredItem)| tables.contains(&(file, item.name.as_str()));

    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, (_, item)) in items.iter().enumerate() {
        let names = match &item.of {
            Some(of) => vec![format!("{of}::{}", item.name), format!(".{}", item.name)],
            None => vec![item.name.clone()],
        };
        for name in names {
            by_name.entry(name).or_default().push(number);
        }
    }
    let all = |names: &mut dyn Iterator<Item = &String>| -> Vec<usize> {
        let found = names.filter_map(|name| by_name.get(name.as_str()));
        found.flatten().copied().collect()
    };
    let mut reached = HashSet::new();
    let is_named = |&number: &usize| items[number].1.name == evaluation.name;
    let mut waiting: Vec<usize> = (0..items.len()).filter(is_named).collect();
    while let Some(number) = waiting.pop() {
        if reached.insert(number) {
            waiting.extend(all(&mut items[number].1.uses.iter()));
        }
    }
    // From the tables back to what reads them; what they are made of has no other way.
    let mut reading: HashSet<usize> = (reached.iter().copied())
        .filter(|&number| is_table(&items[number]))
        .collect();
    let mut files: HashSet<usize> = (reading.iter())
        .flat_map(|&number| all(&mut items[number].1.uses.iter()))
        .map(|number| items[number].0)
        .collect();
    loop {
        let found: Vec<usize> = (reached.difference(&reading).copied())
            .filter(|&number| {
                let used = all(&mut items[number].1.uses.iter());
                used.iter().any(|used| reading.contains(used))
            })
            .collect();
        if found.is_empty() {
            break;
        }
        reading.extend(found);
    }
    files.extend(reading.iter().map(|&number| items[number].0));
    // `fn scaled(score: i32, board: &Board) -> i32`
    let passes = |file: usize, item: &DeclaredItem| {
        let mut functions = modules.files[file].declared.functions.iter();
        let is_score = |kind: &String| *kind == evaluation.score;
        functions.any(|function| {
            function.name == item.name
                && function.of == item.of
                && function.returned.as_ref().is_some_and(is_score)
                && function
                    .parameters
                    .iter()
                    .any(|given| is_score(&given.kind))
        })
    };
    let through = reached.iter().map(|&number| items[number]);
    files.extend(
        through
            .filter(|(file, item)| passes(*file, item))
            .map(|(file, _)| file),
    );
    Ok(files)
}
