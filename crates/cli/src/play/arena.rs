//! Who plays: the evaluator, or programs that speak UCI or USI.

use std::path::Path;

use super::super::Failure;
use super::builds::Builds;
use super::weights::NamedSet;
use crate::project::Project;
use tuner_data::AnyGame;
use tuner_engine::{EvaluatorGames, EvaluatorPlayer, LinkedSpec};
use tuner_play::{
    Contest, ContestSettings, GameRecord, Openings, PairRecord, PlayError, Player, Seats, SelfPlay,
    SelfPlaySettings, Spent, play_pair, selfplay_game,
};
use tuner_tournament::{External, Program};

/// Where the games of an engine are played.
pub(crate) enum Arena<'a> {
    /// By the evaluator, which plays at any weights.
    Evaluator(&'a Project),
    /// By builds of the engine itself, one for each set of weights.
    Builds(Builds<'a>),
}

impl<'a> Arena<'a> {
    /// Finds out who plays for an engine.
    ///
    /// # Errors
    /// If nobody does, with what to do about it.
    pub(crate) fn of(project: &'a Project, linked: &'a LinkedSpec) -> Result<Self, Failure> {
        match Self::found(project, linked)? {
            Some(arena) => Ok(arena),
            None => Err(Failure::Usage(silent(&project.file.file))),
        }
    }

    /// The same, but `None` if nobody plays.
    pub(crate) fn found(
        project: &'a Project,
        linked: &'a LinkedSpec,
    ) -> Result<Option<Self>, Failure> {
        if project.evaluation()?.plays() {
            return Ok(Some(Self::Evaluator(project)));
        }
        let Some(engine) = &project.file.engine else {
            return Ok(None);
        };
        Ok(Some(Self::Builds(Builds::new(project, linked, engine)?)))
    }

    /// Pairs of games between two sets of weights. The inner error is about the book.
    pub(crate) fn pairs(
        &self,
        settings: &'a ContestSettings,
        sides: [&NamedSet; 2],
        linked: &LinkedSpec,
    ) -> Result<Result<PairGames<'a>, String>, Failure> {
        match self {
            Self::Evaluator(project) => {
                let games = EvaluatorGames::of_match(project.evaluation()?, settings)?;
                Ok(games.map(|games| PairGames::Evaluator {
                    games,
                    sides: sides.map(|side| side.values(linked)),
                }))
            }
            Self::Builds(builds) => {
                let programs = [builds.program(sides[0])?, builds.program(sides[1])?];
                Ok(PairGames::of_programs(builds.game(), settings, programs))
            }
        }
    }

    /// Games of an engine against itself. The inner error is about the book.
    pub(crate) fn games(
        &self,
        settings: &SelfPlaySettings,
        weights: &NamedSet,
        linked: &LinkedSpec,
    ) -> Result<Result<OwnGames<'a>, String>, Failure> {
        match self {
            Self::Evaluator(project) => {
                let games = EvaluatorGames::of_selfplay(project.evaluation()?, settings)?;
                Ok(games.map(|games| OwnGames::Evaluator {
                    games,
                    values: weights.values(linked),
                }))
            }
            Self::Builds(builds) => {
                let program = builds.program(weights)?;
                let rules = builds.game();
                let settings = settings.resolve(rules);
                Ok(settings
                    .map(|settings| OwnGames::Program {
                        rules,
                        settings: Box::new(settings),
                        program,
                    })
                    .map_err(|error| error.to_string()))
            }
        }
    }

    /// How the source's weights and their likes are kept apart where they are not compiled.
    pub(crate) fn is_evaluator(&self) -> bool {
        matches!(self, Self::Evaluator(_))
    }
}

/// What an engine lacks that does not play.
pub(crate) fn silent(file: &Path) -> String {
    format!(
        "this evaluator plays no games. In Rust, to let it:\n\
         1. the notation of positions needs the rules of the game: `tuner_chess::Fen` and \
         `tuner_shogi::Sfen` have them; for a board of your own, \
         `impl tuner_core::game::rules::Rules for …`\n\
         2. `serve_playing` in place of `serve`\n\
         docs/playing.md has an example. Or let the engine itself play, by UCI or USI: `[engine]` in \
         {} says how it is built and started",
        file.display()
    )
}

/// Pairs of games.
pub(crate) enum PairGames<'a> {
    Evaluator {
        games: EvaluatorGames<'a>,
        /// Weights of both sides by leaf.
        sides: [Vec<f64>; 2],
    },
    Programs {
        rules: &'a AnyGame,
        settings: &'a ContestSettings,
        contest: Contest<AnyGame>,
        programs: [Program; 2],
    },
}

