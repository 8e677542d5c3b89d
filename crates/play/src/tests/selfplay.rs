use std::ops::Range;

use super::nim::{CHOICE, NO_RULES, Nim, RANDOM, Taker, taker};
use crate::*;

pub(super) fn settings() -> SelfPlaySettings {
    SelfPlaySettings {
        seed: 5,
        limit: Limit::Nodes(1),
        openings: CHOICE,
        adjudication: Adjudication {
            win: Some(WinRule {
                score: 500,
                plies: 3,
            }),
            ..NO_RULES
        },
        sampling: Sampling {
            positions: 4,
            first_ply: 5,
            checks: false,
            tactical: false,
            noisy: false,
        },
        score: None,
    }
}

pub(super) fn records(games: Range<u64>) -> Vec<GameRecord> {
    let mut player = taker(12);
    let play = |number| selfplay_game(&Nim, &settings(), &RANDOM, number, player.as_mut()).unwrap();
    let records: Vec<GameRecord> = games.map(play).collect();
    let mut spent = Spent::default();
    for record in &records {
        assert!(record.spent.searching <= record.spent.playing);
        spent.add(record.spent);
    }
    assert!(spent.share() > Some(0.0) && spent.share() <= Some(1.0));
    records
}

#[test]
fn games_depend_on_seed_and_number_alone() {
    let all = records(0..60);
    assert_eq!(records(0..60), all);
    assert_eq!(records(17..30), all[17..30]);
    assert!(all.windows(2).any(|pair| pair[0] != pair[1]));
    // Nothing is lost: every position of a game is kept or counted.
    for record in &all {
        let left: u64 = record.left.named().iter().map(|(_, count)| count).sum();
        assert_eq!(record.samples.len() as u64 + left, record.plies as u64);
        assert!(record.samples.len() <= 4);
        assert!(
            record
                .samples
                .is_sorted_by(|a, b| a.ply < b.ply && a.ply >= 5)
        );
    }
    let mut left = Left::default();
    for record in &all {
        left.add(&record.left);
    }
    assert!(
        left.early > 0 && left.tactical > 0 && left.noisy > 0,
        "{left:?}"
    );
    assert!(all.iter().any(|record| record.end == GameEnd::Adjudicated));
}

#[test]
fn a_game_in_which_the_player_fails_has_no_samples() {
    let mut faulty = Taker {
        knows: 0,
        fault_at: Some(1),
    };
    let mut played = (0..50).map(|number| {
        selfplay_game(&Nim, &settings(), &RANDOM, number, &mut faulty)
            .expect("a game, whatever becomes of it")
    });
    assert!(played.any(|game| {
        let end = game.end;
        matches!(
            end,
            GameEnd::Fault {
                fault: PlayerFault::Illegal(_),
                ..
            }
        ) && game.samples.is_empty()
    }));
}
