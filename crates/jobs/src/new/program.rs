//! The evaluator's package: its Cargo.toml, and the text of its program.

use super::Board;
use super::evaluation::Evaluation;
use tuner_data::Perspective;
use tuner_source::Passing;

/// An evaluator that is to be written.
#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The name of the engine's package.
    pub(super) name: &'a str,
    /// The name of the engine's library, as code writes it.
    pub(super) library: &'a str,
    pub(super) board: Board,
    /// Whether positions are texts in SFEN; else in FEN.
    pub(super) is_shogi: bool,
    pub(super) perspective: Perspective,
    pub(super) evaluation: &'a Evaluation,
    /// Paths of the functions of the library that fill its tables, in the order in which to call
    /// them.
    pub(super) start: Vec<Vec<String>>,
}

/// The board of a text that was read before.
const FRESH: &str = "
impl Position {
    /// Reads the board once more, for an evaluation that changes it: it has no `Clone`.
    pub fn fresh(&self) -> $BOARD {
        let again = Text.parse(&self.text).ok();
        let board = again.and_then(|position| Arc::into_inner(position.board));
        board.expect(\"a text that was read before\")
    }
}
";

impl Program<'_> {
    /// Returns the name of the evaluator's package, which its program has as well:
    /// `ENGINE-evaluator`.
    pub(super) fn package(&self) -> String {
        format!("{}-evaluator", self.name)
    }

    /// Returns the text of the evaluator's Cargo.toml; the caller replaces `$FEATURE` in it.
    /// `clone`: the path of Tuner's repository; `dependency`: the line for the crate that the board
    /// comes from, where that is neither Tuner's nor the engine's; else empty.
    pub(super) fn manifest(&self, clone: &str, dependency: &str) -> String {
        let (name, package) = (self.name, self.package());
        let board = match self.board {
            Board::Shakmaty => format!(
                "tuner-chess = {{ path = \"{clone}/crates/chess\", default-features = false }}\n"
            ),
            Board::Shogi => format!(
                "tuner-shogi = {{ path = \"{clone}/crates/shogi\", default-features = false, \
                 features = [\"rules\"] }}\n"
            ),
            Board::CozyChess | Board::Own => dependency.to_owned(),
        };
        include_str!("evaluator.toml.txt")
            .replace("$PACKAGE", &package)
            .replace("$ENGINE", name)
            .replace("$TUNER", clone)
            .replace("$BOARD", &board)
    }

    /// Returns the text of the evaluator's src/main.rs: a template, filled with the names of the
    /// engine, the calls that fill its tables, and the functions that score and trace.
    pub(super) fn main(&self) -> String {
        let (notation, module) = match self.board {
            Board::Shakmaty => ("Fen", "tuner_chess"),
            Board::Shogi => ("Sfen", "tuner_shogi"),
            Board::CozyChess => ("Fen", "notation"),
            Board::Own => ("Text", "notation"),
        };
        let mut uses = vec![
            format!("{module}::{notation}"),
            "tuner_core::evaluator::FunctionEngine".to_owned(),
            "tuner_core::game::Perspective".to_owned(),
        ];
        // A traced twin of a method is called through a trait, which has to be in scope, as has the
        // engine's own trait that the evaluation is of.
        if self.evaluation.kind.is_method {
            let traced = self.path(&self.evaluation.modules) + "::__traced::*";
            uses.push(traced);
            uses.extend(self.evaluation.of_trait.iter().map(|path| self.path(path)));
        }
        uses.sort();
        let uses = uses.join(";\nuse ");
        let modules = self.notation().map_or("", |_| "mod notation;\n\n");
        // Of a board of the engine's own the evaluator has no rules, so it cannot play games.
        let serve = match self.board {
            Board::Own => "serve",
            _ => "serve_playing",
        };
        let perspective = match self.perspective {
            Perspective::FirstPlayer => "FirstPlayer",
            Perspective::SideToMove => "SideToMove",
        };
        include_str!("evaluator.rs.txt")
            .replace("$ENGINE", self.name)
            .replace("$MODULES", modules)
            .replace("$USES", &uses)
            .replace("$START", &self.start())
            .replace("$SERVE", serve)
            .replace("$LIBRARY", self.library)
            .replace("$NOTATION", notation)
            .replace("$PERSPECTIVE", perspective)
            .replace("$EVALUATE", &self.call(false))
            .replace("$TRACE", &self.call(true))
    }

