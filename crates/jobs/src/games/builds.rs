//! Builds of the engine itself, one for each set of weights.

use super::{Treatment, with_rules};
use crate::copies::Copies;
use crate::{Failure, Job, NamedSet, Project};
use tuner_data::AnyGame;
use tuner_engine::LinkedSpec;
use tuner_spec::ProjectEngine;
use tuner_tournament::{Program, Protocol};

pub(crate) struct Builds<'a> {
    copies: Copies<'a>,
    protocol: Protocol,
    pub(super) game: &'a AnyGame,
    /// How the first and the second of two players are treated.
    pub(super) treatment: [Treatment; 2],
}

impl<'a> Builds<'a> {
    pub(crate) fn new(
        project: &'a Project,
        linked: &'a LinkedSpec,
        engine: &'a ProjectEngine,
    ) -> Result<Self, Failure> {
        let file = project.file.file.display();
        if project.file.sources.is_empty() {
            fail!(
                "{file}: the engine is built with other weights for games, and nothing says where \
                 they are; add `sources = [\"src\"]`"
            );
        }
        let game = with_rules(project.game()?, "games of the engine itself")?;
        let program = &engine.program;
        let what = "engine";
        Ok(Self {
            copies: Copies {
                project,
                linked,
                program,
                what,
            },
            protocol: engine.protocol.parse()?,
            game,
            treatment: <[Treatment; 2]>::default(),
        })
    }

    /// The engine with two sets of weights, built where they are not yet.
    pub(crate) fn programs(
        &self,
        job: &Job,
        sides: [&NamedSet; 2],
    ) -> Result<[Program; 2], Failure> {
        let [first, second] = &self.treatment;
        Ok([
            self.built_at(job, sides[0], first)?,
            self.built_at(job, sides[1], second)?,
        ])
    }

    /// The engine with some weights, built if it is not yet.
    pub(crate) fn program(&self, job: &Job, weights: &NamedSet) -> Result<Program, Failure> {
        self.built_at(job, weights, &Treatment::default())
    }

    fn built_at(
        &self,
        job: &Job,
        weights: &NamedSet,
        treatment: &Treatment,
    ) -> Result<Program, Failure> {
        let program = self.copies.built_at(job, weights)?;
        Ok(treatment.program(program.command, self.protocol))
    }
}
