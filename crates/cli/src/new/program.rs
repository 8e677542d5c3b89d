//! The tuning binary's text.

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
    /// The spec's file, in the engine's folder.
    pub(super) spec: &'a str,
    pub(super) board: Board,
    /// Texts are SFEN.
    pub(super) is_shogi: bool,
    pub(super) perspective: Perspective,
    pub(super) evaluation: &'a Evaluation,
}

impl Program<'_> {
    /// Cargo.toml: `clone` is the way to Tuner.
    pub(super) fn manifest(&self, clone: &str, cozy: Option<&toml::Value>) -> String {
        let name = self.name;
        let mut text = format!(
            "[package]\nname = \"{name}-tuner\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
             [workspace]\n\n\
             [dependencies]\n{name} = {{ path = \"..\", features = [\"tune\"] }}\n\
             tuner-core = {{ path = \"{clone}/tuner-core\", features = [\"cli\"] }}\n"
        );
        let of_board = match self.board {
            Board::Shakmaty => format!(
                "tuner-chess = {{ path = \"{clone}/crates/chess\", features = [\"cli\"] }}\n"
            ),
            Board::Shogi => format!(
                "tuner-shogi = {{ path = \"{clone}/crates/shogi\", features = [\"cli\"] }}\n"
            ),
            Board::CozyChess => {
                let version =
                    cozy.and_then(|cozy| cozy.as_str().or_else(|| cozy.get("version")?.as_str()));
                format!("cozy-chess = \"{}\"\n", version.unwrap_or("0.3"))
            }
            Board::Own => String::new(),
        };
        text.push_str(&of_board);
        text
    }

    /// src/main.rs.
    pub(super) fn text(&self) -> String {
        let head = match self.board {
            Board::Shakmaty => include_str!("shakmaty.rs.txt"),
            Board::Shogi => include_str!("shogi.rs.txt"),
            Board::CozyChess => include_str!("cozy_chess.rs.txt"),
            Board::Own => include_str!("own.rs.txt"),
        };
        let notation = match self.board {
            Board::Shogi => "Sfen",
            Board::Own => "Text",
            Board::Shakmaty | Board::CozyChess => "Fen",
        };
        let main = match self.board {
            Board::Own => "tuner_core::cli::main",
            Board::Shakmaty if self.evaluation.score == "i32" => "tuner_chess::main_playing",
            Board::Shogi if self.evaluation.score == "i32" => "tuner_shogi::main_playing",
            _ => "tuner_core::cli::main_playing",
        };
        let perspective = match self.perspective {
            Perspective::FirstPlayer => "FirstPlayer",
            Perspective::SideToMove => "SideToMove",
        };
        let methods = match &self.evaluation.modules[..] {
            modules if self.evaluation.is_method => {
                format!("use {}::__traced::*;\n", self.path(modules))
            }
            _ => String::new(),
        };
        let (name, library, spec) = (self.name, self.library, self.spec);
        let (letter, describes) = if self.is_shogi {
            ("w", "SFEN")
        } else {
            ("b", "FEN")
        };
        let own = self
            .evaluation
            .position
            .as_deref()
            .map_or_else(String::new, |path| format!("{library}::{path}"));
        let parse = self
            .evaluation
            .parse
            .as_deref()
            .map_or_else(String::new, |call| format!("{library}::{call}"));
        let head = head
            .replace("$METHODS", &methods)
            .replace("$BOARD", &own)
            .replace("$PARSE", &parse)
            .replace("$LETTER", letter)
            .replace("$TEXT", describes);
        format!(
            "{head}\nfn main() -> ExitCode {{\n    \
                 // Tables that the engine fills at start are filled here, as its `main` does.\n    \
                 {main}(&FunctionEngine {{\n        \
                     name: \"{name}\",\n        \
                     spec: (\"{spec}\", include_str!(\"../../{spec}\")),\n        \
                     registry: {library}::registry(),\n        \
                     notation: {notation},\n        \
                     perspective: Perspective::{perspective},\n        \
                     evaluate: {},\n        \
                     trace: {},\n    \
                 }})\n}}\n",
            self.call(false),
            self.call(true),
        )
    }

    fn path(&self, modules: &[String]) -> String {
        let library = [self.library.to_owned()];
        library
            .iter()
            .chain(modules)
            .cloned()
            .collect::<Vec<_>>()
            .join("::")
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
        let position = if self.board == Board::Own {
            "pos.board"
        } else {
            "pos"
        };
        if *is_method {
            let method = if is_twin {
                format!("__traced_{name}")
            } else {
                name.clone()
            };
            return match passing {
                Passing::Mutable => format!("|pos| {position}.clone().{method}()"),
                _ => format!("|pos| {position}.{method}()"),
            };
        }
        let module = self.path(modules);
        let function = if is_twin {
            format!("{module}::__traced::{name}")
        } else {
            format!("{module}::{name}")
        };
        match (passing, self.board) {
            (Passing::Shared, Board::Own) => format!("|pos| {function}(&{position})"),
            (Passing::Shared, _) => function,
            (Passing::Value, _) => format!("|pos| {function}({position}.clone())"),
            (Passing::Mutable, _) => format!("|pos| {function}(&mut {position}.clone())"),
        }
    }
}