    /// Returns the text of the evaluator's src/notation.rs, which reads positions; `None` where a
    /// crate of Tuner reads them: on boards of shakmaty and of Tuner's shogi.
    pub(super) fn notation(&self) -> Option<String> {
        let in_library = |path: &Option<String>| {
            let path = path.as_deref().unwrap_or_default();
            path.replace("$LIBRARY", self.library)
        };
        // The letter of the second player to move in a text of a position, and the notation's name.
        let (letter, describes) = if self.is_shogi {
            ("w", "SFEN")
        } else {
            ("b", "FEN")
        };
        match self.board {
            Board::Shakmaty | Board::Shogi => None,
            Board::CozyChess => Some(include_str!("cozy_chess_notation.rs.txt").to_owned()),
            Board::Own => Some(
                include_str!("own_notation.rs.txt")
                    .replace("$FRESH", if self.reads_again() { FRESH } else { "" })
                    .replace("$BOARD", &in_library(&self.evaluation.position))
                    .replace("$PARSE", &in_library(&self.evaluation.parse))
                    .replace("$LETTER", letter)
                    .replace("$TEXT", describes),
            ),
        }
    }

    /// Returns the calls by which the engine's own program fills its tables, a line of source code
    /// each.
    fn start(&self) -> String {
        let lines = self.start.iter();
        let lines = lines.map(|path| format!("    {}();\n", self.path(path)));
        lines.collect()
    }

    /// Returns the path of a module or an item of the engine's library as another crate writes it:
    /// with the library's name before it.
    fn path(&self, modules: &[String]) -> String {
        let library = [self.library.to_owned()];
        [&library[..], modules].concat().join("::")
    }

    /// Tells whether the text of a position is read again for each call of the evaluation. It is,
    /// if the evaluation takes the board by value or `&mut`, and boards have no `Clone`.
    fn reads_again(&self) -> bool {
        self.evaluation.kind.passing != Passing::Shared && !self.evaluation.is_cloned
    }

    /// Returns the text of an expression, a path or a closure, of a function that takes a reference
    /// to a position of the notation and calls the engine's evaluation, or its traced twin if
    /// `is_twin`, with the board in it.
    fn call(&self, is_twin: bool) -> String {
        let Evaluation { name, kind, .. } = self.evaluation;
        // `position`: the board in `pos`; `copy`: one of its own, for an evaluation that takes the
        // board by value or `&mut`.
        let (position, copy) = match self.board {
            // The board is in an `Arc`: to copy the board, it is dereferenced first.
            Board::Own if self.reads_again() => ("pos.board", "pos.fresh()"),
            Board::Own => ("pos.board", "(*pos.board).clone()"),
            _ => ("pos", "pos.clone()"),
        };
        let (prefix, inner) = if is_twin {
            ("__traced_", "::__traced")
        } else {
            ("", "")
        };
        if kind.is_method {
            return match kind.passing {
                Passing::Shared => format!("|pos| {position}.{prefix}{name}()"),
                Passing::Value | Passing::Mutable => format!("|pos| {copy}.{prefix}{name}()"),
            };
        }
        let modules = self.path(&self.evaluation.modules);
        let function = format!("{modules}{inner}::{name}");
        match (kind.passing, self.board) {
            (Passing::Shared, Board::Own) => format!("|pos| {function}(&{position})"),
            (Passing::Shared, _) => function,
            (Passing::Value, _) => format!("|pos| {function}({copy})"),
            (Passing::Mutable, _) => format!("|pos| {function}(&mut {copy})"),
        }
    }
}
