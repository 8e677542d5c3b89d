//! Who plays: the evaluator, or programs that speak UCI or USI.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Builds, Treatment};
use crate::{Failure, Job, NamedSet, Project, Result};
use tuner_data::AnyGame;
use tuner_engine::{Evaluation, EvaluatorGames, LinkedSpec};
use tuner_play::{
    ContestSettings, GameRecord, GameText, Look, OpeningChoice, Openings, PairRecord, Player,
    PlayerFault, Seats, SelfPlaySettings, play_pair, seeing, selfplay_game,
};
use tuner_tournament::{Batch, External, Program, games_in_order};

/// Where the games of an engine are played.
pub(crate) enum Arena<'a> {
    /// By the evaluator, which plays at any weights.
    Evaluator(&'a Project),
    /// By builds of the engine itself, one for each set of weights.
    Builds(Box<Builds<'a>>),
}

impl<'a> Arena<'a> {
    /// Returns who plays the games of an engine: the evaluator, or builds of the engine by
    /// `[engine]` of `tuner.toml`.
    ///
    /// # Errors
    /// If the evaluator plays no games and there is no `[engine]`; the message says what to do.
    pub(crate) fn of(project: &'a Project, linked: &'a LinkedSpec) -> Result<Self> {
        Self::found(project, linked)?.ok_or_else(|| Failure::Usage(silent(project)))
    }

    /// Returns who plays the games of an engine: its evaluator, if that plays; else builds of the
    /// engine by `[engine]` of `tuner.toml`; `None` where neither is there.
    pub(crate) fn found(project: &'a Project, linked: &'a LinkedSpec) -> Result<Option<Self>> {
        if project.evaluation()?.plays() {
            return Ok(Some(Self::Evaluator(project)));
        }
        let Some(engine) = &project.file.engine else {
            return Ok(None);
        };
        Ok(Some(Self::Builds(Box::new(Builds::new(
            project, linked, engine,
        )?))))
    }

    /// Returns the pairs of games, by number, between the weights `sides[0]` and each further set,
    /// its opponents. Nothing is played yet; builds are made where builds of the engine play.
    ///
    /// Pair `n` is against opponent `o = n mod opponents`, so `sides[o + 1]`, with `settings[o]`.
    /// All opponents meet the same opening before the next one is taken. The outer error is about
    /// players, the inner one about the book of openings.
    pub(crate) fn pairs(
        &self,
        job: &Job,
        settings: &'a [ContestSettings],
        sides: &[&NamedSet],
        linked: &LinkedSpec,
    ) -> Result<Result<Games<'a, PairRecord>, String>> {
        let project = match self {
            Self::Evaluator(project) => project,
            Self::Builds(builds) => {
                let programs = builds.programs(job, sides)?;
                let looks = builds.looks()?;
                return Ok(Games::of_programs(builds.game, settings, programs, looks));
            }
        };
        let evaluation = project.evaluation()?;
        let games: Result<Vec<_>, String> = (settings.iter())
            .map(|settings| EvaluatorGames::of_match(evaluation, settings))
            .collect::<Result<_, _>>()?;
        let sides: Vec<Vec<f64>> = sides.iter().map(|side| side.values(linked)).collect();
        Ok(games.map(|games| Games {
            // The games against all opponents have the same openings.
            openings: games.first().and_then(EvaluatorGames::openings),
            seat: Box::new(move || {
                let opponents = games.iter().zip(&sides[1..]).map(|(games, opponent)| {
                    // No weights yet: the next line sets those of both sides.
                    let mut player = games.player(&[])?;
                    player.sides([&sides[0], opponent])?;
                    Ok(player)
                });
                let mut players = opponents.collect::<Result<Vec<_>, PlayerFault>>()?;
                Ok(Box::new(move |number| {
                    let (opponent, number) = in_turn(number, players.len());
                    players[opponent].pair(number)
                }))
            }),
        }))
    }

    /// Returns the games, by number, of an engine against itself at `weights`. Nothing is played
    /// yet; the engine is built where builds of it play. The outer error is about players, the
    /// inner one about the book of openings.
    pub(crate) fn games(
        &self,
        job: &Job,
        settings: &'a SelfPlaySettings,
        weights: &NamedSet,
        linked: &LinkedSpec,
    ) -> Result<Result<Games<'a, GameRecord>, String>> {
        match self {
            Self::Evaluator(project) => {
                let games = EvaluatorGames::of_selfplay(project.evaluation()?, settings)?;
                let values = weights.values(linked);
                Ok(games.map(|games| Games {
                    openings: games.openings(),
                    seat: Box::new(move || {
                        let mut player = games.player(&values)?;
                        Ok(Box::new(move |number| player.game(number)))
                    }),
                }))
            }
            Self::Builds(builds) => {
                let program = builds.program(job, weights)?;
                let (rules, looks) = (builds.game, builds.looks()?);
                let values = weights.values(linked);
                Ok(Games::by_rules(
                    rules,
                    &settings.openings,
                    move |openings| {
                        let player = External::new(program.clone());
                        let mut player = with_looks(rules, player, looks, values.clone());
                        Box::new(move |number| {
                            selfplay_game(rules, settings, &openings, number, &mut *player)
                        })
                    },
                ))
            }
        }
    }

    /// Builds the engine at the spec's weights, to see whether that succeeds, where builds of the
    /// engine play the games; does nothing where the evaluator plays.
    pub(crate) fn build(&self, job: &Job, linked: &LinkedSpec) -> Result<()> {
        if let Self::Builds(builds) = self {
            builds.program(job, &NamedSet::read(job, "spec", linked)?)?;
        }
        Ok(())
    }

    /// Returns the game that is played: how its positions are written, and its rules if they are
    /// known.
    pub(crate) fn game(&self) -> Result<&AnyGame> {
        match self {
            Self::Evaluator(project) => project.game(),
            Self::Builds(builds) => Ok(builds.game),
        }
    }

    /// Tells whether the evaluator can tell if a random opening is balanced. One that plays games
    /// can. Where builds of the engine play, one that has a quiescence search can.
    pub(crate) fn is_seeing(&self) -> Result<bool> {
        Ok(match self {
            Self::Evaluator(_) => true,
            Self::Builds(builds) => builds.looks()?.is_some(),
        })
    }

    /// Tells whether the evaluator plays the games, and not builds of the engine.
    pub(crate) fn is_evaluator(&self) -> bool {
        matches!(self, Self::Evaluator(_))
    }
}

