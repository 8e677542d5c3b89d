//! Comparison with pgn-reader, and bytes that are not games.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;

/// The last position of a game as pgn-reader sees it.
struct Last;

impl pgn_reader::Visitor for Last {
    type Tags = ();
    type Movetext = (Chess, Vec<Chess>);
    type Output = Vec<Chess>;

    fn begin_tags(&mut self) -> ControlFlow<Vec<Chess>, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Vec<Chess>, (Chess, Vec<Chess>)> {
        ControlFlow::Continue((Chess::default(), Vec::new()))
    }

    fn san(
        &mut self,
        (now, all): &mut (Chess, Vec<Chess>),
        san: pgn_reader::SanPlus,
    ) -> ControlFlow<Vec<Chess>> {
        let m = san.san.to_move(now).unwrap();
        all.push(now.clone());
        now.play_unchecked(m);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, all): (Chess, Vec<Chess>)) -> Vec<Chess> {
        all
    }
}

/// A game of legal moves, written with what may come between them.
fn written(choices: &[(usize, u8)]) -> String {
    let mut position = Chess::default();
    let mut text = String::new();
    for (number, (choice, between)) in choices.iter().enumerate() {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        if number % 2 == 0 {
            text.push_str(&(number / 2 + 1).to_string());
            text.push_str(". ");
        }
        let m = moves[choice % moves.len()];
        let san = shakmaty::san::SanPlus::from_move_and_play_unchecked(&mut position, m);
        text += &san.to_string();
        text += [
            " ",
            "! ",
            "\n",
            " {+0.1/2 3s} ",
            " (1. e4 {x}) ",
            "$3 ",
            " ; x\n",
            "\r\n",
        ][usize::from(between % 8)];
    }
    let result = if position.is_stalemate() {
        "1/2-1/2"
    } else if position.is_checkmate() && position.turn().is_white() {
        "0-1"
    } else {
        "1-0"
    };
    format!("[Event \"x\"]\n[Result \"{result}\"]\n\n{text}{result}\n\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pgn_reader_sees_the_same_positions(
        choices in prop::collection::vec((any::<usize>(), any::<u8>()), 1..150),
    ) {
        let text = written(&choices);
        let ours: Vec<Chess> = good(&text).into_iter().map(|p| p.position).collect();
        let mut reader = pgn_reader::Reader::new(text.as_bytes());
        let theirs = reader.read_game(&mut Last).unwrap().unwrap();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn no_bytes_panic_and_every_game_is_counted(
        choices in prop::collection::vec((any::<usize>(), any::<u8>()), 1..30),
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        cut in any::<usize>(),
    ) {
        let mut bytes = written(&choices).repeat(3).into_bytes();
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(cut % (2 * bytes.len()));
        let all = parse(&bytes);
        let games = crate::pgn::cut::games(&bytes).filter(|(_, game)| !game.trim_ascii().is_empty());
        prop_assert_eq!(all.games + all.unfinished + all.rejected.len() + all.texts, games.count());
        // In two parts it is the same.
        if let Some(end) = (PGN.cut)(&bytes) {
            let (first, second) = (parse(&bytes[..end]), parse(&bytes[end..]));
            prop_assert_eq!(all.positions.len(), first.positions.len() + second.positions.len());
            prop_assert_eq!(all.games, first.games + second.games);
        }
    }
}
