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
use crate::{Failure, Job};
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
    /// Asks and writes, round by round, until an answer changes nothing; returns the mistakes that
    /// are left to the author.
    pub(super) fn run(&mut self) -> Result<Vec<Mistake>, Failure> {
        let mut mistakes = Vec::new();
        for _ in 0..ROUNDS {
            for (file, name) in Counts::of(self.modules).by_name() {
                let why = format!(
                    "`{name}` is a count by its name; take it off the list if it is a weight"
                );
                self.apply(file, Annotation::Frozen(name), &why);
            }
            self.write()?;
            mistakes = self.compiler.check_library()?;
            if self.answer(&mistakes) || self.leave_out(&mistakes) {
                continue;
            }
            if !self.untrace_a_file(&mistakes)? {
                break;
            }
        }
        Ok(mistakes)
    }

    /// Writes the files as they are to be, where the compiler reads them. A copy of the engine has
    /// no files of other folders, and those are left as they are then.
    fn write(&self) -> Result<(), Failure> {
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

    /// Writes what cures mistakes, of each the first of these that applies; tells whether anything
    /// was written, or taken back.
    ///
    /// 1. Without a place in a file, it may take a call of the macro back.
    /// 2. In a file that is not of the engine, nothing is done.
    /// 3. In a function that the macros would leave out, and that the evaluation does not surely
    ///    call: the function is left out.
    /// 4. In a function that the evaluation cannot reach, and that is not of a trait: the function
    ///    is left out.
    /// 5. At a const that the evaluation never reads: it is frozen.
    /// 6. Else what `cures` finds.
    ///
    /// Where a file is to be traced, files are traced in this round and nothing else is written:
    /// other mistakes may follow from that it is not traced.
    fn answer(&mut self, mistakes: &[Mistake]) -> bool {
        let counts = Counts::of(self.modules);
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
                // An operator is called without its name.
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

    /// The functions that the macros would leave untraced, each with the number of its file, in the
    /// order of the mistakes. Those that the evaluation surely calls are left out: they need
    /// another cure.
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

    /// The name of the const or static that is declared in a line; `None` if there is none, it is
    /// of a type or of a macro, or the evaluation may read it.
    fn unread(&self, file: usize, line: usize) -> Option<String> {
        let all = self.modules.model.readers.all.iter().enumerate();
        let mut declared = all.filter(|(_, one)| {
            one.file == file && one.location.0 == line && one.signature.is_none()
        });
        let (number, one) = declared.next()?;
        let is_item = one.owner.is_none() && !one.is_macro && one.written_by.is_none();
        (is_item && !self.reached.contains(&number)).then(|| one.name.clone())
    }

    /// Leaves out the functions with mistakes that nothing cures and whose names nothing else in a
    /// file with a twin uses; tells whether there was one. Operators stay, functions of the
    /// evaluation's name, and files that the author traced. Names are compared, not what they lead
    /// to, as a call of a method does not tell whose method it is.
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
            let uses = |one: &Reader| {
                let mut last = one.uses.iter().filter_map(|used| used.path.last());
                one.location != function.location && last.any(|name| *name == function.name)
            };
            let has_twin = |one: &&Reader| is_traced(&self.modules.files[one.file].text);
            let mut traced = all.iter().filter(has_twin);
            let is_own = self.modules.own.contains(&file);
            let is_left = is_operator || function.name == self.name || is_own;
            if !is_left && !traced.any(uses) {
                let name = function.name.clone();
                is_new |= self.apply(file, Annotation::Untraced(name), &mistake.text);
            }
        }
        is_new
    }

    /// Takes a file without weights out again if that leaves fewer mistakes, and no new one; tells
    /// whether it did. The file of the evaluation and those that the author traced stay. Such a
    /// file is next to the evaluation and no part of it, as a tuner of the engine's own.
    fn untrace_a_file(&mut self, mistakes: &[Mistake]) -> Result<bool, Failure> {
        let places = mistakes.iter().filter_map(|mistake| mistake.place.as_ref());
        let files = places.filter_map(|(path, _)| self.modules.file_at(path));
        let mut files: BTreeSet<usize> = files.collect();
        // A mistake about two items of one name is in the other's file.
        let is_named = |file: &CrateFile| {
            let module = format!("{}::", file.module.join("::"));
            file.module.len() > 1 && mistakes.iter().any(|one| one.text.contains(&module))
        };
        let all = self.modules.files.iter().enumerate();
        let named = all.filter(|(_, file)| is_named(file));
        files.extend(named.map(|(number, _)| number));
        for file in files {
            let text = self.modules.files[file].text.clone();
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

    /// What cures a mistake in what the evaluation calls: annotations and their files, none where
    /// only the author can decide. `is_used`: whether it is in a function.
    ///
    /// The first of these that gives something:
    ///
    /// 1. A weight that an untraced function reads is frozen, if that function gives no score.
    /// 2. The files that may declare the item that is to have a twin are traced; not that of a type
    ///    of which a `static mut` is.
    /// 3. Consts are frozen: where the macro would have that alone, in a function, all if they are
    ///    few; where it would also take the file for nonlinear, those that are used as counts.
    /// 4. The file is nonlinear, where the macro would have that.
    fn cures(
        &self,
        counts: &Counts,
        file: usize,
        mistake: &Mistake,
        is_used: bool,
    ) -> Vec<(usize, Annotation)> {
        let read = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Trace(name, Some(weight)) if self.modules.gives_no_score(name) => {
                Some(counts.plain(std::slice::from_ref(weight)))
            }
            _ => None,
        });
        if let Some(frozen) = read.filter(|frozen| !frozen.is_empty()) {
            return frozen;
        }
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
        let nonlinear = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Nonlinear(origins) => Some(origins),
            _ => None,
        });
        let freezable = mistake.cures.iter().find_map(|cure| match cure {
            Cure::Freeze(origins) => Some(origins),
            _ => None,
        });
        let frozen = match (freezable, nonlinear) {
            // A const that is wrong where it is declared need not be a count.
            (Some(origins), None) if is_used => counts.plain(origins),
            (_, Some(origins)) => counts.used_as_counts(origins),
            _ => Vec::new(),
        };
        if frozen.is_empty() && nonlinear.is_some() {
            return vec![(file, Annotation::Nonlinear)];
        }
        frozen
    }

    /// Whether a name is a method of what a `static mut` of the file holds, as a hash table of
    /// scores: that has no twin, and production's would answer in it.
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

    /// The files to trace for the item that `path` means at a mistake: its file, or no file where
    /// that is traced already or `path` leads out of the crate. `None` where `path` leads nowhere,
    /// so that the item has to be looked for by its name.
    fn named(&self, file: usize, mistake: &Mistake, path: &str) -> Option<Vec<usize>> {
        let model = &self.modules.model;
        let line = mistake.place.as_ref().map_or(0, |(_, line)| *line);
        let around = self.modules.function_at(file, line);
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
        let here = &model.modules[module];
        let full = here.import(path.first()?)?;
        (!here.is_inside(full) && model.resolve(module, full).is_none()).then(Vec::new)
    }

    /// The files without twins that declare an item, method or type of the name that a path ends
    /// with. Those of the module or type that stands before the name in the path, if there are any;
    /// of these those that the evaluation reaches, if there are any. None where they are more than
    /// [`NAMESAKES`], as then the name does not tell which is meant.
    fn files_of(&self, path: &str) -> Vec<usize> {
        let model = &self.modules.model;
        // `material::value`, as the call has it.
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

    /// Takes the call of `traced!` out of a file again where the macro says that it has nothing to
    /// do there, unless the author wrote it; tells whether it did.
    fn take_back(&mut self, mistake: &Mistake) -> bool {
        let seen = mistake.seen.as_ref();
        let seen = seen.filter(|_| mistake.text.contains("nothing in this file is a weight"));
        let Some(file) = seen.and_then(|(path, _)| self.modules.file_at(path)) else {
            return false;
        };
        if self.modules.own.contains(&file) || !remove(&mut self.modules.files[file].text) {
            return false;
        }
        // A call that no message has told of is taken back without one.
        if self.decided.iter().any(|(of, _)| *of == file) {
            self.say(file, "- traced!()", &mistake.text);
        }
        true
    }

    /// Says what was written into a file, or taken out of it, such as `+ traced!()` as `change`,
    /// and why: `why` up to the first `; `, behind which there is a cure.
    fn say(&self, file: usize, change: &str, why: &str) {
        let path = self.modules.files[file].path.display();
        self.job.say(format_args!("{path}: {change}"));
        let reason = why.split_once("; ").map_or(why, |(what, _)| what);
        self.job.say(format_args!("    {reason}"));
    }

    /// Writes an annotation into a file, once, and says why; tells whether it was not there.
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

/// Tells whether methods of a trait are called by an operator or a conversion, without their names;
/// by how the trait's name begins.
fn is_called_by_sign(of_trait: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "Index", "Deref", "From",
    ];
    SIGNS.iter().any(|sign| of_trait.starts_with(sign)) || matches!(of_trait, "Sum" | "Iterator")
}

/// Begins a conversation about an evaluation, in which nothing is decided yet. `engine`: its folder,
/// which the paths of files begin with.
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
    let file = modules.file_of(&evaluation.modules);
    Conversation {
        job,
        evaluation: file,
        called: reach::reached_by(modules, evaluation, Some(&[file])),
        name: evaluation.name.clone(),
        reached: reach::called(modules, evaluation),
        modules,
        compiler,
        manifest,
        engine,
        decided: HashSet::new(),
    }
}
