//! The conversation with the compiler: what the macros ask for is written where it changes
//! nothing but annotations, until they are content or only the author's decisions are left.

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path};

use super::annotations::{Annotation, is_traced, remove};
use super::compiler::{Compiler, Cure, Mistake};
use super::counts::Counts;
use super::manifest::Manifest;
use super::modules::Modules;
use super::reach;
use crate::failure::AtPath as _;
use crate::{Job, Result};
use tuner_base::write_if_changed;
use tuner_source::{Const, CrateFile, Holds, Reader, Scan};

/// Most rounds. Chosen: engines took at most six.
const ROUNDS: usize = 16;

/// Most files that may declare a name: of more files none is traced, as the name does not tell
/// which is meant.
const NAMESAKES: usize = 3;

/// A conversation with the compiler about one engine. Files and readers (functions, consts and
/// other items that read something) go by their numbers in `modules`.
pub(super) struct Conversation<'a> {
    pub(super) job: &'a Job,
    pub(super) modules: &'a mut Modules,
    pub(super) compiler: Compiler<'a>,
    pub(super) manifest: &'a Manifest,
    /// The engine's folder, which the paths of the files begin with.
    pub(super) engine: &'a Path,
    /// The readers that the evaluation may call, and what these call.
    pub(super) reached: HashSet<usize>,
    /// The readers that the evaluation surely calls, and the evaluation itself, by their numbers.
    pub(super) called: HashSet<usize>,
    /// The number of the evaluation's file, and the name of the function.
    pub(super) evaluation: usize,
    pub(super) name: String,
    /// What was decided so far, as number of a file and annotation; it is not decided again.
    pub(super) decided: HashSet<(usize, Annotation)>,
}

