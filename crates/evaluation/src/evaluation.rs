//! An evaluation that can be asked, wherever it runs.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use crate::black_box::ScoreProbe;
use crate::connection::{Connection, EvaluatorProgram, Local, Messages, Pipe, Uci};
use crate::session::{EvaluationError, EvaluationProblem, Session};
use tuner_base::{quote, shell_word, shell_words};
use tuner_data::{AnyGame, Fault, Perspective, Sample, any_game, any_notation, game_of_texts};
use tuner_evaluator::{Engine, Plays, PositionOf, Server};
use tuner_protocol::{Ability, About, WeightTable};

/// How long an evaluator may be silent, unless it is said otherwise. Chosen: far longer than
/// an answer takes, and short enough that a person still waits.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// How long one may be that is started with weights that it may not be made for.
const LESS_PATIENCE: Duration = Duration::from_secs(10);

/// An evaluation that answers questions: in processes of its own, as many as there are
/// threads that ask, or within this one. Answers do not depend on which.
pub struct Evaluation {
    pub(crate) shared: Arc<Shared>,
    about: About,
    weights: WeightTable,
    game: &'static AnyGame,
    /// The program that was started, and how long it may be silent; `None` for an engine of this
    /// program.
    started: Option<(EvaluatorProgram, Duration)>,
}

tuner_base::impl_fmt! { Debug for Evaluation }

/// What all conversations with an evaluator have in common.
pub(crate) struct Shared {
    /// The program, for messages.
    pub(crate) name: String,
    /// Starts an evaluator.
    connect: Box<Connect>,
    patience: Duration,
    /// Conversations that nobody has at the moment.
    idle: Mutex<Vec<Session>>,
    /// The first evaluator: who it says it is, and its weights.
    first: OnceLock<(About, WeightTable)>,
    messages: Messages,
    /// How one that only scores is asked for rows, once that is found out.
    pub(crate) probing: OnceLock<ScoreProbe>,
    /// Why an evaluator ended.
    lost: Mutex<Option<EvaluationError>>,
}

type Connect = dyn Fn() -> Result<Box<dyn Connection>, EvaluationProblem> + Send + Sync;

/// A game that evaluators may be of.
#[derive(Clone)]
pub struct KnownGame {
    /// How evaluators call it: `chess`.
    pub name: &'static str,
    /// Its notation and rules.
    pub game: &'static AnyGame,
}

tuner_base::impl_fmt! { Debug for KnownGame }

impl Evaluation {
    /// Starts an evaluator, and asks who it is. `games`: those whose positions mean something
    /// here; positions of others are texts. `patience`: how long it may be silent.
    ///
    /// # Errors
    /// If it does not start, or does not speak the protocol.
    pub fn start(
        program: EvaluatorProgram,
        games: &[KnownGame],
        patience: Duration,
    ) -> Result<Self, EvaluationError> {
        let started = Some((program.clone(), patience));
        let evaluation = Self::piped(program, games, None, patience)?;
        Ok(Self {
            started,
            ..evaluation
        })
    }

    /// Starts the evaluator's program once more, as an evaluation of its own. `weights`: a file
    /// with which it begins, if given; then it may be silent for ten seconds at most. `None` where
    /// there is no such program to start: of an engine within this program, or one that is asked in
    /// UCI.
    ///
    /// # Errors
    /// If it does not start, or does not speak the protocol.
    pub fn begun_with(&self, weights: Option<&Path>) -> Result<Option<Self>, EvaluationError> {
        let Some((program, patience)) = &self.started else {
            return Ok(None);
        };
        if program.uci.is_some() {
            return Ok(None);
        }
        let mut program = program.clone();
        program.begins_with = weights.map(Path::to_path_buf);
        let patience = match weights {
            Some(_) => (*patience).min(LESS_PATIENCE),
            None => *patience,
        };
        Self::piped(program, &[], Some(self.game), patience).map(Some)
    }

