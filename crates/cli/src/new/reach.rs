//! Which files an evaluation has its weights in, and the functions through which they
//! reach it.

use std::collections::HashSet;

use super::evaluation::Evaluation;
use super::modules::Modules;
use tuner_jobs::JobFailure as Failure;
use tuner_source::{Holds, Reader, Scan, Use, UsePlace};

/// The files among some that declare what the evaluation reads: weights, what these are
/// made of, what computes with them, and what scores go through. Where several methods may be
/// meant all are, so rather too many files than too few; what has no way from the function to a
/// weight in these is in none.
pub(super) fn files(
    modules: &Modules,
    among: &[usize],
    evaluation: &Evaluation,
) -> Result<HashSet<usize>, Failure> {
    let texts: Vec<&str> = (modules.files.iter())
        .map(|file| file.text.as_str())
        .collect();
    let scan = Scan::of(&texts);
    let scan = scan.map_err(|errors| errors[0].1.to_string())?;
    let tables = (scan.consts.iter())
        .filter(|found| {
            among.contains(&found.file)
                && !found.literals.is_empty()
                && !matches!(found.holds, Holds::Nothing(_))
        })
        .map(|found| (found.file, found.item.as_str()));
    let tables: HashSet<(usize, &str)> = tables.collect();
    let all = &modules.model.readers.all;
    let is_table = |&&n: &&usize| tables.contains(&(all[n].file, all[n].name.as_str()));
    let used = |n| modules.model.used_by(n).flat_map(|(readers, _)| readers);

    let mut reached = HashSet::new();
    let mut waiting: Vec<usize> = (0..all.len())
        .filter(|&n| all[n].name == evaluation.name)
        .collect();
    while let Some(number) = waiting.pop() {
        if reached.insert(number) {
            waiting.extend(used(number));
        }
    }
    // From the tables back to what reads them; what they are made of has no other way.
    let mut reading: HashSet<usize> = reached.iter().filter(is_table).copied().collect();
    let made_of = reading.iter().flat_map(|&table| made_of(modules, table));
    let mut files: HashSet<usize> = made_of.collect();
    loop {
        let found: Vec<usize> = (reached.difference(&reading).copied())
            .filter(|&number| used(number).any(|used| reading.contains(&used)))
            .collect();
        if found.is_empty() {
            break;
        }
        reading.extend(found);
    }
    // `fn scaled(score: i32, board: &Board) -> i32`
    let passes = |reader: &Reader| {
        let is_score = |kind: &String| *kind == evaluation.score;
        reader.returned().is_some_and(|(_, kind)| is_score(&kind))
            && reader.parameters().iter().any(|(_, kind)| is_score(kind))
    };
    let through = reached.iter().filter(|&&n| passes(&all[n]));
    files.extend(reading.iter().chain(through).map(|&n| all[n].file));
    Ok(files)
}

/// The files of what a table names: its type with all that is implemented for it, macros,
/// functions, other consts.
fn made_of(modules: &Modules, table: usize) -> HashSet<usize> {
    let (model, all) = (&modules.model, &modules.model.readers.all);
    let reader = &all[table];
    let place = UsePlace::of(table, reader);
    let mut files = HashSet::new();
    let named = |used: &Use| {
        let path = model.spelt(&place, used);
        // All of the path, or the type of `Type::new`.
        let ways = (0..path.len().min(2)).map(|rest| &path[..path.len() - rest]);
        let mut found = ways.filter_map(|way| model.item_behind(reader.module, way));
        found.next()
    };
    for used in reader.uses.iter().chain(&reader.gives) {
        let behind = model.behind(&place, used).map(|(readers, _)| readers);
        files.extend(behind.into_iter().flatten().map(|n| all[n].file));
        if let Some((module, name)) = named(used) {
            files.insert(modules.file_of(&model.modules[module].path));
            let own = all.iter().filter(|one| one.owner.as_ref() == Some(&name));
            files.extend(own.map(|one| one.file));
        }
    }
    files
}
