use super::nim::{CHOICE, NO_RULES, Nim, RANDOM, Taker, taker};
use crate::*;
use tuner_game::rules::Game;

pub(super) fn settings() -> ContestSettings {
    ContestSettings {
        seed: 3,
        thinking: [Thinking::Move(Limit::Depth(1)); 2],
        openings: CHOICE,
        adjudication: NO_RULES,
        texts: MatchTexts::default(),
    }
}

pub(super) fn seats() -> Seats<'static, Nim> {
    Seats {
        first: taker(12),
        second: taker(4),
        judge: None,
    }
}

fn points(pairs: std::ops::Range<u64>, seats: &mut Seats<'_, Nim>) -> Vec<[u8; 2]> {
    let mut settings = settings();
    settings.texts.text = true;
    let play = |number| {
        let pair = play_pair(&Nim, &settings, &RANDOM, number, seats).unwrap();
        let [one, two] = pair.0.each_ref().map(|game| {
            let text = game.text.as_deref().unwrap();
            let words = text.split("\n\n").nth(1).unwrap().split_whitespace();
            let moves = words.filter(|word| !word.ends_with('.'));
            moves.take(3).collect::<Vec<_>>()
        });
        assert!(one == two && one.len() == 3, "{one:?} {two:?}");
        pair.half_points()
    };
    pairs.map(play).collect()
}

#[test]
fn pairs_depend_on_seed_and_number_alone() {
    let all = points(0..80, &mut seats());
    // Players that have played other games, and new ones.
    let mut used = seats();
    points(3..9, &mut used);
    assert_eq!(points(0..80, &mut used), all);
    assert_eq!(points(30..50, &mut seats()), all[30..50]);
}

#[test]
fn who_is_out_of_order_loses_and_is_counted() {
    let faulty = Taker {
        knows: 0,
        fault_at: Some(30),
    };
    let mut seats = Seats {
        first: Box::new(faulty),
        second: taker(0),
        judge: None,
    };
    for number in 0..5 {
        let pair = play_pair(&Nim, &settings(), &RANDOM, number, &mut seats).unwrap();
        assert_eq!(pair.half_points(), [0, 0]);
        assert_eq!(pair.faults().map(|faults| faults.len()), [2, 0]);
        assert_eq!(pair.late(), [0, 0]);
    }
}

/// A player that panics as soon as a game begins.
struct Panicking {
    has_network: bool,
}

impl Player<Nim> for Panicking {
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        assert!(self.has_network, "no network");
        Ok(())
    }

    fn choose(&mut self, _: &Game<'_, Nim>, _: Limit) -> ChosenMove<u32> {
        Err(PlayerFault::Resigned)
    }
}

#[test]
fn a_panic_where_a_game_begins_is_a_fault() {
    let mut seats = Seats {
        first: taker(0),
        second: Box::new(Panicking { has_network: false }),
        judge: None,
    };
    let played = play_pair(&Nim, &settings(), &RANDOM, 0, &mut seats);
    let is_unusable = matches!(
        &played,
        Err(PlayerFault::Unusable(words)) if words.contains("no network")
    );
    assert!(is_unusable, "{played:?}");
}