    /// Starts an evaluator in a process of its own; more processes are started as threads ask.
    /// `game`: the game that the evaluator is of, if that is known; else it is found among `games`
    /// by the name that the evaluator says. `patience`: how long it may be silent.
    fn piped(
        program: EvaluatorProgram,
        games: &[KnownGame],
        game: Option<&'static AnyGame>,
        patience: Duration,
    ) -> Result<Self, EvaluationError> {
        let name = shell_words(&program.command);
        let messages = Messages::default();
        let said = messages.clone();
        let connect = move || -> Result<Box<dyn Connection>, EvaluationProblem> {
            let pipe = Pipe::start(&program, &said)
                .map_err(|error| EvaluationProblem::Start(error.to_string()))?;
            match &program.uci {
                None => Ok(Box::new(pipe)),
                Some(settings) => Ok(Box::new(Uci::new(pipe, settings.clone(), patience)?)),
            }
        };
        Self::connected(name, Box::new(connect), games, game, patience, messages)
    }

    /// Takes an engine of this program, without a pipe.
    ///
    /// The engine is kept until the program ends: its memory is never freed.
    ///
    /// # Errors
    /// If the shapes of its weights contradict their numbers.
    pub fn of<E>(engine: E) -> Result<Self, EvaluationError>
    where
        E: Engine<Notation: Clone + Send> + Send + 'static,
        PositionOf<E>: fmt::Debug,
    {
        let engine: &'static E = Box::leak(Box::new(engine));
        let game = any_notation(engine.notation().clone());
        Self::local(engine, game, Server::new)
    }

    /// Takes an engine of this program that plays, without a pipe.
    ///
    /// The engine is kept until the program ends: its memory is never freed.
    ///
    /// # Errors
    /// If the shapes of its weights contradict their numbers.
    pub fn playing<E>(engine: E) -> Result<Self, EvaluationError>
    where
        E: Plays<Notation: Clone + Send> + Send + 'static,
    {
        let engine: &'static E = Box::leak(Box::new(engine));
        let game = any_game(engine.notation().clone());
        Self::local(engine, game, Server::playing)
    }

    /// Makes the evaluation of an engine of this program; each call of `server` begins a
    /// conversation with it.
    fn local<E: Engine>(
        engine: &'static E,
        game: &'static AnyGame,
        server: fn(&'static E, &'static str) -> Server<'static, E>,
    ) -> Result<Self, EvaluationError> {
        let connect = move || -> Result<Box<dyn Connection>, EvaluationProblem> {
            // No name of a build: an engine of this program is not built anew between answers.
            Ok(Box::new(Local::new(server(engine, ""))))
        };
        let name = engine.name().to_owned();
        let messages = Messages::default();
        Self::connected(name, Box::new(connect), &[], Some(game), PATIENCE, messages)
    }

    /// Begins a first session by `connect`, which starts an evaluator each time that it is called.
    /// The game is `game`, or the one of `games` that the evaluator names, or else one whose
    /// positions are texts. `name`: of the program, for messages.
    fn connected(
        name: String,
        connect: Box<Connect>,
        games: &[KnownGame],
        game: Option<&'static AnyGame>,
        patience: Duration,
        messages: Messages,
    ) -> Result<Self, EvaluationError> {
        let shared = Arc::new(Shared {
            name,
            connect,
            patience,
            idle: Mutex::new(Vec::new()),
            first: OnceLock::new(),
            messages,
            probing: OnceLock::new(),
            lost: Mutex::new(None),
        });
        let (session, about, weights) = shared.begin()?;
        lock(&shared.idle).push(session);
        let known = games.iter().find(|known| known.name == about.game);
        let game = match (game, known) {
            (Some(game), _) => game,
            (None, Some(known)) => known.game,
            (None, None) => texts(&about.game, &shared),
        };
        Ok(Self {
            shared,
            about,
            weights,
            game,
            started: None,
        })
    }

    /// Returns the name of the engine.
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// Returns who the evaluator says it is: the engine's name, its game, and what it can do.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Returns the evaluator's weights, at the values of its source.
    pub fn weights(&self) -> &WeightTable {
        &self.weights
    }

