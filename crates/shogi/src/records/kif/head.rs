//! Lines before the moves: handicaps, diagrams, hands.

use tuner_data::Fault;
use tuner_data::in_games::fault;

use super::words::{count, kind};
use crate::handicaps;
use crate::records::game::start;
use crate::{Color, Hand, Piece, Position, Setup, Square};

/// The start position, as far as its lines have been read.
#[derive(Debug, Default)]
pub(super) struct Head {
    handicap: Option<Setup>,
    /// The ranks of a diagram so far, and their pieces.
    ranks: u8,
    diagram: Setup,
    hands: [Option<Hand>; 2],
    turn: Option<Color>,
}

/// Heads by which a file of games is recognised.
const HEADS: [&str; 12] = [
    "手合割",
    "開始日時",
    "終了日時",
    "先手",
    "後手",
    "上手",
    "下手",
    "棋戦",
    "対局日",
    "表題",
    "後手の持駒",
    "上手の持駒",
];

const HANDICAPS: &str = "平手, or a handicap such as 角落ち, or その他 with a diagram";
const ROW: &str = "a rank of nine squares such as |v香 ・ 歩…|一";
const HANDS: &str = "pieces in hand such as 飛二　歩十八, or なし";

/// Tells whether a line begins with the name of a field, such as 先手, by which files of games are
/// recognised.
pub(super) fn is_known(line: &str) -> bool {
    cut(line).is_some_and(|(head, _)| HEADS.contains(&head.trim()))
}

/// Cuts a line `NAME：VALUE` at its colon, which may be a wide one, into the name of a field and its
/// value; `None` without a colon.
fn cut(line: &str) -> Option<(&str, &str)> {
    line.split_once('：').or_else(|| line.split_once(':'))
}

impl Head {
    /// Reads a line before the moves: a row of the diagram, the side to move, or a field
    /// `NAME：VALUE`, of which handicap, hands and side to move count. `false` if it is nothing of
    /// that kind, and nothing was read.
    pub(super) fn line(&mut self, line: &str) -> Result<bool, Fault> {
        let text = line.trim();
        if text.starts_with(['|', '｜']) {
            self.rank(text)?;
            return Ok(true);
        }
        // The frame of a diagram, and the numbers of files above it.
        if text.starts_with("+--") || text.starts_with("９ ８") || text.starts_with("9 8") {
            return Ok(true);
        }
        let turn = text.strip_suffix('番').and_then(side);
        if turn.is_some() {
            self.turn = turn;
            return Ok(true);
        }
        let Some((head, value)) = cut(text) else {
            return Ok(false);
        };
        match head.trim() {
            "手合割" => self.handicap(value.trim())?,
            "先手の持駒" | "下手の持駒" => self.hands[0] = Some(hand(value)?),
            "後手の持駒" | "上手の持駒" => self.hands[1] = Some(hand(value)?),
            "手番" => {
                let value = value.trim();
                let turn = side(value).ok_or_else(|| fault(Fault::quote(value), "先手 or 後手"))?;
                self.turn = Some(turn);
            }
            _ => {}
        }
        Ok(true)
    }

    /// Takes the start position with this name, the usual one or a handicap. With the name その他
    /// (other) a diagram has the position instead.
    fn handicap(&mut self, name: &str) -> Result<(), Fault> {
        if name == "その他" {
            return Ok(());
        }
        let setup = handicaps::by_japanese(name);
        self.handicap = Some(setup.ok_or_else(|| fault(Fault::quote(name), HANDICAPS))?);
        Ok(())
    }

    /// Reads the next row of the diagram, from the top: nine cells, files from 9 to 1, each a blank
    /// for sente or `v` for gote and then the sign of a piece, or a dot where the square is empty.
    fn rank(&mut self, text: &str) -> Result<(), Fault> {
        let wrong = || fault(Fault::quote(text), ROW);
        if self.ranks == 9 {
            return Err(fault("a tenth rank", "nine ranks"));
        }
        self.ranks += 1;
        let mut rest = text.trim_start_matches(['|', '｜']);
        for file in (1..=9).rev() {
            let mut chars = rest.chars();
            let color = match chars.next().ok_or_else(wrong)? {
                ' ' | '^' | '+' => Color::Sente,
                'v' | 'V' | '-' => Color::Gote,
                _ => return Err(wrong()),
            };
            let cell = chars.as_str();
            let square = Square::new(file, self.ranks).ok_or_else(wrong)?;
            if let Some(after) = cell.strip_prefix(['・', '．', '.', '　', '*']) {
                rest = after;
                continue;
            }
            let (kind, after) = kind(cell).ok_or_else(wrong)?;
            self.diagram.board[square.index()] = Some(Piece { color, kind });
            rest = after;
        }
        let ends = rest.starts_with(['|', '｜']);
        ends.then_some(()).ok_or_else(wrong)
    }

    /// Makes the start position of the lines read: a diagram, or a start by its name, the usual one
    /// if there is none. A line that says whose turn it is decides who moves. Without it that is
    /// `first`, who makes the first move, or if that is not known sente, where there is a diagram;
    /// and whoever the named start says, gote in handicap games, where there is not. `None` for a
    /// problem, in which sente has no king.
    pub(super) fn begin(&self, first: Option<Color>) -> Result<Option<Position>, Fault> {
        let mut setup = self.handicap.unwrap_or_else(Setup::start);
        match self.ranks {
            0 => {}
            9 => {
                setup.board = self.diagram.board;
                setup.turn = first.unwrap_or(Color::Sente);
            }
            ranks => return Err(fault(format!("a diagram of {ranks} ranks"), "nine ranks")),
        }
        if let Some(turn) = self.turn {
            setup.turn = turn;
        }
        setup.hands = self.hands.map(Option::unwrap_or_default);
        start(&setup, "a legal start position in the heads before")
    }
}

/// Reads the Japanese name of a side, 先手 or 後手, or in handicap games 下手 or 上手; `None` of other
/// words.
fn side(name: &str) -> Option<Color> {
    match name {
        "先手" | "下手" => Some(Color::Sente),
        "後手" | "上手" => Some(Color::Gote),
        _ => None,
    }
}

/// Reads pieces in hand, each kind once, with its count behind it in Japanese numerals, one if
/// there is no count: `飛二 歩十八`; `なし` is no piece.
fn hand(text: &str) -> Result<Hand, Fault> {
    let mut hand = Hand::EMPTY;
    let words = text.split([' ', '　', '\t']);
    for word in words.filter(|word| !word.is_empty() && *word != "なし") {
        let wrong = || fault(Fault::quote(word), HANDS);
        let (kind, rest) = kind(word).ok_or_else(wrong)?;
        // Kings and promoted pieces do not promote, as gold does not, and are never in hand.
        if kind.promoted().is_none() && kind != crate::PieceType::Gold || hand.count(kind) > 0 {
            return Err(wrong());
        }
        for _ in 0..count(rest).filter(|count| *count <= 18).ok_or_else(wrong)? {
            hand.add(kind);
        }
    }
    Ok(hand)
}
