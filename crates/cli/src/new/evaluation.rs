//! How the engine's own functions are called.

use super::modules::Modules;
use super::{Board, NewArgs};
use tuner_jobs::JobFailure as Failure;
use tuner_source::{Passing, Reader};

/// The function that scores a position, and the one that reads one.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// The module that holds the evaluation, in which its twin is.
    pub(super) modules: Vec<String>,
    pub(super) name: String,
    /// How the position is handed over.
    pub(super) passing: Passing,
    pub(super) is_method: bool,
    /// The type of scores.
    pub(super) score: String,
    /// The type of the engine's positions, in the library.
    pub(super) position: Option<String>,
    /// The call that makes one of `text`.
    pub(super) parse: Option<String>,
}

/// A function that was named, and its modules.
struct FoundFunction<'m> {
    function: &'m Reader,
    modules: Vec<String>,
    place: String,
}

impl Evaluation {
    pub(super) fn find(args: &NewArgs, modules: &Modules) -> Result<Self, Failure> {
        let found = find(modules, "--evaluate", &args.evaluate)?;
        let function = found.function;
        let place = &found.place;
        let refuse =
            |what: &str| -> Failure { format!("{place}: `{}` {what}", function.name).into() };
        let alone = "write a function of the position alone next to it, `pub fn evaluate_position(…)`, and name that";
        let (passing, kind, is_method) = match (function.receiver(), &*function.parameters()) {
            (Some(passing), []) => (passing, function.owner.clone().unwrap_or_default(), true),
            (None, [(passing, kind)]) => (*passing, kind.clone(), false),
            (receiver, parameters) => {
                let count = parameters.len() + usize::from(receiver.is_some());
                return Err(refuse(&format!("takes {count} arguments; {alone}")));
            }
        };
        if function.is_generic() || kind.is_empty() || kind == "Self" {
            let name = &function.name;
            let words = format!("the type of the position of `{name}` cannot be told; {alone}");
            return Err(format!("{place}: {words}").into());
        }
        let Some((_, returned)) = function.returned() else {
            return Err(refuse("returns nothing, expected a score"));
        };
        // A score that is a struct, as `Value(i32)`, is not the number itself.
        if modules.declares_type(&returned) {
            return Err(refuse(&format!(
                "gives a `{returned}`, expected a number; write a function that gives one next to it, \
                 `pub fn evaluate_position(…) -> i32`, and name that"
            )));
        }
        if function.owner.is_some() && !is_method {
            return Err(refuse(&format!(
                "is a function of a type without `self`; {alone}"
            )));
        }
        let board = args.board;
        let expected = match board {
            Board::Shakmaty => Some(("Chess", "shakmaty::Chess")),
            Board::CozyChess => Some(("Board", "cozy_chess::Board")),
            Board::Shogi => Some(("Position", "tuner_shogi::Position")),
            Board::Own => None,
        };
        if let Some((name, whole)) = expected
            && (kind != name || is_method)
        {
            return Err(refuse(&format!(
                "takes a `{kind}`, and --board says that positions are `{whole}`; --board own is for others, or {alone}"
            )));
        }
        let (position, parse) = match (&args.from_text, board) {
            (Some(path), Board::Own) => {
                let reader = find(modules, "--from-text", path)?;
                let (position, parse) = reader.reads(&kind, modules)?;
                (Some(position), Some(parse))
            }
            (Some(_), _) => {
                let words =
                    "--from-text is for --board own; the other boards are read by the library";
                return Err(Failure::Usage(words.to_owned()));
            }
            (None, _) => (None, None),
        };
        Ok(Self {
            modules: found.modules,
            name: function.name.clone(),
            passing,
            is_method,
            score: returned,
            position,
            parse,
        })
    }
}