impl Conversation<'_> {
    /// Annotates the engine until it compiles with its traced twin, or only the author can decide:
    /// in each round it writes the files, asks the compiler for mistakes, and changes annotations
    /// that cure them. Ends after a round that changes nothing, or after [`ROUNDS`] (16). Returns
    /// the mistakes of the last answer, which are left to the author.
    pub(super) fn run(&mut self) -> Result<Vec<Mistake>> {
        let mut mistakes = Vec::new();
        for _ in 0..ROUNDS {
            // Consts whose names say that they count something are frozen before the compiler is
            // asked: they are not weights.
            for (file, name) in Counts::of(self.modules).by_name() {
                let why = format!(
                    "`{name}` is a count by its name; take it off the list if it is a weight"
                );
                self.apply(file, Annotation::Frozen(name), &why);
            }
            self.write()?;
            mistakes = self.compiler.check_library()?;
            // A weaker cure is tried only where the ones before it changed nothing.
            if self.answer(&mistakes) || self.leave_out(&mistakes) {
                continue;
            }
            if !self.untrace_a_file(&mistakes)? {
                break;
            }
        }
        Ok(mistakes)
    }

    /// Writes all files of the engine, with the annotations so far, into the folder where the
    /// compiler reads them. If that is a copy of the engine, files outside of the engine's folder
    /// are not in it, and are not written.
    fn write(&self) -> Result<()> {
        let is_copy = self.compiler.folder != Path::new(".").join(self.engine);
        for file in &self.modules.files {
            let path = file.path.strip_prefix(self.engine).unwrap_or(&file.path);
            let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if is_copy && !path.components().all(is_inside) {
                continue;
            }
            let path = self.compiler.folder.join(path);
            write_if_changed(&path, &self.manifest.with_feature(&file.text)).at(&path)?;
        }
        Ok(())
    }

    /// Writes annotations that cure mistakes of the compiler or the macros; tells whether anything
    /// was written, or taken back. For each mistake the first rule that applies decides:
    ///
    /// 1. It has no place in a file: if it says that nothing in a file is a weight, the file's call
    ///    of `traced!` is taken back.
    /// 2. It is in a file that is not of the engine: nothing is done.
    /// 3. It is in a function for which the macros propose that it gets no traced twin, and that
    ///    the evaluation does not surely call: the function gets none (`untraced`).
    /// 4. It is in a function that the evaluation cannot reach, and that is not of a trait: the
    ///    function gets no twin.
    /// 5. It is at a const that the evaluation never reads: the const is frozen.
    /// 6. Otherwise the annotations that `cures` returns are written.
    ///
    /// Where a file is to be traced, only files are traced in this round, and nothing else is
    /// written: other mistakes may come from the fact that it is not traced yet.
    fn answer(&mut self, mistakes: &[Mistake]) -> bool {
        let counts = Counts::of(self.modules);
        // The number of a file, what is to be written there, and why.
        let mut wanted: Vec<(usize, Annotation, &str)> = Vec::new();
        let left_out = self.left_out(mistakes);
        for (file, name) in &left_out {
            let why = "the score never calls it, and it has no traced form";
            wanted.push((*file, Annotation::Untraced(name.clone()), why));
        }
        let mut is_new = false;
        for mistake in mistakes {
            let Some((path, line)) = &mistake.place else {
                is_new |= self.take_back(mistake);
                continue;
            };
            let Some(file) = self.modules.file_at(path) else {
                continue;
            };
            let around = self.modules.function_at(file, *line);
            let around = around.map(|number| (number, &self.modules.model.readers.all[number]));
            if let Some((number, function)) = around {
                let is_it = |(of, name): &(usize, String)| (*of, name) == (file, &function.name);
                if left_out.iter().any(is_it) {
                    continue;
                }
                // A function of a trait may be an operator, whose calls do not show its name, so it
                // may be called although no call was found.
                if !self.reached.contains(&number) && function.of_trait.is_none() {
                    let name = function.name.clone();
                    wanted.push((file, Annotation::Untraced(name), &mistake.text));
                    continue;
                }
            }
            if let Some(name) = self.unread(file, *line) {
                wanted.push((file, Annotation::Frozen(name), &mistake.text));
                continue;
            }
            let cures = self.cures(&counts, file, mistake, around.is_some());
            let cures = cures.into_iter();
            wanted.extend(cures.map(|(file, cure)| (file, cure, &*mistake.text)));
        }
        // Whether a file is to be traced that is not yet, and for which that is not decided.
        let is_trace = |(file, annotation, _): &&(usize, Annotation, &str)| {
            let is_open = !is_traced(&self.modules.files[*file].text);
            *annotation == Annotation::Traced
                && is_open
                && !self.decided.contains(&(*file, Annotation::Traced))
        };
        if wanted.iter().any(|one| is_trace(&one)) {
            wanted.retain(|(_, annotation, _)| *annotation == Annotation::Traced);
        }
        for (file, annotation, why) in wanted {
            is_new |= self.apply(file, annotation, why);
        }
        is_new
    }

    /// Lists the functions for which the macros propose that they get no traced twin (the cure
    /// `untrace` of a mistake), each as the number of its file and its name, in the order of the
    /// mistakes. Functions that the evaluation surely calls are not in the list: they need another
    /// cure.
    fn left_out(&self, mistakes: &[Mistake]) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for mistake in mistakes {
            let place = mistake.place.as_ref();
            let Some(file) = place.and_then(|(path, _)| self.modules.file_at(path)) else {
                continue;
            };
            let is_called = |name: &String| {
                let all = &self.modules.model.readers.all;
                let mut called = self.called.iter().map(|&n| &all[n]);
                called.any(|one| one.file == file && one.name == *name)
            };
            for cure in &mistake.cures {
                if let Cure::Untrace(names) = cure {
                    let names = names.iter().filter(|name| !is_called(name));
                    found.extend(names.map(|name| (file, name.clone())));
                }
            }
        }
        found
    }

    /// Returns the name of the const or static that is declared in a line of a file, if the
    /// evaluation never reads it. `None` if none is declared there, if it belongs to a type or
    /// comes from a macro, or if the evaluation may read it.
    fn unread(&self, file: usize, line: usize) -> Option<String> {
        let all = self.modules.model.readers.all.iter().enumerate();
        let mut declared = all.filter(|(_, one)| {
            one.file == file && one.location.0 == line && one.signature.is_none()
        });
        let (number, one) = declared.next()?;
        let is_item = one.owner.is_none() && !one.is_macro && one.written_by.is_none();
        (is_item && !self.reached.contains(&number)).then(|| one.name.clone())
    }

    /// Gives no traced twin (annotation `untraced`) to functions with mistakes whose names nothing
    /// else in a file with `traced!` uses; tells whether any was annotated. It is called where no
    /// other cure helped. Operators, functions of the evaluation's name, and functions in files
    /// that the author traced are not touched. Names are compared, not what they lead to, as a call
    /// of a method does not tell whose method it is.
    fn leave_out(&mut self, mistakes: &[Mistake]) -> bool {
        let mut is_new = false;
        for mistake in mistakes {
            let place = mistake.place.as_ref();
            let Some((file, number)) = place.and_then(|(path, line)| {
                let file = self.modules.file_at(path)?;
                Some((file, self.modules.function_at(file, *line)?))
            }) else {
                continue;
            };
            let all = &self.modules.model.readers.all;
            let function = &all[number];
            let is_operator = function.of_trait.as_deref().is_some_and(is_called_by_sign);
            // Whether another item uses a path that ends with the function's name.
            let uses = |one: &Reader| {
                let mut last = one.uses.iter().filter_map(|used| used.path.last());
                one.location != function.location && last.any(|name| *name == function.name)
            };
            let has_twin = |one: &&Reader| is_traced(&self.modules.files[one.file].text);
            let mut traced = all.iter().filter(has_twin);
            // `is_own`: the author traced the file; `is_left`: the function must not be touched.
            let is_own = self.modules.own.contains(&file);
            let is_left = is_operator || function.name == self.name || is_own;
            if !is_left && !traced.any(uses) {
                let name = function.name.clone();
                is_new |= self.apply(file, Annotation::Untraced(name), &mistake.text);
            }
        }
        is_new
    }

    /// Takes the call of `traced!` out of a file that has mistakes and no weights, if that leaves
    /// fewer mistakes and no new one; tells whether it did so, which it does for one file at most.
    /// The file of the evaluation and files that the author traced stay traced. The file may be
    /// beside the evaluation and no part of it, such as a tuner of the engine's own.
    fn untrace_a_file(&mut self, mistakes: &[Mistake]) -> Result<bool> {
        let places = mistakes.iter().filter_map(|mistake| mistake.place.as_ref());
        let files = places.filter_map(|(path, _)| self.modules.file_at(path));
        let mut files: BTreeSet<usize> = files.collect();
        // A mistake about two items of one name is placed in the file of one of them, and names the
        // module of the other in its text; that module's file is tried too.
        let is_named = |file: &CrateFile| {
            let module = format!("{}::", file.module.join("::"));
            file.module.len() > 1 && mistakes.iter().any(|one| one.text.contains(&module))
        };
        let all = self.modules.files.iter().enumerate();
        let named = all.filter(|(_, file)| is_named(file));
        files.extend(named.map(|(number, _)| number));
        for file in files {
            let text = self.modules.files[file].text.clone();
            // Whether a const holds numbers that may be weights.
            let holds =
                |one: &Const| !one.literals.is_empty() && !matches!(one.holds, Holds::Nothing(_));
            let scan = Scan::of(&[&text]).unwrap_or_default();
            let is_needed = file == self.evaluation || self.modules.own.contains(&file);
            let is_left = is_needed || scan.consts.iter().any(holds);
            if is_left || !remove(&mut self.modules.files[file].text) {
                continue;
            }
            self.write()?;
            let left = self.compiler.check_library()?;
            let is_old = |mistake: &Mistake| mistakes.contains(mistake);
            if left.len() < mistakes.len() && left.iter().all(is_old) {
                let (before, after) = (mistakes.len(), left.len());
                let why = format!(
                    "it has no weights, and without it there are {after} mistakes, not {before}"
                );
                self.say(file, "- traced!()", &why);
                self.decided.insert((file, Annotation::Traced));
                return Ok(true);
            }
            self.modules.files[file].text = text;
        }
        Ok(false)
    }

    /// Returns what cures a mistake in code that the evaluation calls: annotations, each with the
    /// number of its file; empty where only the author can decide. `file`: that of the mistake;
    /// `is_used`: whether the mistake is in a function, not at the declaration of a const.
    ///
    /// The cures that the macro proposes with the mistake are tried in this order; the first rule
    /// that gives an annotation is taken:
    ///
    /// 1. It proposes to trace a function, or else to freeze the weight that the function reads:
    ///    the weight is frozen, if the function returns something other than a score.
    /// 2. It proposes to trace an item: the files that may declare the item are traced, except the
    ///    file of a type that a `static mut` holds.
    /// 3. It proposes to freeze consts. If it proposes nothing else, all are frozen, if they are
    ///    few and `is_used`; if it also proposes `nonlinear`, those that are used as counts.
    /// 4. It proposes `nonlinear`: the file is annotated so.
    fn cures(
        &self,
        counts: &Counts,
        file: usize,
        mistake: &Mistake,
        is_used: bool,
    ) -> Vec<(usize, Annotation)> {
        // Rule 1. `plain` gives the annotations that freeze consts by their names.
        let read = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Trace(name, Some(weight)) if self.modules.gives_no_score(name) => {
                Some(counts.plain(std::slice::from_ref(weight)))
            }
            _ => None,
        });
        if let Some(frozen) = read.filter(|frozen| !frozen.is_empty()) {
            return frozen;
        }
        // Rule 2. `is_cache`: whether a file has a `static mut` of the item's type.
        let names = mistake.cures.iter().filter_map(|cure| match cure {
            Cure::Trace(name, _) => Some(name),
            _ => None,
        });
        let is_cache = |file: &usize| {
            let mut last = names.clone().filter_map(|name| name.rsplit("::").next());
            last.any(|name| self.is_of_changing_static(*file, name))
        };
        let files = names.clone().next().map_or_else(Vec::new, |name| {
            let named = self.named(file, mistake, name);
            named.unwrap_or_else(|| self.files_of(name))
        });
        let traced = files.into_iter().filter(|file| !is_cache(file));
        let traced: Vec<_> = traced.map(|file| (file, Annotation::Traced)).collect();
        if !traced.is_empty() {
            return traced;
        }
        // Rules 3 and 4. `origins`: the names of the consts that the score at the mistake is from.
        let nonlinear = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Nonlinear(origins) => Some(origins),
            _ => None,
        });
        let freezable = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Freeze(origins) => Some(origins),
            _ => None,
        });
        let frozen = match (freezable, nonlinear) {
            // A const with a mistake at its declaration need not be a count; it is not frozen.
            (Some(origins), None) if is_used => counts.plain(origins),
            (_, Some(origins)) => counts.used_as_counts(origins),
            _ => Vec::new(),
        };
        if frozen.is_empty() && nonlinear.is_some() {
            return vec![(file, Annotation::Nonlinear)];
        }
        frozen
    }

    /// Tells whether `name` is a method of a type that a `static mut` of the file holds, such as a
    /// hash table of scores. The file of such a type is not traced: the static has no twin, so the
    /// twin would read production's scores from it.
    fn is_of_changing_static(&self, file: usize, name: &str) -> bool {
        let all = self.modules.model.readers.all.iter();
        let mut named = all.filter(|one| one.file == file && one.name == name);
        let text = &self.modules.files[file].text;
        named.any(|one| {
            one.owner.as_ref().is_some_and(|owner| {
                let ends = [" =", "<", ";"].map(|end| format!(": {owner}{end}"));
                let mut statics = text.lines().filter(|line| line.contains("static mut "));
                statics.any(|line| ends.iter().any(|end| line.contains(end)))
            })
        })
    }

    /// Returns the file to trace for the item that `path` means at the place of a mistake in
    /// `file`: the one that declares it, or an empty list where that is traced already or `path`
    /// leads out of the crate. `None` where `path` leads nowhere, so that the caller has to look
    /// for the item by its name alone.
    fn named(&self, file: usize, mistake: &Mistake, path: &str) -> Option<Vec<usize>> {
        let model = &self.modules.model;
        let line = mistake.place.as_ref().map_or(0, |(_, line)| *line);
        let around = self.modules.function_at(file, line);
        // Names are resolved in the module of the function around the mistake, or of the file.
        let module = match around {
            Some(number) => model.readers.all[number].module,
            None => model.module(&self.modules.files[file].module)?,
        };
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        if let Some((of, _)) = model.item_behind(module, &path) {
            let file = self.modules.file_of(&model.modules[of].path);
            let is_open = !is_traced(&self.modules.files[file].text);
            return Some(is_open.then_some(file).into_iter().collect());
        }
        // An import that leads to no item of this crate leads to another crate.
        let here = &model.modules[module];
        let full = here.import(path.first()?)?;
        (!here.is_inside(full) && model.resolve(module, full).is_none()).then(Vec::new)
    }

    /// Lists the files without a call of `traced!` that declare an item, method or type with the
    /// last name of `path`. If some of these belong to the module or type that the path names
    /// before (`material` in `material::value`), only they are meant; of those again only the ones
    /// that the evaluation reaches, if there are any. Empty where more than [`NAMESAKES`] (3) files
    /// remain, as then the name does not tell which is meant.
    fn files_of(&self, path: &str) -> Vec<usize> {
        let model = &self.modules.model;
        // Of `material::value`: `name` is `value`, `around` is `material`.
        let mut around = path.rsplit("::");
        let name = around.next().unwrap_or(path);
        let around = around.next();
        let all = model.readers.all.iter().enumerate();
        let is_named = |one: &Reader| one.name == name || one.owner.as_deref() == Some(name);
        let named: Vec<(usize, &Reader)> = all.filter(|(_, one)| is_named(one)).collect();
        let is_around = |one: &Reader| {
            let module = model.modules[one.module].path.last();
            around.is_some()
                && (module.map(String::as_str) == around || one.owner.as_deref() == around)
        };
        let is_told = named.iter().any(|(_, one)| is_around(one));
        let named = named.iter().filter(|(_, one)| !is_told || is_around(one));
        let named: Vec<(usize, usize)> = named.map(|(number, one)| (*number, one.file)).collect();
        // Files that declare a type of this name; they count only if the evaluation reaches no
        // item.
        let types = (model.modules.iter()).filter(|module| module.types.contains(name));
        let of_type = types.map(|module| self.modules.file_of(&module.path));
        let is_open = |file: &usize| !is_traced(&self.modules.files[*file].text);
        let reached = (named.iter()).filter(|(number, _)| self.reached.contains(number));
        let mut found: BTreeSet<usize> = reached.map(|&(_, file)| file).filter(is_open).collect();
        if found.is_empty() {
            let all = named.iter().map(|&(_, file)| file).chain(of_type);
            found = all.filter(is_open).collect();
        }
        if found.len() > NAMESAKES {
            found.clear();
        }
        found.into_iter().collect()
    }

    /// Takes the call of `traced!` out of the file of a mistake, where the mistake says that
    /// nothing in the file is a weight and the author did not write the call; tells whether it did.
    fn take_back(&mut self, mistake: &Mistake) -> bool {
        let seen = mistake.seen.as_ref();
        let seen = seen.filter(|_| mistake.text.contains("nothing in this file is a weight"));
        let Some(file) = seen.and_then(|(path, _)| self.modules.file_at(path)) else {
            return false;
        };
        if self.modules.own.contains(&file) || !remove(&mut self.modules.files[file].text) {
            return false;
        }
        // It is said only if annotations of this file were said before; the caller of the
        // conversation may have added the call without a message.
        if self.decided.iter().any(|(of, _)| *of == file) {
            self.say(file, "- traced!()", &mistake.text);
        }
        true
    }

    /// Says what was written into a file or taken out of it (`change`, such as `+ traced!()`), and
    /// the reason: the part of `why` before the first `; `. Behind that a message of the macros has
    /// a cure, which is done already.
    fn say(&self, file: usize, change: &str, why: &str) {
        let path = self.modules.files[file].path.display();
        self.job.say(format_args!("{path}: {change}"));
        let reason = why.split_once("; ").map_or(why, |(what, _)| what);
        self.job.say(format_args!("    {reason}"));
    }

    /// Writes an annotation into the text of a file, and says so and why; tells whether it was not
    /// there before. What was decided once for a file, also to take it back, is not done again.
    fn apply(&mut self, file: usize, annotation: Annotation, why: &str) -> bool {
        let known = (file, annotation);
        if self.decided.contains(&known) {
            return false;
        }
        let text = &mut self.modules.files[file].text;
        let is_new = known.1.write(text);
        if is_new {
            self.say(file, &format!("+ {}", known.1.text()), why);
        }
        self.decided.insert(known);
        is_new
    }
}