/// Returns the engine as a program that plays at some weights, built if need be, for work that an
/// evaluator without games cannot do. `None` where the evaluator plays, or `tuner.toml` has no
/// `[engine]`. `treatment`: options of the program, and how long it may be silent.
///
/// # Errors
/// If it cannot be built.
pub fn engine_at(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    weights: &NamedSet,
    treatment: &Treatment,
) -> Result<Option<Program>> {
    match Arena::found(project, linked)? {
        Some(Arena::Builds(builds)) => builds.built_at(job, weights, treatment).map(Some),
        _ => Ok(None),
    }
}

/// Returns a player that chooses moves by `program` and looks at positions by the evaluator
/// `looks`: their evaluation, and the score of their quiescence search. `values`: the evaluator's
/// weights by leaf; empty for those of the source. Without `looks` the player is the program alone.
fn with_looks<'a>(
    rules: &'a AnyGame,
    program: External,
    looks: Option<&'a Evaluation>,
    values: Vec<f64>,
) -> Box<dyn Player<AnyGame> + 'a> {
    let Some(evaluation) = looks else {
        return Box::new(program);
    };
    let look = move |position: &str| {
        let found = evaluation.look(&values, position);
        let found = found.map_err(|error| PlayerFault::Unusable(error.to_string()))?;
        // A position that the evaluator refuses has no scores; it does not end the game.
        let found = found.ok().flatten();
        Ok(found.map(|[standing, quiet]| Look { standing, quiet }))
    };
    Box::new(seeing(rules, program, look))
}

/// Returns a line that the evaluator plays no games, and what to do so that games can be played.
/// `is_rust`: whether the evaluator is in Rust. Then `serve_playing` is one more way, and no option
/// for weights is named, as they are written into the sources.
pub(crate) fn no_games(is_rust: bool) -> String {
    let (rust, weights) = if is_rust {
        ("`serve_playing` lets it, or ", "")
    } else {
        (
            "",
            ", and as `weights_option` its option that takes weights.txt",
        )
    };
    format!(
        "the evaluator plays no games; {rust}`[engine]` in tuner.toml says how the engine itself is \
         built{weights} (docs/playing.md)"
    )
}

