//! Random games that rsshogi writes.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rsshogi::records::formats::{csa, jkf, kif as other_kif, usi};
use tuner_data::Outcome;
use tuner_data::rules::{EndReason, Game, PlayedGame, PlayedReason, Rules as _};

use super::super as formats;

use super::{Records, read};
use crate::kif_text;
use crate::{Color, Position, Sfen, Square};

/// A random game: its positions, and USI's words.
fn game(seed: u64) -> (Vec<Position>, String) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start();
    let mut positions = Vec::new();
    let mut words = "position startpos moves".to_owned();
    for _ in 0..10 + random.random_range(0..200) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[random.random_range(0..moves.len())];
        positions.push(position);
        words = format!("{words} {m}");
        position.play(m);
    }
    (positions, words)
}

fn compare(format: &Records<Position>, text: &[u8], positions: &[Position]) {
    let read = read(format, text);
    let winner = if positions.len().is_multiple_of(2) {
        Outcome::Loss
    } else {
        Outcome::Win
    };
    let shown = String::from_utf8_lossy(text);
    assert_eq!(read.result(), Some((winner, false)), "{shown}");
    let found: Vec<Position> = read
        .positions
        .iter()
        .map(|(_, read)| read.position)
        .collect();
    assert_eq!(found.len(), positions.len(), "{}\n{shown}", format.name);
    for (found, expected) in found.iter().zip(positions) {
        assert_eq!(found.key(), expected.key(), "{}\n{shown}", format.name);
    }
    assert!((format.recognises)(text, true), "{shown}");
}

/// The side to move at the end resigns.
#[test]
fn games_are_read_as_they_were_played() {
    for seed in 0..60 {
        let (positions, words) = game(seed);
        let count = positions.len();
        let label = if count.is_multiple_of(2) {
            "0-1"
        } else {
            "1-0"
        };
        compare(
            &formats::USI,
            format!("{label} {words}\n").as_bytes(),
            &positions,
        );

        let record = usi::parse_usi_position(&words).unwrap();
        let text = csa::export_csa(&record).unwrap();
        compare(
            &formats::CSA,
            format!("{}\n%TORYO\n", text.trim_end()).as_bytes(),
            &positions,
        );

        let moves = |text: String| -> String {
            let lines = text.lines().filter(|line| !line.starts_with("まで"));
            lines.flat_map(|line| [line, "\n"]).collect()
        };
        let text = moves(other_kif::export_kif(&record).unwrap());
        let text = format!("{text}{:4} 投了\n", count + 1);
        compare(&formats::KIF, text.as_bytes(), &positions);
        let (bytes, _, lost) = encoding_rs::SHIFT_JIS.encode(&text);
        assert!(!lost);
        compare(&formats::KIF, &bytes, &positions);

        let winner = if count.is_multiple_of(2) {
            "後手"
        } else {
            "先手"
        };
        let text = moves(other_kif::export_ki2(&record).unwrap());
        let text = format!("{text}まで{count}手で{winner}の勝ち\n");
        compare(&formats::KI2, text.as_bytes(), &positions);
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&text);
        compare(&formats::KI2, &bytes, &positions);

        let text = jkf::export_jkf(&record).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let end = serde_json::json!({ "special": "TORYO" });
        json["moves"].as_array_mut().unwrap().push(end);
        compare(&formats::JKF, json.to_string().as_bytes(), &positions);
    }
}