impl FoundFunction<'_> {
    /// The type that a function makes of a text, in the library, and the call that does;
    /// `kind` is what the evaluation takes.
    fn reads(&self, kind: &str, modules: &Modules) -> Result<(String, String), Failure> {
        let (function, place) = (self.function, &self.place);
        let wanted = "expected a function of a text alone that makes a position, an `Option` or a `Result` of it";
        let parameters = function.parameters();
        let [(passing, text)] = &*parameters else {
            return Err(format!(
                "{place}: `{}` takes {} arguments; {wanted}",
                function.name,
                parameters.len()
            )
            .into());
        };
        if function.receiver().is_some()
            || !matches!(text.as_str(), "str" | "String")
            || function.is_generic()
        {
            return Err(format!("{place}: {wanted}").into());
        }
        let argument = match (text.as_str(), passing) {
            ("str", _) => "text",
            (_, Passing::Value) => "text.to_owned()",
            _ => "&text.to_owned()",
        };
        let path = |last: &str| {
            let of = function.owner.iter().map(String::as_str);
            let modules = self.modules.iter().map(String::as_str).chain(of);
            modules.chain([last]).collect::<Vec<_>>().join("::")
        };
        let call = format!("{}({argument})", path(&function.name));
        let returned = function.returned();
        let parse = match returned.as_ref().map(|(_, kind)| kind.as_str()) {
            Some("Option") => format!("{call}.ok_or_else(fault)?"),
            Some("Result") => format!("{call}.map_err(|_| fault())?"),
            Some(made) if made == kind || made == "Self" => call,
            _ => {
                let found = returned.as_ref().map_or("nothing", |(text, _)| text);
                return Err(format!("{place}: it returns {found}; {wanted}").into());
            }
        };
        let Some(position) = modules.path_of_type(&self.modules, kind) else {
            return Err(format!(
                "{place}: `{kind}` is of another crate; write `pub use …::{kind};` next to `{}`, so \
                 that the evaluator can name it",
                function.name
            )
            .into());
        };
        Ok((position.join("::"), parse))
    }
}

/// Finds a function by its path, and refuses what another crate cannot call.
fn find<'m>(modules: &'m Modules, option: &str, path: &str) -> Result<FoundFunction<'m>, Failure> {
    let names: Vec<&str> = path.trim_start_matches("crate::").split("::").collect();
    let (name, around) = names
        .split_last()
        .map_or(("", &[][..]), |(name, around)| (*name, around));
    let of = around
        .last()
        .filter(|name| name.starts_with(char::is_uppercase));
    let around = &around[..around.len() - usize::from(of.is_some())];
    let (alike, example): (&[&str], _) = match option {
        "--evaluate" => (
            &["eval"],
            "a path from the root of the library, such as eval::evaluate",
        ),
        _ => (
            &["fen", "parse", "from_str"],
            "a path from the root of the library, such as board::Board::from_fen; where it is of another \
             crate, write `pub fn board(text: &str) -> Option<Board>` next to the evaluation, and name that",
        ),
    };
    let mut found = Vec::new();
    let mut others = Vec::new();
    // Functions of modules and of impl blocks.
    let is_callable =
        |one: &&Reader| one.signature.is_some() && one.owner.is_some() == one.block.is_some();
    for function in (modules.model.readers.all.iter()).filter(is_callable) {
        let whole = &modules.model.modules[function.module].path;
        let shown = (whole.iter().chain(&function.owner))
            .chain([&function.name])
            .cloned()
            .collect::<Vec<_>>()
            .join("::");
        let is_it = function.name == name && function.owner.as_deref() == of.copied()
            // The impl block of a method may be in any module.
            && (whole == around || of.is_some());
        if is_it {
            let path = modules.files[function.file].path.display();
            found.push(FoundFunction {
                function,
                modules: whole.clone(),
                place: format!("{path}:{}", function.location.0),
            });
        } else if function.name == name {
            others.insert(0, shown);
        } else if alike.iter().any(|part| function.name.contains(part)) {
            others.push(shown);
        }
    }
    // Of methods of one name, those of the module that was named.
    if found.len() > 1 {
        found.retain(|found| found.modules == around);
    }
    let Some(found) = found.into_iter().next() else {
        others.truncate(8);
        let instead = if others.is_empty() {
            example.to_owned()
        } else {
            format!("a path such as {}", others.join(", "))
        };
        return Err(format!("{option} {path}: found no such function, expected {instead}").into());
    };
    if let Some(words) = modules.hidden(&found.modules) {
        return Err(words.into());
    }
    if !found.function.is_public {
        return Err(format!(
            "{}: `{name}` is private; write `pub fn {name}`",
            found.place
        )
        .into());
    }
    Ok(found)
}
