//! The engine itself at some weights: a build of its own, or one that reads them from a file.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::{Treatment, with_rules};
use crate::copies::{Copies, FOLDER};
use crate::failure::AtPath as _;
use crate::project::{absolute, build};
use crate::weights::named_lines;
use crate::{Failure, Job, NamedSet, Project, Result};
use tuner_data::AnyGame;
use tuner_engine::{Evaluation, EvaluatorProgram, LinkedSpec};
use tuner_spec::ProjectEngine;
use tuner_spec::source::Sources;
use tuner_tournament::{Program, Protocol};

/// An engine that plays as a program of its own, at any weights, and how it gets these.
pub(crate) struct Builds<'a> {
    copies: Copies<'a>,
    protocol: Protocol,
    /// The option by which the engine reads a file of weights; it is then built once. `None`: each
    /// set of weights takes a build.
    weights_option: Option<&'a str>,
    /// Options of `[engine]`, set before those that a command names.
    options: &'a [(String, String)],
    /// The engine built from its own sources, where it reads weights by an option.
    as_it_is: OnceLock<EvaluatorProgram>,
    pub(super) game: &'a AnyGame,
    /// How players are treated, in their order; players beyond its end are treated as usual.
    pub(super) treatment: Vec<Treatment>,
}

impl<'a> Builds<'a> {
    /// Takes the engine of a project, and builds nothing yet. Fails if there is no way to give it
    /// other weights, which are an option that reads a file, sources with literals, or a header; or
    /// if the rules of its game are not known here.
    pub(crate) fn new(
        project: &'a Project,
        linked: &'a LinkedSpec,
        engine: &'a ProjectEngine,
    ) -> Result<Self> {
        let file = project.file.file.display();
        let weights_option = engine.weights_option.as_deref();
        let copies = Copies {
            project,
            linked,
            program: &engine.program,
            what: "engine",
        };
        let sources = &project.file.sources;
        if weights_option.is_none() && !copies.is_header() {
            if sources.is_empty() {
                let literals = if project.is_rust() {
                    "`sources = [\"src\"]`, or in "
                } else {
                    ""
                };
                fail!(
                    "{file}: games need the engine at other weights, and nothing says how it gets \
                     them; add {literals}[engine] `weights_option = \"NAME\"`, an option of the engine \
                     that takes a file of lines `NAME VALUE` (docs/playing.md)"
                );
            }
            // Reading them now tells of mistakes in the author's files, before copies of them are
            // built.
            Sources::read(sources)?;
        }
        let game = with_rules(project.game()?, "games of the engine itself")?;
        Ok(Self {
            copies,
            protocol: engine.protocol.parse()?,
            weights_option,
            options: &engine.options,
            as_it_is: OnceLock::new(),
            game,
            treatment: Vec::new(),
        })
    }

