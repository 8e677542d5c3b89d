//! Which files an evaluation has its weights in, and the functions through which they
//! reach it.

use std::collections::HashSet;

use super::counts;
use super::evaluation::Evaluation;
use super::modules::Modules;
use crate::Result;
use tuner_source::{Const, CrateModel, Holder, Holds, Reader, Scan, Use, UseKind, UsePlace};

/// Fewest numbers of a table outside the evaluation's module that is taken for weights. Chosen: a
/// value for each piece.
const LARGE: usize = 5;

/// Returns the numbers of the files that an evaluation needs to have traced: those that declare
///
/// 1. weights that the evaluation may read: consts in the files `among`, and tables of [`LARGE`]
///    (5) numbers or more in other files;
/// 2. what the weights are made of: their types, macros, functions, and other consts;
/// 3. functions on the way from the evaluation to a weight;
/// 4. functions that the evaluation may call, and that take a score and return one.
///
/// Items of 1, 3 and 4 count only if they are in a file `among`, or if a path leads to them, so
/// that they are surely called or read, which the name of a method alone does not show.
pub(super) fn files(
    modules: &Modules,
    among: &[usize],
    evaluation: &Evaluation,
) -> Result<HashSet<usize>> {
    let texts: Vec<&str> = modules.files.iter().map(|file| &*file.text).collect();
    let scan = Scan::of(&texts);
    let scan = scan.map_err(|errors| errors[0].1.to_string())?;
    // Whether a const of a file that is not `among` may be a table of weights.
    let is_large = |found: &Const| {
        matches!(&found.holds, Holds::Numbers(_))
            && found.holder == Holder::Item
            && found.literals.len() >= LARGE
            && !counts::is_one(found)
    };
    let tables = (scan.consts.iter())
        .filter(|found| !found.literals.is_empty() && !matches!(found.holds, Holds::Nothing(_)));
    let (inner, outer): (Vec<&Const>, Vec<&Const>) =
        tables.partition(|found| among.contains(&found.file));
    let outer = outer.into_iter().filter(|found| is_large(found));
    // Consts are told by file and name from here on, as the readers (functions, consts and other
    // items of the model) are.
    let by_name = |found: &Const| (found.file, found.item.clone());
    let (mut tables, outer): (HashSet<_>, HashSet<_>) = (
        inner.into_iter().map(by_name).collect(),
        outer.map(by_name).collect(),
    );
    let all = &modules.model.readers.all;
    let named = |n: usize| (all[n].file, all[n].name.clone());
    // `surely`: what the evaluation surely calls or reads; `reached`: also what the name of a
    // method alone leads to. Large tables of other files count if they are surely read.
    let surely = reached_by(modules, evaluation, Some(among));
    let read = surely.iter().copied().map(named);
    tables.extend(read.filter(|name| outer.contains(name)));
    let is_table = |&&n: &&usize| tables.contains(&named(n));
    // What reader `n` calls or reads itself.
    let used = |n| used_by(&modules.model, n).flat_map(|(readers, _)| readers);
    let reached = reached_by(modules, evaluation, None);
    // `reading`: the tables that the evaluation may read, and then, round by round, what reads
    // something in `reading`. What the tables are made of is found from the tables.
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
    // Whether a function takes a score and returns one: `fn scaled(score: i32, b: &Board) -> i32`.
    let passes = |reader: &Reader| {
        let is_score = |kind: &String| *kind == evaluation.kind.score;
        reader.returned().is_some_and(|(_, kind)| is_score(&kind))
            && reader.parameters().iter().any(|(_, kind)| is_score(kind))
    };
    let through = reached.iter().filter(|&&n| passes(&all[n]));
    let through = reading.iter().chain(through);
    // The call of a method leads to all methods of this name, so that one in another file is mostly
    // not meant.
    let is_sure = |n: usize| among.contains(&all[n].file) || surely.contains(&n);
    files.extend(through.filter(|&&n| is_sure(n)).map(|&n| all[n].file));
    Ok(files)
}

/// Returns a message on each table that the evaluation surely reads and whose numbers come from
/// `include_bytes!`, so that no weight can be found in it; a message begins with file and line.
pub(super) fn blobs(modules: &Modules, evaluation: &Evaluation) -> Vec<String> {
    // With an empty list of files only what paths lead to is reached, and no method by its name.
    let mut found: Vec<&Reader> = reached_by(modules, evaluation, Some(&[]))
        .into_iter()
        .map(|number| &modules.model.readers.all[number])
        .filter(|one| one.signature.is_none() && !one.is_macro)
        .filter(|one| {
            let mut named = one.uses.iter().filter_map(|used| used.path.last());
            named.any(|name| name == "include_bytes")
        })
        .collect();
    found.sort_by_key(|one| (one.file, one.location));
    let place = |one: &Reader| {
        let (path, name) = (modules.files[one.file].path.display(), &one.name);
        format!(
            "{path}:{}: nobody can see the numbers in `{name}`, which come as bytes; write them out as literals \
             of its type, once: `println!(\"{{{name}:?}}\")` prints them where the types have `#[derive(Debug)]`; \
             or write `traced!(frozen({name}))` at the end of the file if it holds no weights",
            one.location.0
        )
    };
    found.into_iter().map(place).collect()
}