/// Returns the message that an evaluator plays no games, and what its author can do: steps for
/// Rust, one line for other languages.
pub(crate) fn silent(project: &Project) -> String {
    if !project.is_rust() {
        return no_games(false);
    }
    format!(
        "this evaluator plays no games. To let it:\n\
         1. the notation of positions needs the rules of the game: `tuner_chess::Fen` and \
         `tuner_shogi::Sfen` have them; for a board of your own, \
         `impl tuner_core::game::rules::Rules for …`\n\
         2. `serve_playing` in place of `serve`\n\
         docs/playing.md has an example. Or let the engine itself play, by UCI or USI: `[engine]` in \
         {} says how it is built and started",
        project.file.file.display()
    )
}

/// How one side of a pair plays, where sides change from pair to pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// The weights by leaf number, if an evaluator plays; else empty.
    pub(crate) values: Vec<f64>,
    /// Names and values of options, if a program plays; else empty.
    pub(crate) options: Vec<(String, String)>,
}

/// Says how both sides of a pair play, by its number.
pub(crate) type SidesOf<'a> = &'a (dyn Fn(u64) -> Result<[Side; 2], PlayerFault> + Sync);

/// Parts the number of a pair of the whole match into the opponent, counted from 0, and the number
/// of the pair among those against this opponent, which decides on the opening. Opponents take
/// turns.
fn in_turn(number: u64, opponents: usize) -> (usize, u64) {
    let opponents = opponents as u64;
    ((number % opponents) as usize, number / opponents)
}

/// What one thread plays with, its processes or connection included: called with the number of a
/// game or pair, it plays that and returns its record.
type Seat<'s, T> = Box<dyn FnMut(u64) -> Result<T, PlayerFault> + 's>;

/// Games, or pairs of games, by number, whoever plays them; `T` is the record of one.
pub(crate) struct Games<'a, T> {
    /// How many openings the book has; `None` without a book.
    pub(super) openings: Option<u64>,
    /// Makes the seat of a thread.
    seat: Box<dyn Fn() -> Result<Seat<'a, T>, PlayerFault> + Sync + 'a>,
}

impl<'a> Games<'a, PairRecord> {
    /// Returns the pairs of games, by number, between `programs[0]` and each further one, its
    /// opponents. Pair `n` is against opponent `o = n mod opponents`, with `settings[o]`. `looks`:
    /// the evaluator that tells whether a random opening is balanced; `None`: openings are not
    /// judged. The error is about the book of openings.
    pub(crate) fn of_programs(
        rules: &'a AnyGame,
        settings: &'a [ContestSettings],
        programs: Vec<Program>,
        looks: Option<&'a Evaluation>,
    ) -> Result<Self, String> {
        Self::by_rules(rules, &settings[0].openings, move |openings| {
            let mut players: Vec<External> = programs.iter().cloned().map(External::new).collect();
            // A player needs a program, but this one is never started: of a judge only scores of
            // positions are asked, and `looks` has them, at the weights of the source (an empty
            // list).
            let idle = External::new(programs[0].clone());
            let mut judge = with_looks(rules, idle, looks, Vec::new());
            Box::new(move |number| {
                let (opponent, number) = in_turn(number, settings.len());
                let (first, others) = players.split_at_mut(1);
                let mut seats = Seats {
                    first: Box::new(&mut first[0]),
                    second: Box::new(&mut others[opponent]),
                    judge: Some(Box::new(&mut *judge)),
                };
                play_pair(rules, &settings[opponent], &openings, number, &mut seats)
            })
        })
    }

    /// Returns the pairs of games, by number, of an evaluator with itself, at weights that `sides`
    /// gives for each pair. The outer error is about the evaluator, the inner one about the book of
    /// openings.
    pub(crate) fn of_evaluator_by_pair(
        evaluation: &'a Evaluation,
        settings: &'a ContestSettings,
        sides: SidesOf<'a>,
    ) -> Result<Result<Self, String>> {
        let games = EvaluatorGames::of_match(evaluation, settings)?;
        Ok(games.map(|games| Games {
            openings: games.openings(),
            seat: Box::new(move || {
                // No weights yet: each pair sets those of both sides.
                let mut player = games.player(&[])?;
                Ok(Box::new(move |number| {
                    let [first, second] = sides(number)?;
                    player.sides([&first.values, &second.values])?;
                    player.pair(number)
                }))
            }),
        }))
    }