/// Games of hcpe3, with moves as rsshogi writes Apery's.
#[test]
fn games_of_hcpe3_are_read_as_they_were_played() {
    let (mut bytes, mut all) = (Vec::new(), Vec::new());
    for seed in 0..20 {
        let (positions, words) = game(seed);
        let start = rsshogi::board::hirate_position();
        bytes.extend(start.to_huffman_coded_pos().data);
        bytes.extend((positions.len() as u16).to_le_bytes());
        // Gote won by declaration; the opponent does not matter.
        bytes.extend([2 | 8, 1]);
        for (number, (position, word)) in
            (positions.iter()).zip(words.split(' ').skip(3)).enumerate()
        {
            let m = rsshogi::types::Move::from_usi(word).unwrap();
            let candidates = number as u16 % 4;
            bytes.extend(m.to_apery().raw().to_le_bytes());
            bytes.extend(70_i16.to_le_bytes());
            bytes.extend(candidates.to_le_bytes());
            bytes.extend(vec![0xab; 4 * usize::from(candidates)]);
            let sente = position.turn() == Color::Sente;
            let score = (candidates > 0).then_some(if sente { 70 } else { -70 });
            all.push((*position, position.read_usi(word).unwrap(), score));
        }
    }
    let format = &formats::HCPE3;
    assert!((format.recognises)(&bytes, true) && !(format.recognises)(&bytes[1..], true));
    assert!(!(formats::HCPE.recognises)(&bytes, true) && !(formats::PSV.recognises)(&bytes, true));
    let found = read(format, &bytes);
    assert_eq!((found.units, &found.rejected), (20, &Vec::new()));
    assert_eq!(found.positions.len(), all.len());
    for ((_, read), (position, m, score)) in found.positions.iter().zip(&all) {
        assert_eq!(read.position.key(), position.key());
        assert_eq!(
            (read.outcome, read.search_score),
            (Outcome::Loss.into(), *score)
        );
        assert_eq!(read.around.next_tactical, Some(position.is_tactical(*m)));
    }
    // A damaged game is rejected alone, with its place.
    let mut damaged = bytes.clone();
    damaged[36] ^= 1;
    let rest = read(format, &damaged);
    assert_eq!((rest.units, rest.rejected.len()), (19, 1));
    assert_eq!((rest.rejected[0].0, rest.rejected[0].1), (1, 1));
    assert!(
        rest.rejected[0].2.contains("expected a legal move"),
        "{:?}",
        rest.rejected
    );
    damaged[34] = 3;
    assert!(
        read(format, &damaged).rejected[0]
            .2
            .contains("the result 3")
    );
    let cut = read(format, &bytes[..bytes.len() - 1]);
    assert_eq!((cut.units, cut.rejected.len()), (19, 1));
    assert!(
        cut.rejected[0].2.contains("expected whole games"),
        "{:?}",
        cut.rejected
    );
}