    /// Returns the game of the evaluator: how positions are written, and the rules if they are
    /// known.
    pub fn game(&self) -> &'static AnyGame {
        self.game
    }

    /// Returns positions that were read as texts in the notation that the evaluator is told them
    /// in.
    pub fn texts<'s>(&self, read: impl IntoIterator<Item = &'s Sample>) -> Vec<String> {
        let read = read.into_iter();
        let texts = read.map(|read| self.game.describe(&read.labelled.position));
        texts.collect()
    }

    /// Returns whose view the evaluator's scores have.
    pub fn perspective(&self) -> Perspective {
        self.about.view
    }

    /// Tells whether the evaluator plays games.
    pub fn plays(&self) -> bool {
        self.about.can(Ability::Play)
    }

    /// Tells whether the evaluator cannot say how scores depend on weights, so that rows are
    /// difference quotients of its scores.
    pub fn only_scores(&self) -> bool {
        !self.about.can(Ability::Trace)
    }

    /// Returns how an evaluator that only scores is asked for rows: which quotients, and whether
    /// scores are linear. `None` before [`probe`](Self::probe) has found that out, and for an
    /// evaluator that traces.
    pub fn probing(&self) -> Option<&ScoreProbe> {
        self.shared.probing.get()
    }

    /// Fails if the evaluator has no quiescence search to resolve positions by.
    ///
    /// # Errors
    /// With what to do about it.
    pub fn resolves(&self) -> Result<(), EvaluationError> {
        let cure = "it only scores, and such positions are not resolved: leave --resolve out";
        self.needs(Ability::Trace, cure)?;
        self.needs(
            Ability::Quiet,
            "it has no quiescence search: leave --resolve out, or answer `resolve`, and say `can \
             quiet` (docs/evaluator.md)",
        )
    }

    /// Fails if the evaluator lacks an ability; `cure`, the message, says what to do about it.
    pub(crate) fn needs(&self, ability: Ability, cure: &str) -> Result<(), EvaluationError> {
        if self.about.can(ability) {
            return Ok(());
        }
        Err(EvaluationProblem::Unable(cure.to_owned()).of(&self.shared.name))
    }

    /// Returns the lines that evaluators have said on standard error and that were not returned
    /// before, and how many were beyond those that are kept: each line comes once, and only the
    /// first different ones are kept.
    pub fn messages(&self) -> (Vec<String>, u64) {
        self.shared.messages.fresh()
    }

    /// Returns a conversation with an evaluator, for one thread to ask questions; once it is
    /// dropped another may use it. Fails once an evaluator has ended.
    pub(crate) fn session(&self) -> Result<Borrowed<'_>, EvaluationError> {
        self.shared.session()
    }

    /// Notes that an evaluator ended: all questions from now on fail with the first error noted so,
    /// and no other evaluator is started in its place.
    pub(crate) fn end(&self, error: &EvaluationError) {
        lock(&self.shared.lost).get_or_insert_with(|| error.clone());
    }

    /// Returns why an evaluator ended, if one did.
    pub(crate) fn lost(&self) -> Option<EvaluationError> {
        lock(&self.shared.lost).clone()
    }
}

/// Makes a game whose positions are texts that only the evaluator can read: each is checked by
/// asking it. Positions are refused once the evaluation has ended.
fn texts(name: &str, shared: &Arc<Shared>) -> &'static AnyGame {
    // The game may live on where the evaluation has ended.
    let shared: Weak<Shared> = Arc::downgrade(shared);
    game_of_texts(name, move |text| {
        let fault = |words: String| {
            let expected = "a position that the evaluator reads";
            let mut fault = Fault::new(Fault::quote(text), expected, "correct the position");
            fault.cure = format!("it says: {words}").into();
            fault
        };
        let shared = shared.upgrade();
        let shared = shared.ok_or_else(|| fault("the evaluator has ended".to_owned()))?;
        let lost = |error: EvaluationError| {
            let words = error.to_string();
            lock(&shared.lost).get_or_insert(error);
            fault(words)
        };
        let mut session = shared.session().map_err(lost)?;
        let read = session.take_position(text).map_err(lost)?;
        read.map_err(fault)
    })
}

