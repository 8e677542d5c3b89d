//! The evaluator's package: its Cargo.toml, and the text of its program.

use super::Board;
use super::evaluation::Evaluation;
use tuner_data::Perspective;
use tuner_source::Passing;

#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The engine's.
    pub(super) name: &'a str,
    /// The engine's library.
    pub(super) library: &'a str,
    pub(super) board: Board,
    /// Texts are SFEN.
    pub(super) is_shogi: bool,
    pub(super) perspective: Perspective,
    pub(super) evaluation: &'a Evaluation,
    /// Functions of the library that fill tables.
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
    /// The name of the package, and of its program.
    pub(super) fn package(&self) -> String {
        format!("{}-evaluator", self.name)
    }

    /// Cargo.toml: `clone` is the way to Tuner, `dependency` a line of a board of another crate.
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

    /// src/main.rs.
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
        if self.evaluation.is_method {
            let traced = self.path(&self.evaluation.modules) + "::__traced::*";
            uses.push(traced);
        }
        if let Some(path) = self
            .evaluation
            .of_trait
            .as_ref()
            .filter(|_| self.evaluation.is_method)
        {
            uses.push(self.path(path));
        }
        uses.sort();
        let uses = uses.join(";\nuse ");
        let modules = self.notation().map_or("", |_| "mod notation;\n\n");
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

    /// src/notation.rs, of positions that the library cannot read.
    pub(super) fn notation(&self) -> Option<String> {
        let in_library = |path: &Option<String>| {
            let path = path.as_deref().unwrap_or_default();
            path.replace("$LIBRARY", self.library)
        };
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

    /// What the engine's own program calls first.
    fn start(&self) -> String {
        let lines = self.start.iter();
        let lines = lines.map(|path| format!("    {}();\n", self.path(path)));
        lines.collect()
    }

    fn path(&self, modules: &[String]) -> String {
        let library = [self.library.to_owned()];
        [&library[..], modules].concat().join("::")
    }

    /// Whether the evaluation takes boards away, or changes them, that cannot be copied.
    fn reads_again(&self) -> bool {
        self.evaluation.passing != Passing::Shared && !self.evaluation.is_cloned
    }

    /// Production, or its twin, as a function of the notation's position.
    fn call(&self, is_twin: bool) -> String {
        let Evaluation {
            modules,
            name,
            passing,
            is_method,
            ..
        } = self.evaluation;
        let (position, copy) = match self.board {
            // The board is shared: a copy is one of what is in there.
            Board::Own if self.reads_again() => ("pos.board", "pos.fresh()"),
            Board::Own => ("pos.board", "(*pos.board).clone()"),
            _ => ("pos", "pos.clone()"),
        };
        let (prefix, inner) = if is_twin {
            ("__traced_", "::__traced")
        } else {
            ("", "")
        };
        if *is_method {
            return match passing {
                Passing::Shared => format!("|pos| {position}.{prefix}{name}()"),
                Passing::Value | Passing::Mutable => format!("|pos| {copy}.{prefix}{name}()"),
            };
        }
        let function = format!("{}{inner}::{name}", self.path(modules));
        match (passing, self.board) {
            (Passing::Shared, Board::Own) => format!("|pos| {function}(&{position})"),
            (Passing::Shared, _) => function,
            (Passing::Value, _) => format!("|pos| {function}({copy})"),
            (Passing::Mutable, _) => format!("|pos| {function}(&mut {copy})"),
        }
    }
}