/// What this library writes is read again, by itself and by rsshogi.
#[test]
fn games_are_written_as_kif() {
    use PlayedReason::{Agreed, Forfeit, Rules, Time};
    let middle = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let handicap = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let starts = [Position::start().to_sfen(), middle.into(), handicap.into()];
    let reasons = [
        Agreed,
        Time,
        Forfeit,
        Rules(EndReason::CHECKMATE),
        Rules(EndReason::IMPASSE),
    ];
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for number in 0..60 {
        let start = Position::from_sfen(&starts[number % 3]).unwrap();
        let mut game = Game::new(&Sfen, start);
        for _ in 0..4 + number {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let us = game.position().turn();
        for reason in reasons {
            let winner = if reason == Rules(EndReason::IMPASSE) {
                us
            } else {
                !us
            };
            let outcome = match winner {
                Color::Sente => Outcome::Win,
                Color::Gote => Outcome::Loss,
            };
            let played = PlayedGame {
                start: game.start(),
                moves: game.moves(),
                players: ["old", "new\nお"],
                outcome,
                reason,
            };
            let text = kif_text::write(&played);
            let read = read(&formats::KIF, text.as_bytes());
            let forfeit = matches!(reason, Time | Forfeit);
            assert_eq!(read.result(), Some((outcome, forfeit)), "{text}");
            let mut position = *game.start();
            assert_eq!(read.positions.len(), game.moves().len(), "{text}");
            for ((_, read), m) in read.positions.iter().zip(game.moves()) {
                assert_eq!(read.position.key(), position.key(), "{text}");
                position.play(*m);
            }
            let other = other_kif::parse_kif_str(&text).unwrap();
            let words = usi::export_usi_position(&other).unwrap();
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            assert!(words.ends_with(&moves.join(" ")), "{words}\n{text}");
        }
    }
}

/// A game that nobody lost at the end of his own turn.
#[test]
fn adjudicated_and_drawn_games_are_written_as_kif() {
    let mut game = Game::new(&Sfen, Position::start());
    for m in "7g7f 3c3d 8h2b+ 3a2b B*4e".split(' ') {
        game.play(Sfen.read_move(game.position(), m).unwrap());
    }
    let write = |outcome, reason| {
        let players = ["a", "b"];
        kif_text::write(&PlayedGame {
            start: game.start(),
            moves: game.moves(),
            players,
            outcome,
            reason,
        })
    };
    let won = write(Outcome::Loss, PlayedReason::Agreed);
    assert!(
        won.ends_with(
            "   3 ２二角成(88)   ( 0:00/00:00:00)\n   \
             4 同　銀(31)   ( 0:00/00:00:00)\n   \
             5 ４五角打   ( 0:00/00:00:00)\n\
             まで5手で後手の勝ち\n"
        ),
        "{won}"
    );
    let repeated = PlayedReason::Rules(EndReason::REPETITION);
    let perpetual = PlayedReason::Rules(EndReason::PERPETUAL_CHECK);
    for (outcome, reason, end) in [
        (Outcome::Draw, PlayedReason::Agreed, "持将棋"),
        (Outcome::Draw, repeated, "千日手"),
        (Outcome::Win, perpetual, "千日手"),
    ] {
        let text = write(outcome, reason);
        assert!(
            text.ends_with(&format!("   6 {end}   ( 0:00/00:00:00)\n")),
            "{text}"
        );
        assert!(read(&formats::KIF, text.as_bytes()).result().is_some());
    }
}

/// A record of hcpe or psv around 32 bytes.
fn record(packed: [u8; 32], rest: &[u8]) -> Vec<u8> {
    [&packed[..], rest].concat()
}

#[test]
fn packed_positions_are_read_as_they_were_written() {
    let (mut hcpe, mut psv) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for seed in 0..20 {
        for position in game(seed).0 {
            let other = rsshogi::board::position_from_sfen(&position.to_sfen()).unwrap();
            // 100 for the side to move; sente won; the first move as the best.
            let best = position.legal_moves()[0];
            let from = best.from().map(Square::index);
            if let Some(from) = from {
                let m = (from << 7 | best.to().index()) as u16;
                let apery = m | u16::from(best.promotes()) << 14;
                let [low, high] = apery.to_le_bytes();
                let tail = [100, 0, low, high, 1, 0];
                hcpe.extend(record(other.to_huffman_coded_pos().data, &tail));
                let [low, high] = (m | u16::from(best.promotes()) << 15).to_le_bytes();
                let won = if position.turn() == Color::Sente {
                    1_i8
                } else {
                    -1
                };
                let tail = [100, 0, low, high, 8, 0, won.cast_unsigned(), 0];
                psv.extend(record(*other.to_packed_sfen().as_bytes(), &tail));
                all.push((position, best));
            }
        }
    }
    for (format, bytes) in [
        (&formats::HCPE as &Records<Position>, &hcpe),
        (&formats::PSV, &psv),
    ] {
        assert!((format.recognises)(bytes, true));
        assert!(!(format.recognises)(&bytes[1..], true));
        let read = read(format, bytes);
        assert!(read.rejected.is_empty(), "{:?}", read.rejected);
        assert_eq!(read.positions.len(), all.len());
        for ((_, read), (position, best)) in read.positions.iter().zip(&all) {
            assert_eq!(read.position.key(), position.key());
            assert_eq!(read.outcome, Outcome::Win);
            let sign = if position.turn() == Color::Sente {
                1
            } else {
                -1
            };
            assert_eq!(read.search_score, Some(100 * sign));
            assert_eq!(read.around.next_tactical, Some(position.is_tactical(*best)));
            assert_eq!(read.ply, (format.name == "psv").then_some(7));
        }
    }
}
