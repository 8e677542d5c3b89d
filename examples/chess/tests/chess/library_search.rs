//! The library's search with an evaluation that has none of its own.

use std::ops::ControlFlow;

use chess_engine::eval;
use shakmaty::Chess;
use tuner_chess::Fen;
use tuner_core::game::PositionNotation;
use tuner_core::game::rules::{Game, Rules};
use tuner_core::play::{
    Adjudication, AlphaBeta, ContestSettings, Limit, MatchTexts, OpeningChoice, Player,
    PlayerFault, Score, Seats, Thinking, play_pair,
};
use tuner_core::tournament::{Batch, Tally, games_in_order};

#[test]
fn mates_are_found_and_announced() {
    for (fen, best, moves) in [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
    ] {
        let game = Game::new(&Fen, Fen.parse(fen).unwrap());
        let mut player = AlphaBeta::new(&Fen, |position: &Chess| eval::evaluate(position));
        let found = player.choose(&game, Limit::Depth(6)).unwrap();
        assert_eq!(Fen.write_move(game.position(), found.best), best, "{fen}");
        assert_eq!(found.score, Some(Score::Mate(moves)), "{fen}");
    }
}

#[test]
fn an_evaluation_beats_none() {
    let seats = || {
        let with = |evaluate: fn(&Chess) -> i32| -> Box<dyn Player<Fen>> {
            Box::new(AlphaBeta::new(&Fen, evaluate))
        };
        Ok(Seats {
            first: with(eval::evaluate),
            second: with(|_| 0),
            judge: None,
        })
    };
    let setup = ContestSettings {
        seed: 5,
        thinking: [Thinking::Move(Limit::Nodes(60)); 2],
        openings: OpeningChoice::Random {
            plies: 6,
            bound: None,
        },
        adjudication: Adjudication {
            win: None,
            draw: None,
            longest: 200,
        },
        texts: MatchTexts::default(),
    };
    let openings = setup.openings.resolve(&Fen).unwrap();
    let batch = Batch::new(0..12, 2);
    let mut tally = Tally::default();
    let one =
        |seats: &mut Seats<'_, Fen>, number| play_pair(&Fen, &setup, &openings, number, seats);
    games_in_order(&batch, seats, one, |done| {
        if let Some((_, pair)) = done {
            tally.add(pair.half_points(), [0, 0], [0, 0]);
        }
        Ok::<_, PlayerFault>(ControlFlow::Continue(()))
    })
    .unwrap();
    let [won, _, lost] = tally.games;
    assert!(won >= 12 && lost == 0, "{:?}", tally.games);
}
