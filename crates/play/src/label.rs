//! Labels of a single position by a player: its score, and how a game from it ends.

use super::game::{GameEnd, play_game};
use super::player::{Limit, Player, PlayerFault, Score, guarded};
use super::settings::PlayoutSettings;
use tuner_game::rules::{Game, Rules};
use tuner_game::{MATE, Outcome};

/// Returns the score of a position by a search, in centipawns, as the first player sees it; a mate
/// in `n` plies is [`MATE`] − n, and other scores are cut where they would reach `MATE`. Of a game
/// that is over it is `MATE` either way, or 0, without a search. `None` where the player gives no
/// score.
///
/// # Errors
/// If the player fails.
pub fn search_score<R: Rules + ?Sized>(
    rules: &R,
    player: &mut dyn Player<R>,
    position: R::Position,
    limit: Limit,
) -> Result<Option<i32>, PlayerFault> {
    let first = rules.first_player_to_move(&position);
    let game = Game::new(rules, position);
    if let Some(ending) = game.ending() {
        return Ok(Some(match ending.outcome {
            Outcome::Win => MATE,
            Outcome::Draw => 0,
            Outcome::Loss => -MATE,
        }));
    }
    let found = guarded(|| player.choose(&game, limit))?.score;
    Ok(found.map(|score| {
        let score = match score {
            Score::Centipawns(score) => score.clamp(1 - MATE, MATE - 1),
            // Half-moves to the mate, as scores of data count them.
            Score::Mate(n) if n > 0 => MATE - n.saturating_mul(2).saturating_sub(1).min(MATE - 1),
            Score::Mate(moves) => moves.saturating_neg().saturating_mul(2).min(MATE - 1) - MATE,
        };
        if first { score } else { -score }
    }))
}

/// Returns the result, for the first player, of a game that is played on from a position by one
/// player for both sides.
///
/// # Errors
/// If the player fails.
pub fn playout<R: Rules + ?Sized>(
    rules: &R,
    player: &mut dyn Player<R>,
    position: R::Position,
    settings: &PlayoutSettings,
) -> Result<Outcome, PlayerFault> {
    let mut game = Game::new(rules, position);
    let choose = |game: &Game<'_, R>, _| guarded(|| player.choose(game, settings.limit));
    let played = play_game(&mut game, &settings.adjudication, choose, |_, _| {})?;
    if let GameEnd::Fault { fault, .. } = played.end {
        return Err(fault);
    }
    Ok(played.outcome)
}