/// Returns the numbers of the readers (functions, consts and other items) that the evaluation calls
/// or reads, directly or through others, and its own.
///
/// A path leads to one reader, but the call of a method leads to all methods of that name, of which
/// one is meant. `surely`: the files whose methods count although only their name is known; `None`:
/// all files, but not methods of the trait `Iterator`, as `next` mostly is one of the standard
/// library.
pub(super) fn reached_by(
    modules: &Modules,
    evaluation: &Evaluation,
    surely: Option<&[usize]>,
) -> HashSet<usize> {
    let model = &modules.model;
    let mut reached = HashSet::new();
    let all = &model.readers.all;
    // It starts from the evaluation. If methods of all files count, anything of the evaluation's
    // name in another module is a start too, such as another type's method of the same trait.
    let own = all.iter().enumerate().filter(|(_, one)| {
        let is_here = model.modules[one.module].path == evaluation.modules;
        one.name == evaluation.name && (is_here || surely.is_none())
    });
    let mut waiting: Vec<usize> = own.map(|(number, _)| number).collect();
    let is_iterator = |one: &Reader| one.of_trait.as_deref() == Some("Iterator");
    while let Some(number) = waiting.pop() {
        if reached.insert(number) {
            // `is_sure`: a path leads to the readers, not a method's name alone.
            let used = used_by(model, number).flat_map(|(readers, is_sure)| {
                let is_own = move |number: &usize| {
                    let one = &all[*number];
                    let is_among = |files: &[usize]| files.contains(&one.file);
                    is_sure || surely.map_or(!is_iterator(one), is_among)
                };
                readers.into_iter().filter(is_own)
            });
            waiting.extend(used);
        }
    }
    reached
}

/// For each use of a name in the body of a reader (a function, const or other item), gives the
/// numbers of the readers that it may mean, and whether that is sure, as a path leads there.
/// `reader`: its number. Uses that lead to no reader of the crate are left out.
fn used_by(model: &CrateModel, reader: usize) -> impl Iterator<Item = (Vec<usize>, bool)> {
    let body = &model.readers.all[reader];
    let place = UsePlace::of(reader, body);
    let uses = body.uses.iter();
    uses.filter_map(move |used| behind(model, &place, used))
}

/// Returns the numbers of the readers (functions, consts and other items) that a use of a name at a
/// place may mean, and whether that is sure; `None` if it leads to no reader of the crate. Where
/// the use names a type, methods of other types with the same name are left out, such as those in a
/// file that is left over from an older evaluation.
fn behind(model: &CrateModel, place: &UsePlace<'_>, used: &Use) -> Option<(Vec<usize>, bool)> {
    let (mut readers, is_sure) = model.behind(place, used)?;
    // The path of the type that the use is of: `Type` in `Type::new`, or the type of the value that
    // a method is called on, where that is known.
    let path = match &used.kind {
        UseKind::Path => (model.spelt(place, used).split_last()).map(|(_, of)| of.to_vec()),
        UseKind::Method(method) if method.fields.is_empty() => method.on.clone().map(|on| vec![on]),
        _ => None,
    };
    if let Some(of) = path.and_then(|path| model.item_behind(place.module, &path)) {
        readers.retain(|&n| is_of(model, &model.readers.all[n], &of));
    }
    Some((readers, is_sure))
}

/// Tells whether a reader (a function, const or other item) may be implemented for the type `of`,
/// given by the number of its module and its name. `false` only if the reader is of a type with
/// this name that is another type; `true` for all others, also where that is not known.
fn is_of(model: &CrateModel, one: &Reader, of: &(usize, String)) -> bool {
    let owner = one.owner.as_slice();
    let meant = || model.item_behind(one.module, owner);
    owner != [of.1.as_str()] || meant().is_none_or(|meant| meant == *of)
}

/// Returns the numbers of the files that declare what a table of weights is made of: its type with
/// all that is implemented for that, and the macros, functions and other consts that it names.
/// `table`: its number among the readers, the functions, consts and other items of the crate.
fn made_of(modules: &Modules, table: usize) -> HashSet<usize> {
    let (model, all) = (&modules.model, &modules.model.readers.all);
    let reader = &all[table];
    let place = UsePlace::of(table, reader);
    let mut files = HashSet::new();
    // The module and name of the item that a use leads to.
    let named = |used: &Use| {
        let path = model.spelt(&place, used);
        // The path itself, or the path without its last name, which is the type in `Type::new`.
        let ways = (0..path.len().min(2)).map(|rest| &path[..path.len() - rest]);
        let mut found = ways.filter_map(|way| model.item_behind(reader.module, way));
        found.next()
    };
    for used in reader.uses.iter().chain(&reader.gives) {
        let readers = behind(model, &place, used).map(|(readers, _)| readers);
        files.extend(readers.into_iter().flatten().map(|n| all[n].file));
        // An alias stands for another type, so that nothing is implemented for its own name.
        let is_own = |of: usize, name: &String| !model.modules[of].aliases.contains_key(name);
        if let Some(of) = named(used).filter(|(of, name)| is_own(*of, name)) {
            files.insert(modules.file_of(&model.modules[of.0].path));
            let own = all.iter().filter(|one| one.owner.as_ref() == Some(&of.1));
            let own = own.filter(|one| is_of(model, one, &of));
            files.extend(own.map(|one| one.file));
        }
    }
    files
}
