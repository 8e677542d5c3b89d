//! Which files an evaluation has its weights in, and the functions through which they
//! reach it.

use std::collections::{HashMap, HashSet};

use super::modules::Modules;
use crate::Failure;
use tuner_source::{DeclaredItem, Holds, Scan};

/// The files that declare what the evaluation reads: weights, what these are made of, and
/// what computes with them. By names alone, so rather too many files than too few; what
/// has no way from the function `evaluation` to a weight is in none.
pub(super) fn files(modules: &Modules, evaluation: &str) -> Result<HashSet<usize>, Failure> {
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
        .filter(|found| !found.literals.is_empty() && !matches!(found.holds, Holds::Nothing(_)))
        .map(|found| (found.file, found.item.as_str()));
    let tables: HashSet<(usize, &str)> = tables.collect();
    let items: Vec<(usize, &DeclaredItem)> = (modules.files.iter().enumerate())
        .flat_map(|(number, file)| file.declared.items.iter().map(move |item| (number, item)))
        .collect();
    let is_table =
        |&(file, item): &(usize, &DeclaredItem)| tables.contains(&(file, item.name.as_str()));

    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, (_, item)) in items.iter().enumerate() {
        by_name.entry(&item.name).or_default().push(number);
    }
    let all = |names: &mut dyn Iterator<Item = &String>| -> Vec<usize> {
        let found = names.filter_map(|name| by_name.get(name.as_str()));
        found.flatten().copied().collect()
    };
    let mut reached = HashSet::new();
    let mut waiting = by_name.get(evaluation).cloned().unwrap_or_default();
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
    Ok(files)
}