/// Locks a mutex, also after a panic of a thread that held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says what two evaluators started by one command say differently, of themselves or of their
/// weights; `None` if they say the same. `about`, `weights`: the answers of the first one, then of
/// the other.
fn difference(about: [&About; 2], weights: [&WeightTable; 2]) -> Option<String> {
    let ([first, other], [first_weights, other_weights]) = (about, weights);
    let (first, other) = (first.to_string(), other.to_string());
    let mut lines = first.lines().zip(other.lines());
    if let Some((first, other)) = lines.find(|(a, b)| a != b) {
        let [first, other] = [first, other].map(quote);
        return Some(format!("{other} where the first one said {first}"));
    }
    if other_weights == first_weights {
        return None;
    }
    let mut pairs = (first_weights.parameters.iter()).zip(&other_weights.parameters);
    let differs = pairs.find(|(a, b)| a != b).map(|(a, _)| &a.name);
    let at = differs.map_or_else(String::new, |name| format!(" at `{name}`"));
    Some(format!("other weights than the first one{at}"))
}

impl Shared {
    /// Begins a conversation with a new evaluator. Fails if it is not the same as the first one:
    /// another build, or other words or weights, as answers must not depend on which is asked.
    fn begin(&self) -> Result<(Session, About, WeightTable), EvaluationError> {
        let connection = (self.connect)().map_err(|problem| problem.of(&self.name))?;
        let mut session = Session::new(self.name.clone(), connection, self.patience);
        let found = session.introduce()?;
        let first = self.first.get_or_init(|| found.clone());
        if found.0.build != first.0.build {
            let builds = [first, &found].map(|(about, _)| about.build.clone());
            let [then, now] = builds;
            return Err(EvaluationProblem::OtherBuild(then, now).of(&self.name));
        }
        if let Some(difference) = difference([&first.0, &found.0], [&first.1, &found.1]) {
            return Err(EvaluationProblem::OtherAnswers(difference).of(&self.name));
        }
        if found.0.can(Ability::Bytes) {
            session.rows_as_bytes()?;
        }
        let (about, weights) = found;
        Ok((session, about, weights))
    }

    /// Returns a conversation that nobody has, or a new one; fails once an evaluator has ended.
    fn session(&self) -> Result<Borrowed<'_>, EvaluationError> {
        if let Some(error) = &*lock(&self.lost) {
            return Err(error.clone());
        }
        let idle = lock(&self.idle).pop();
        let session = match idle {
            Some(session) => session,
            None => self.begin()?.0,
        };
        Ok(Borrowed { session, of: self })
    }
}

/// A conversation that is put back among the idle ones when it is dropped, if it can be used again.
pub(crate) struct Borrowed<'e> {
    session: Session,
    of: &'e Shared,
}

impl Deref for Borrowed<'_> {
    type Target = Session;

    /// Returns the conversation that is borrowed.
    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Borrowed<'_> {
    /// Returns the conversation that is borrowed, to be changed.
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}

impl Drop for Borrowed<'_> {
    /// Puts the conversation back among the idle ones; if it failed, the evaluation ends instead.
    fn drop(&mut self) {
        match self.session.failure.take() {
            None => {
                // It can be used again, without the position that it was told last.
                let mut session = std::mem::take(&mut self.session);
                session.position = None;
                lock(&self.of.idle).push(session);
            }
            // The failure of one session ends the evaluation for all.
            Some(error) => {
                lock(&self.of.lost).get_or_insert(error);
            }
        }
    }
}

tuner_base::impl_fmt! {
/// The command that starts an evaluator, for messages.
Display for EvaluatorProgram, |self, f| {
    let command = shell_words(&self.command);
    match &self.folder {
        Some(folder) => write!(f, "{command} (in {})", shell_word(folder)),
        None => f.write_str(&command),
    }
} }