impl<'a> PairGames<'a> {
    /// Pairs of two programs, by the rules of their game.
    pub(crate) fn of_programs(
        rules: &'a AnyGame,
        settings: &'a ContestSettings,
        programs: [Program; 2],
    ) -> Result<Self, String> {
        Ok(Self::Programs {
            rules,
            settings,
            contest: settings.resolve(rules).map_err(|error| error.to_string())?,
            programs,
        })
    }

    /// How many openings there are, if they are of a book.
    pub(crate) fn openings(&self) -> Option<u64> {
        match self {
            Self::Evaluator { games, .. } => games.openings(),
            Self::Programs { contest, .. } => contest.openings.count(),
        }
    }

    /// Makes what a thread plays with.
    pub(crate) fn seat(&self) -> Result<PairSeat<'_, 'a>, PlayError> {
        match self {
            Self::Evaluator { games, sides } => {
                let mut player = games.player(&[])?;
                player.sides([&sides[0], &sides[1]])?;
                Ok(PairSeat::Evaluator(Box::new(player)))
            }
            Self::Programs {
                rules,
                settings,
                contest,
                programs,
            } => {
                let player = |side: usize| -> Box<dyn Player<AnyGame>> {
                    Box::new(External::new(programs[side].clone()))
                };
                let seats = Seats {
                    first: player(0),
                    second: player(1),
                    judge: None,
                };
                Ok(PairSeat::Programs {
                    rules,
                    settings,
                    contest,
                    seats,
                })
            }
        }
    }
}

/// What a thread plays pairs with.
pub(crate) enum PairSeat<'s, 'a> {
    Evaluator(Box<EvaluatorPlayer<'a>>),
    Programs {
        rules: &'a AnyGame,
        settings: &'a ContestSettings,
        contest: &'s Contest<AnyGame>,
        seats: Seats<'s, AnyGame>,
    },
}

impl PairSeat<'_, '_> {
    pub(crate) fn pair(&mut self, number: u64) -> Result<PairRecord, PlayError> {
        match self {
            Self::Evaluator(player) => player.pair(number),
            Self::Programs {
                rules,
                settings,
                contest,
                seats,
            } => {
                let pair = play_pair(*rules, contest, number, seats)?;
                Ok(PairRecord::of(&pair, &settings.texts_of(number)))
            }
        }
    }
}

/// Games of an engine against itself.
pub(crate) enum OwnGames<'a> {
    Evaluator {
        games: EvaluatorGames<'a>,
        values: Vec<f64>,
    },
    Program {
        rules: &'a AnyGame,
        settings: Box<SelfPlay<AnyGame>>,
        program: Program,
    },
}

impl<'a> OwnGames<'a> {
    /// How many of so many games are different.
    pub(crate) fn different(&self, wanted: u64) -> u64 {
        match self {
            Self::Evaluator { games, .. } => games.different(wanted),
            Self::Program { settings, .. } => match settings.openings {
                Openings::Book(_) => settings.openings.different(wanted, settings.limit),
                Openings::Random { .. } => wanted,
            },
        }
    }

    /// Makes what a thread plays with.
    pub(crate) fn seat(&self) -> Result<OwnSeat<'_, 'a>, PlayError> {
        Ok(match self {
            Self::Evaluator { games, values } => {
                OwnSeat::Evaluator(Box::new(games.player(values)?))
            }
            Self::Program {
                rules,
                settings,
                program,
            } => OwnSeat::Program {
                rules,
                settings,
                player: Box::new(External::new(program.clone())),
            },
        })
    }
}

/// What a thread plays games with.
pub(crate) enum OwnSeat<'s, 'a> {
    Evaluator(Box<EvaluatorPlayer<'a>>),
    Program {
        rules: &'a AnyGame,
        settings: &'s SelfPlay<AnyGame>,
        player: Box<External>,
    },
}

impl OwnSeat<'_, '_> {
    pub(crate) fn game(&mut self, number: u64) -> Result<GameRecord, PlayError> {
        match self {
            Self::Evaluator(player) => player.game(number),
            Self::Program {
                rules,
                settings,
                player,
            } => selfplay_game(*rules, settings, number, &mut **player, &Spent::default()),
        }
    }
}

/// Fails if the rules of a game are not known here.
pub(crate) fn with_rules<'g>(game: &'g AnyGame, what: &str) -> Result<&'g AnyGame, Failure> {
    if game.has_rules() {
        return Ok(game);
    }
    Err(Failure::Usage(format!(
        "{what}: the rules of {} are not known here: chess and shogi are, other games are played by \
         their evaluator",
        tuner_data::PositionNotation::name(game)
    )))
}
