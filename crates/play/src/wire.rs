//! Games as bytes, on their way from one process to another.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::contest::{GameOfPair, Pair};
use super::game::{GameEnd, Played, Ply};
use super::player::{PlayerFault, Score};
use super::sampling::{Left, SampledPosition};
use super::selfplay::GameRecord;
use tuner_data::Outcome;
use tuner_data::rules::{EndReason, Game, Rules};

#[derive(Deserialize, Serialize)]
struct SentRecord {
    outcome: char,
    end: SentEnd,
    /// Position, score, ply.
    samples: Vec<(String, i32, usize)>,
    left: Left,
    plies: usize,
    nodes: u64,
}

#[derive(Deserialize, Serialize)]
struct SentGame {
    start: String,
    moves: Vec<String>,
    outcome: char,
    end: SentEnd,
    plies: Vec<SentPly>,
}

/// Of the last moves of a game, one each.
#[derive(Deserialize, Serialize)]
struct SentPly {
    score: Option<SentScore>,
    nodes: u64,
    depth: Option<u32>,
    time: Option<Duration>,
}

#[derive(Deserialize, Serialize)]
enum SentScore {
    Centipawns(i32),
    Mate(i32),
}

#[derive(Deserialize, Serialize)]
enum SentEnd {
    Rules(String),
    Resigned,
    Adjudicated,
    TooLong,
    Fault(bool, String, String),
}

impl From<&GameEnd> for SentEnd {
    fn from(end: &GameEnd) -> Self {
        match end {
            GameEnd::Rules(reason) => Self::Rules(reason.0.to_owned()),
            GameEnd::Resigned => Self::Resigned,
            GameEnd::Adjudicated => Self::Adjudicated,
            GameEnd::TooLong => Self::TooLong,
            GameEnd::Fault { first, fault } => {
                Self::Fault(*first, fault.word().to_owned(), fault.to_string())
            }
        }
    }
}

impl SentEnd {
    fn end(self) -> GameEnd {
        match self {
            Self::Rules(reason) => GameEnd::Rules(EndReason(lasting(reason))),
            Self::Resigned => GameEnd::Resigned,
            Self::Adjudicated => GameEnd::Adjudicated,
            Self::TooLong => GameEnd::TooLong,
            Self::Fault(first, word, words) => {
                let kinds = [
                    PlayerFault::Unusable(words.clone()),
                    PlayerFault::Silent(words.clone()),
                    PlayerFault::Late(words.clone()),
                    PlayerFault::Ended(words.clone()),
                    PlayerFault::Illegal(words),
                ];
                let mut kinds = kinds.into_iter();
                GameEnd::Fault {
                    first,
                    fault: (kinds.find(|fault| fault.word() == word))
                        .unwrap_or(PlayerFault::Resigned),
                }
            }
        }
    }
}

/// A reason for the end of a game, for as long as the process lives: a game has a few.
fn lasting(reason: String) -> &'static str {
    static REASONS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut reasons = REASONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = reasons.get(reason.as_str()) {
        return known;
    }
    let new = String::leak(reason);
    reasons.insert(new);
    new
}

fn sent_outcome(outcome: Outcome) -> char {
    match outcome {
        Outcome::Win => 'w',
        Outcome::Draw => 'd',
        Outcome::Loss => 'l',
    }
}

fn outcome(sent: char) -> Outcome {
    match sent {
        'w' => Outcome::Win,
        'l' => Outcome::Loss,
        _ => Outcome::Draw,
    }
}

/// A game of self-play as bytes.
pub(crate) fn write_record(record: &GameRecord) -> Vec<u8> {
    let samples = record.samples.iter();
    written(&SentRecord {
        outcome: sent_outcome(record.outcome),
        end: (&record.end).into(),
        samples: samples
            .map(|sample| (sample.position.clone(), sample.score, sample.ply))
            .collect(),
        left: record.left,
        plies: record.plies,
        nodes: record.nodes,
    })
}

/// The same back; none of bytes that are no game.
pub(crate) fn read_record(bytes: &[u8]) -> Option<GameRecord> {
    let sent: SentRecord = serde_json::from_slice(bytes).ok()?;
    let sample = |(position, score, ply)| SampledPosition {
        position,
        score,
        ply,
    };
    Some(GameRecord {
        outcome: outcome(sent.outcome),
        end: sent.end.end(),
        samples: sent.samples.into_iter().map(sample).collect(),
        left: sent.left,
        plies: sent.plies,
        nodes: sent.nodes,
    })
}

/// Both games of a pair as bytes.
pub(crate) fn write_pair<R: Rules>(rules: &R, pair: &Pair<'_, R>) -> Vec<u8> {
    let games = pair.0.iter().map(|game| {
        let mut moves = Vec::new();
        let mut at = Game::new(rules, game.game.start().clone());
        for &m in game.game.moves() {
            moves.push(rules.write_move(at.position(), m));
            at.play(m);
        }
        let plies = game.played.plies.iter().map(|ply| SentPly {
            score: ply.score.map(|score| match score {
                Score::Centipawns(score) => SentScore::Centipawns(score),
                Score::Mate(moves) => SentScore::Mate(moves),
            }),
            nodes: ply.nodes,
            depth: ply.depth,
            time: ply.time,
        });
        SentGame {
            start: rules.describe(game.game.start()),
            moves,
            outcome: sent_outcome(game.played.outcome),
            end: (&game.played.end).into(),
            plies: plies.collect(),
        }
    });
    written(&games.collect::<Vec<_>>())
}

/// The same back; none of bytes that are no pair by these rules.
pub(crate) fn read_pair<'r, R: Rules>(rules: &'r R, bytes: &[u8]) -> Option<Pair<'r, R>> {
    let sent: [SentGame; 2] = serde_json::from_slice(bytes).ok()?;
    let mut games = Vec::with_capacity(2);
    for sent in sent {
        let mut game = Game::new(rules, rules.parse(&sent.start).ok()?);
        for text in &sent.moves {
            let m = rules.read_move(game.position(), text)?;
            game.play(m);
        }
        let first = game.moves().len().checked_sub(sent.plies.len())?;
        let plies = game.moves()[first..].iter().zip(sent.plies);
        let plies = plies.map(|(&played, sent)| Ply {
            played,
            score: sent.score.map(|score| match score {
                SentScore::Centipawns(score) => Score::Centipawns(score),
                SentScore::Mate(moves) => Score::Mate(moves),
            }),
            nodes: sent.nodes,
            depth: sent.depth,
            time: sent.time,
        });
        let played = Played {
            outcome: outcome(sent.outcome),
            end: sent.end.end(),
            plies: plies.collect(),
        };
        games.push(GameOfPair { game, played });
    }
    games.try_into().ok().map(Pair)
}

/// Of such values JSON refuses none.
fn written(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