    /// Returns the evaluator, if it has a quiescence search: it then tells scores of positions,
    /// which the engine's program cannot. `None` if it has no such search.
    pub(super) fn looks(&self) -> Result<Option<&'a Evaluation>> {
        let evaluation = self.copies.project.evaluation()?;
        Ok(evaluation.resolves().is_ok().then_some(evaluation))
    }

    /// Returns the engine as a program with each set of weights, built where no build is there yet.
    /// The field `treatment` has for each of them, in this order, further options that it is given
    /// and how long it may be silent; where the field is shorter, the rest get no further options,
    /// and may be silent for a minute.
    ///
    /// # Errors
    /// If a build fails, or two sets of different weights give programs of the same bytes: then the
    /// build does not read the weights, and the engine would play itself. Bytes are not compared
    /// where the engine reads weights by an option, nor where the command `run` of `tuner.toml`
    /// starts it, which may be a script.
    pub(crate) fn programs(&self, job: &Job, sides: &[&NamedSet]) -> Result<Vec<Program>> {
        let usual = Treatment::default();
        let treatment = self.treatment.iter().chain(std::iter::repeat(&usual));
        let programs: Vec<Program> = (sides.iter().zip(treatment))
            .map(|(side, treatment)| self.built_at(job, side, treatment))
            .collect::<Result<_, _>>()?;
        // With `run` the first word of the command may be a script, whose bytes are the same for
        // all builds.
        let is_compiled = self.copies.is_header() || self.copies.program.run.is_none();
        if self.weights_option.is_none() && is_compiled {
            let bytes: Vec<_> = (programs.iter())
                .map(|program| fs::read(&program.command[0]).ok())
                .collect();
            let is_same = |&(one, other): &(usize, usize)| {
                let differ = sides[one].weights != sides[other].weights;
                differ && bytes[one].is_some() && bytes[one] == bytes[other]
            };
            let mut pairs =
                (0..sides.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
            if let Some((one, other)) = pairs.find(is_same) {
                let (one, other) = (&sides[one].name, &sides[other].name);
                let reason = if self.copies.is_header() {
                    let header = self.copies.header();
                    format!(
                        "its build does not include {header}, which holds the weights (docs/cpp.md, Play)"
                    )
                } else {
                    format!(
                        "its build does not read the `sources` of tuner.toml, or took an old result for a new one; delete {}",
                        self.copies.project.file.folder().join(FOLDER).display()
                    )
                };
                fail!("the engine is the same program with {one} and with {other}: {reason}");
            }
        }
        Ok(programs)
    }

    /// Returns the engine as a program with these weights, built if no build is there yet. It has
    /// the options of `[engine]` alone, and may be silent for a minute, the default.
    pub(crate) fn program(&self, job: &Job, weights: &NamedSet) -> Result<Program> {
        self.built_at(job, weights, &Treatment::default())
    }

    /// Returns the engine as a program with these weights. `treatment`: further options that it is
    /// given, and how long it may be silent. It is a build for these weights; or, where the engine
    /// reads weights by an option, the one build, with that option naming a file of these weights.
    pub(crate) fn built_at(
        &self,
        job: &Job,
        weights: &NamedSet,
        treatment: &Treatment,
    ) -> Result<Program> {
        let Some(option) = self.weights_option else {
            let program = self.copies.built_at(job, weights)?;
            return Ok(self.treated(treatment, program.command));
        };
        let (mut program, _) = self.with_option(job, treatment)?;
        let folder = self.copies.project.file.folder().join(FOLDER);
        fs::create_dir_all(&folder)?;
        // So that Git does not see the files of weights in the author's repository.
        fs::write(folder.join(".gitignore"), "*\n")?;
        let file = folder.join(format!("{}.txt", weights.fingerprint()));
        self.write(weights, &file)?;
        program.options.push((option.to_owned(), absolute(&file)));
        Ok(program)
    }

    /// Returns the engine built from its sources as they are, once for all calls, and the name of
    /// the option by which it reads a file of weights; the caller sets that option. `treatment`:
    /// further options that the program is given, and how long it may be silent. Fails where the
    /// engine has no such option.
    pub(crate) fn with_option(
        &self,
        job: &Job,
        treatment: &Treatment,
    ) -> Result<(Program, &'a str)> {
        let option = self.weights_option.ok_or_else(|| {
            Failure::usage(
                "each pair of games has other weights, and a build for each takes too long; let the \
                 evaluator play, or give the engine an option that takes a file of weights, and name \
                 it: `weights_option` of [engine] in tuner.toml (docs/playing.md)",
            )
        })?;
        let file = &self.copies.project.file;
        let program = if let Some(program) = self.as_it_is.get() {
            program
        } else {
            let of = self.copies.program;
            let built = build(job, of, self.copies.what, file, file.folder())?;
            self.as_it_is.get_or_init(|| built)
        };
        Ok((self.treated(treatment, program.command.clone()), option))
    }

    /// Makes a program of a command, with the options of `[engine]` in tuner.toml first, and behind
    /// them those in `treatment`, which a command line gives. Where both set an option, the one in
    /// `treatment` counts, as it is set later. `treatment` also says how long it may be silent.
    fn treated(&self, treatment: &Treatment, command: Vec<String>) -> Program {
        let mut program = treatment.program(command, self.protocol);
        program.options.splice(..0, self.options.iter().cloned());
        program
    }

    /// Writes weights as an engine reads them, a line `NAME VALUE` each, unless the file has them
    /// already.
    pub(crate) fn write(&self, weights: &NamedSet, file: &Path) -> Result<()> {
        let lines = named_lines(self.copies.linked.spec.layout(), None, &weights.weights);
        tuner_base::write_if_changed(file, &lines).at(file)?;
        Ok(())
    }
}
