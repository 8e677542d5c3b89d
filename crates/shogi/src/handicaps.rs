//! Named start positions: gote (uwate) gives pieces, and moves first.

use crate::{Position, Setup};

/// Names in KIF and in JKF, and gote's first two ranks.
/// Left and right are as gote sees them.
const STARTS: [(&str, &str, &str); 16] = [
    ("平手", "HIRATE", "lnsgkgsnl/1r5b1"),
    ("香落ち", "KY", "lnsgkgsn1/1r5b1"),
    ("右香落ち", "KY_R", "1nsgkgsnl/1r5b1"),
    ("角落ち", "KA", "lnsgkgsnl/1r7"),
    ("飛車落ち", "HI", "lnsgkgsnl/7b1"),
    ("飛香落ち", "HIKY", "lnsgkgsn1/7b1"),
    ("二枚落ち", "2", "lnsgkgsnl/9"),
    ("三枚落ち", "3", "lnsgkgsn1/9"),
    ("四枚落ち", "4", "1nsgkgsn1/9"),
    ("五枚落ち", "5", "2sgkgsn1/9"),
    ("左五枚落ち", "5_L", "1nsgkgs2/9"),
    ("六枚落ち", "6", "2sgkgs2/9"),
    ("右七枚落ち", "7_R", "3gkgs2/9"),
    ("左七枚落ち", "7_L", "2sgkg3/9"),
    ("八枚落ち", "8", "3gkg3/9"),
    ("十枚落ち", "10", "4k4/9"),
];

/// Finds a start position, the usual one or that of a handicap, by its Japanese name in KIF, with
/// or without the last kana; `None` of other names.
pub(crate) fn by_japanese(name: &str) -> Option<Setup> {
    let name = name.trim_end_matches('ち');
    find(|(japanese, _)| japanese.trim_end_matches('ち') == name)
}

/// Returns the Japanese name in KIF of a start position, the usual one or that of a handicap;
/// `None` if it has none.
pub(crate) fn name(setup: &Setup) -> Option<&'static str> {
    let mut names = STARTS.iter().map(|(japanese, ..)| *japanese);
    names.find(|name| by_japanese(name).as_ref() == Some(setup))
}

/// Finds a start position, the usual one or that of a handicap, by its name in JKF; `None` of other
/// names.
#[cfg(feature = "data")]
pub(crate) fn by_preset(name: &str) -> Option<Setup> {
    find(|(_, preset)| preset == name)
}

/// Returns the start position whose names in KIF and in JKF `named` accepts; `None` if there is
/// none. Gote moves first in handicap games, sente in the usual one.
fn find(named: impl Fn((&str, &str)) -> bool) -> Option<Setup> {
    let mut starts = STARTS.iter();
    let (_, preset, ranks) = starts.find(|(japanese, preset, _)| named((japanese, preset)))?;
    let turn = if *preset == "HIRATE" { 'b' } else { 'w' };
    let sfen = format!("{ranks}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {turn} - 1");
    // All starts of the table are legal positions.
    let position = Position::from_sfen(&sfen).ok()?;
    Some(Setup::from(&position))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use rsshogi::board::InitialPosition;

    use super::*;
    use crate::{Color, Position};

    #[test]
    fn starts_are_those_of_another_library() {
        let mut compared = 0;
        for (japanese, preset, _) in STARTS {
            let setup = by_japanese(japanese).unwrap();
            assert_eq!(by_preset(preset), Some(setup));
            let start = Position::from_setup(&setup).unwrap();
            assert_eq!(start.turn() == Color::Sente, japanese == "平手");
            if let Some(other) = InitialPosition::from_handicap_name_ja(japanese) {
                assert_eq!(start.to_sfen(), other.to_sfen(), "{japanese}");
                compared += 1;
            }
        }
        assert_eq!(compared, 14);
        assert_eq!(by_japanese("角落"), by_japanese("角落ち"));
        assert_eq!(by_japanese("その他"), None);
        assert_eq!(by_preset("OTHER"), None);
    }
}