/// Tells by the name of a trait whether its methods are called by an operator, a conversion or a
/// loop, so that their names need not be at the call.
fn is_called_by_sign(of_trait: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "Index", "Deref", "From",
    ];
    SIGNS.iter().any(|sign| of_trait.starts_with(sign)) || matches!(of_trait, "Sum" | "Iterator")
}

/// Begins the conversation with the compiler about an engine's evaluation, in which nothing is
/// decided yet. `engine`: the engine's folder, which the paths of `modules` begin with. The paths
/// of files that the author traced are passed to `compiler`.
pub(super) fn of<'a>(
    job: &'a Job,
    modules: &'a mut Modules,
    mut compiler: Compiler<'a>,
    manifest: &'a Manifest,
    engine: &'a Path,
    evaluation: &super::Evaluation,
) -> Conversation<'a> {
    for &file in &modules.own {
        let path = &modules.files[file].path;
        let path = path.strip_prefix(engine).unwrap_or(path);
        compiler.own.extend([&*path.to_string_lossy(), "\n"]);
    }
    // `called`: functions that the evaluation surely calls, by paths or by methods of its own file;
    // `reached`: all that it may call or read, by the names of methods alone too.
    let file = modules.file_of(&evaluation.modules);
    Conversation {
        job,
        evaluation: file,
        called: reach::reached_by(modules, evaluation, Some(&[file])),
        name: evaluation.name.clone(),
        reached: reach::reached_by(modules, evaluation, None),
        modules,
        compiler,
        manifest,
        engine,
        decided: HashSet::new(),
    }
}