    /// Returns the pairs of games, by number, of a program with itself, with options that `sides`
    /// gives for each pair. Two processes play a pair, and the next pair of any thread takes them
    /// over. The error is about the book of openings.
    pub(crate) fn of_program_by_pair(
        rules: &'a AnyGame,
        settings: &'a ContestSettings,
        program: Program,
        sides: SidesOf<'a>,
    ) -> Result<Self, String> {
        // Pairs of processes that play nothing at the moment. They are kept, as some take long to
        // start.
        let idle: Arc<Mutex<Vec<[External; 2]>>> = Arc::default();
        Self::by_rules(rules, &settings.openings, move |openings| {
            let (idle, program) = (Arc::clone(&idle), program.clone());
            Box::new(move |number| {
                let waiting = || idle.lock().unwrap_or_else(PoisonError::into_inner);
                let new = || [0, 1].map(|_| External::new(program.clone()));
                // Where no pair of processes is free, a new one is made.
                let again = waiting().pop();
                let mut players = again.unwrap_or_else(new);
                for (player, side) in players.iter_mut().zip(sides(number)?) {
                    player.set_options(side.options);
                }
                let [first, second] = &mut players;
                let mut seats = Seats {
                    first: Box::new(first),
                    second: Box::new(second),
                    // Nobody tells whether an opening is balanced.
                    judge: None,
                };
                // Processes with which a pair could not be played are not kept.
                let pair = play_pair(rules, settings, &openings, number, &mut seats)?;
                drop(seats);
                waiting().push(players);
                Ok(pair)
            })
        })
    }
}

impl<'a, T: GameText> Games<'a, T> {
    /// Returns games or pairs that programs play, by the rules of their game. `seat` makes what a
    /// thread plays with: a function that plays the game of a number. It is given the openings; a
    /// book of them is read once for all threads, and the error is about that book.
    fn by_rules(
        rules: &AnyGame,
        openings: &OpeningChoice,
        seat: impl Fn(Arc<Openings<AnyGame>>) -> Seat<'a, T> + Sync + 'a,
    ) -> Result<Self, String> {
        let openings = Arc::new(openings.resolve(rules)?);
        Ok(Self {
            openings: openings.count(),
            seat: Box::new(move || Ok(seat(Arc::clone(&openings)))),
        })
    }

    /// Plays the games or pairs of the numbers in `numbers` on all threads of all ranks, and hands
    /// each over to `take` in the order of numbers, until `take` breaks or the job is to end.
    ///
    /// The first rank decides: other ranks play games for it until it ends, and their own `numbers`
    /// and `take` are not used.
    ///
    /// # Errors
    /// The error of `take`, which ends the games; an error if a game cannot be played.
    pub(crate) fn play(
        &self,
        job: &Job,
        numbers: Range<u64>,
        mut take: impl FnMut(u64, T) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let batch = Batch::new(numbers, job.players()).among(job.ranks);
        let one = |seat: &mut Seat<'_, T>, number| seat(number);
        let played = games_in_order(
            &batch,
            || (self.seat)(),
            one,
            |done| {
                // `done` is a game and its number, or `None` where time passed without one.
                if let Some((number, game)) = done
                    && take(number, game)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
                Ok(job.flow())
            },
        );
        job.status_ended();
        played
    }

    /// Plays games for the first rank, on any other rank, until the first rank has all of its
    /// games.
    pub(crate) fn join(&self, job: &Job) -> Result<()> {
        self.play(job, 0..0, |_, _| Ok(ControlFlow::Continue(())))
    }
}

/// Returns `game` if this program knows its rules, and fails otherwise; `what` is the command, for
/// the message.
pub(crate) fn with_rules<'g>(game: &'g AnyGame, what: &str) -> Result<&'g AnyGame> {
    if game.has_rules() {
        return Ok(game);
    }
    misuse!(
        "{what}: the rules of {} are not known here: chess and shogi are, other games are played by \
         their evaluator",
        game.name()
    )
}
