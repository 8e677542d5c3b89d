//! How the engine's own functions are called.

use super::entry;
use super::foreign::{Foreign, is_text};
use super::modules::Modules;
use super::{Board, NewConfig, nothing_written};
use crate::Result;
use tuner_source::{Passing, Reader};

/// The function that scores a position, and the one that reads one.
#[derive(Debug)]
pub(super) struct Evaluation {
    /// The module that holds the evaluation, in which its twin is.
    pub(super) modules: Vec<String>,
    pub(super) name: String,
    /// What the evaluation takes and gives.
    pub(super) kind: Kind,
    /// The path of the type of positions, with `$LIBRARY` for the engine's library; `None` for a
    /// board of another crate.
    pub(super) position: Option<String>,
    /// Whether positions have `Clone`; types of other crates are taken to have it.
    pub(super) is_cloned: bool,
    /// The expression that makes a position of `text`, with `$LIBRARY` for the engine's library;
    /// `None` where `position` is.
    pub(super) parse: Option<String>,
    /// The path of the trait that the evaluation is a method of, in the library; `None` where it is
    /// of no trait, or one from elsewhere.
    pub(super) of_trait: Option<Vec<String>>,
}

/// A function that was named, its module, and its place in the sources.
#[derive(Debug)]
pub(super) struct FoundFunction<'m> {
    pub(super) function: &'m Reader,
    pub(super) modules: Vec<String>,
    /// File and line, `src/eval.rs:12`.
    pub(super) place: String,
}

impl Evaluation {
    /// Finds the functions that `--evaluate` and `--from-text` name in the engine's sources, and
    /// how they are called. `foreign`: the type of positions, if another crate has it.
    ///
    /// # Errors
    /// All mistakes, a line each.
    pub(super) fn find(
        config: &NewConfig,
        modules: &Modules,
        foreign: Option<&Foreign>,
    ) -> Result<Self> {
        if config.from_text.is_some() && config.board != Board::Own {
            misuse!("--from-text is for --board own; the other boards are read by the library");
        }
        let mut mistakes = Vec::new();
        let found = find(modules, "--evaluate", &config.evaluate, &mut mistakes);
        let kind =
            (found.as_ref()).and_then(|found| found.kind(config.board, modules, &mut mistakes));
        let own = config.from_text.as_ref().filter(|_| foreign.is_none());
        let reader = own.and_then(|path| find(modules, "--from-text", path, &mut mistakes));
        // The path of the type of positions, and the expression that makes one of a text.
        let read = match (&reader, kind.as_ref()) {
            (_, Some(kind)) if config.board == Board::Own && own.is_none() => {
                made(kind, foreign, &mut mistakes)
            }
            (Some(reader), Some(kind)) => reader.reads(&kind.name, modules, &mut mistakes),
            // The evaluation has a mistake, so its type of positions is not known; the reader is
            // checked by itself, so that all mistakes are found.
            (Some(reader), None) => reader.reads(&reader.makes(), modules, &mut mistakes),
            _ => None,
        };
        match (found, kind) {
            (Some(found), Some(kind)) if mistakes.is_empty() => {
                let (position, parse) = read.unzip();
                let is_cloned = !modules.declares_type(&kind.name) || modules.clones(&kind.name);
                let of_trait = found.function.of_trait.as_ref();
                Ok(Self {
                    name: found.function.name.clone(),
                    kind,
                    position,
                    is_cloned,
                    parse,
                    of_trait: of_trait.and_then(|name| modules.path_of_type(&found.modules, name)),
                    modules: found.modules,
                })
            }
            _ => Err(nothing_written(&mistakes)),
        }
    }
}

/// What an evaluation takes and gives.
#[derive(Debug)]
pub(super) struct Kind {
    /// The type of positions, as the function names it.
    name: String,
    /// How the position is handed over.
    pub(super) passing: Passing,
    pub(super) is_method: bool,
    /// The type of scores.
    pub(super) score: String,
}

/// Returns the path of the type of positions, and the expression that makes a position of `text`,
/// where no function of the engine reads positions: a type of another crate (`foreign`), or a text
/// itself. `None`, with a mistake, where the evaluation (`kind`) takes another type than `foreign`,
/// or where nothing says how its type is made of a text.
fn made(
    kind: &Kind,
    foreign: Option<&Foreign>,
    mistakes: &mut Vec<String>,
) -> Option<(String, String)> {
    let name = &kind.name;
    match foreign {
        Some(foreign) if foreign.name() == name => {
            return Some((foreign.path.clone(), foreign.parse.clone()));
        }
        Some(foreign) => mistakes.push(format!(
            "--from-text makes a `{}`, and --evaluate takes a `{name}`",
            foreign.path
        )),
        None if is_text(name) => return Some(("String".to_owned(), "text.to_owned()".to_owned())),
        None => mistakes.push(format!(
            "--board own: name the function that makes a `{name}` of a text with --from-text"
        )),
    }
    None
}

/// The cure where an evaluation needs more than the position.
const ALONE: &str = "give an expression of `pos` instead, which calls it: --evaluate \
                     'eval::Evaluator::new().evaluate(pos)'";

/// The call behind an expression of a `Result`, which turns its error into a fault of the text.
pub(super) const OR_WHY_NOT: &str =
    ".map_err(|error| fault().saying(&tuner_core::game::error_words!(error)))?";

impl FoundFunction<'_> {
    /// Returns the path of the function from the root of the library; that of a method has the name
    /// of its type, `eval::Eval::score`.
    fn path(&self) -> String {
        let owner = self.function.owner.as_slice();
        let name = std::slice::from_ref(&self.function.name);
        [&self.modules, owner, name].concat().join("::")
    }

    /// Returns a call of the function with the position, as text: `eval::evaluate(pos)`.
    fn called(&self) -> String {
        format!("{}(pos)", self.path())
    }

    /// Returns what the function takes and gives, if it can be the evaluation of positions of
    /// `board`: a function of a position alone, or a method of the position without arguments, that
    /// returns a number. `None` where it cannot, with a mistake for each reason.
    fn kind(&self, board: Board, modules: &Modules, mistakes: &mut Vec<String>) -> Option<Kind> {
        let (function, before) = (self.function, mistakes.len());
        let mut refuse =
            |what: &str| mistakes.push(format!("{}: `{}` {what}", self.place, function.name));
        let parameters = function.parameters();
        // `name`: the type of positions.
        let (passing, name, is_method) = match (function.receiver(), &*parameters) {
            (Some(passing), []) => (passing, function.owner.clone().unwrap_or_default(), true),
            (None, [(passing, kind)]) => (*passing, kind.clone(), false),
            (None, parameters) => {
                refuse(&format!("takes {} arguments; {ALONE}", parameters.len()));
                return None;
            }
            (Some(_), _) => {
                let name = &function.name;
                refuse(&format!(
                    "takes more than `self`; {ALONE}, or 'pos.{name}(…)' where `self` is the position"
                ));
                return None;
            }
        };
        if function.is_generic() || name.is_empty() || name == "Self" {
            refuse(&format!(
                "takes a position whose type cannot be told; {ALONE}"
            ));
        }
        let returned = function.returned().map(|(_, kind)| kind);
        match &returned {
            None => refuse("returns nothing, expected a score"),
            // A struct of the engine that holds the score, such as `Value(i32)`, is not a number.
            Some(returned) if modules.declares_type(returned) => refuse(&format!(
                "gives a `{returned}`, expected a number; give an expression of `pos` instead that is one: \
                 --evaluate '{}{}'",
                if is_method {
                    format!("pos.{}()", function.name)
                } else {
                    self.called()
                },
                modules.number_in(returned)
            )),
            Some(_) => {}
        }
        if function.owner.is_some() && !is_method {
            let call = self.called();
            refuse(&format!(
                "is a function of a type without `self`; give a call of it: --evaluate '{call}'"
            ));
        }
        // The name of the type of positions that the board says, and its path.
        let expected = match board {
            Board::Shakmaty => Some(("Chess", "shakmaty::Chess")),
            Board::CozyChess => Some(("Board", "cozy_chess::Board")),
            Board::Shogi => Some(("Position", "tuner_shogi::Position")),
            Board::Own => None,
        };
        if let Some((expected, whole)) = expected
            && (name != expected || is_method)
        {
            refuse(&format!(
                "takes a `{name}`, and --board says that positions are `{whole}`; --board own is for others, or {ALONE}"
            ));
        }
        (mistakes.len() == before).then(|| Kind {
            name,
            passing,
            is_method,
            score: returned.unwrap_or_default(),
        })
    }

    /// Returns the name, without a path, of the type that the function makes of a text: the type
    /// that it returns, without `Option` or `Result` around it, or the type that it is a method of,
    /// where it reads into `&mut self` or returns `Self`. Empty where the function returns another
    /// thing than a type with a capital, such as a number.
    pub(super) fn makes(&self) -> String {
        let (text, kind) = self.function.returned().unwrap_or_default();
        let inner = match (kind.as_str(), text.split_once('<')) {
            // The text has spaces between tokens: `Result < Board , String >`.
            ("Option" | "Result", Some((_, inner))) => inner,
            _ => &kind,
        };
        let inner = inner.split([',', '>', '<']).next().unwrap_or(inner);
        let inner = inner.rsplit("::").next().unwrap_or(inner).trim();
        let into_self = self.function.receiver() == Some(Passing::Mutable);
        match &self.function.owner {
            Some(owner) if into_self || inner == "Self" => owner.clone(),
            _ if inner.starts_with(char::is_uppercase) => inner.to_owned(),
            _ => String::new(),
        }
    }

    /// Returns the type that the function returns, as its author writes it, and whether that is a
    /// tuple, or an `Option` or a `Result` of one: `Result<(Board, Player), String>` is, but
    /// `Result<(), String>` is not.
    fn returned(&self) -> (String, bool) {
        let tokens = self.function.returned().map(|(text, _)| text);
        let tokens = tokens.unwrap_or_else(|| "nothing".to_owned());
        // The tokens have spaces between them; those that people do not write are taken out.
        let signs = [" <", "< ", " >", " ,", " ::", ":: ", "& "].into_iter();
        let text = signs.fold(tokens, |text, sign| text.replace(sign, sign.trim()));
        let mut first = text.split('<').take(2);
        let is_tuple = first.any(|of| of.starts_with('(') && !of.starts_with("()"));
        (text, is_tuple)
    }

    /// Returns the path by which a crate other than the engine's calls the function, with
    /// `$LIBRARY` for the engine's library. That of a method begins with its type:
    /// `$LIBRARY::board::Board::from_fen`, or `<TYPE as TRAIT>::NAME` of a method of a trait.
    fn path_elsewhere(&self, modules: &Modules) -> String {
        let function = self.function;
        let path_of = |name: &String| modules.path_of_type(&self.modules, name);
        let owner = function.owner.as_ref().and_then(path_of);
        // A method of a trait is called by the path of the trait, as that need not be in scope
        // where the call is written: of a trait of the engine, and of `FromStr`. Other traits of
        // the standard library, such as `From`, are in scope everywhere.
        let is_std = function.of_trait.as_deref() == Some("FromStr");
        let of_trait = function.of_trait.as_ref().and_then(path_of);
        let of_trait = (of_trait.map(|path| in_library(&path)))
            .or_else(|| is_std.then(|| "std::str::FromStr".to_owned()));
        let name = &function.name;
        match (&owner, &of_trait) {
            (Some(owner), Some(of_trait)) => {
                format!("<{} as {of_trait}>::{name}", in_library(owner))
            }
            (Some(owner), None) => format!("{}::{name}", in_library(owner)),
            (None, _) => in_library(&[&self.modules[..], std::slice::from_ref(name)].concat()),
        }
    }

    /// Returns the path of the type of positions that the function makes of a text, and an
    /// expression that calls it to make a position of `text`, both with `$LIBRARY` for the engine's
    /// library. `None`, with a mistake, where the function does not take a text alone, makes no
    /// position, or returns another type than `kind`, or where that type is of another crate. What
    /// is in an `Option` or a `Result`, or read into `&mut self`, is not compared with `kind`.
    ///
    /// `kind`: the name of the type of positions without a path; empty for a function that returns
    /// no type with a capital, which is a mistake. If a module on the way to the type is private,
    /// there is a mistake, and the answer is returned.
    ///
    /// The function may return a position, or an `Option` or a `Result` of it, or read a text into
    /// a position, `&mut self`. In the last case the expression makes a position first, by `new` if
    /// that is a public function without arguments, or else by `default`.
    pub(super) fn reads(
        &self,
        kind: &str,
        modules: &Modules,
        mistakes: &mut Vec<String>,
    ) -> Option<(String, String)> {
        let (function, place) = (self.function, &self.place);
        let wanted = "expected a function of a text alone that makes a position, an `Option` or a `Result` of it, \
                      or a method that reads one into a position, `&mut self`";
        let parameters = function.parameters();
        let [(passing, text)] = &*parameters else {
            mistakes.push(format!(
                "{place}: `{}` takes {} arguments; {wanted}",
                function.name,
                parameters.len()
            ));
            return None;
        };
        let into_self = function.receiver() == Some(Passing::Mutable);
        let is_any = function.takes_any_text();
        let takes_text = is_any || is_text(text) && !function.is_generic();
        if function.receiver().is_some() != into_self || !takes_text {
            mistakes.push(format!("{place}: {wanted}"));
            return None;
        }
        // How `text`, a `&str`, is handed over.
        let argument = match (text.as_str(), passing) {
            ("str", _) => "text",
            _ if is_any => "text",
            (_, Passing::Value) => "text.to_owned()",
            _ => "&text.to_owned()",
        };
        let path_of = |name: &String| modules.path_of_type(&self.modules, name);
        let call = self.path_elsewhere(modules);
        let returned = function.returned();
        // The outer type of what it returns: `Option`, `Result`, or the position's own.
        let given = returned.as_ref().map(|(_, kind)| kind.as_str());
        let (found, is_tuple) = self.returned();
        let wanted = if is_tuple {
            "write a struct that holds these, and a function of a text that returns it"
        } else {
            wanted
        };
        // The mistake where it makes no position.
        let none = || format!("{place}: it returns {found}; {wanted}");
        if kind.is_empty() || is_tuple && !into_self {
            mistakes.push(none());
            return None;
        }
        let parse = if let (true, Some(owner)) = (into_self, &function.owner) {
            let all = modules.model.readers.all.iter();
            let mut all =
                all.filter(|one| one.owner.as_ref() == Some(owner) && one.parameters().is_empty());
            let is_new = all.any(|one| one.name == "new" && one.is_public);
            let make = if is_new { "new" } else { "default" };
            // If the type is not found it has an empty path here, and is refused below as `kind`.
            let position = in_library(&path_of(owner).unwrap_or_default());
            let ask = match given {
                Some("Result") => OR_WHY_NOT,
                Some("Option") => ".ok_or_else(fault)?",
                _ => "",
            };
            format!(
                "{{ let mut board = {position}::{make}(); {call}(&mut board, {argument}){ask}; board }}"
            )
        } else {
            let call = format!("{call}({argument})");
            match given {
                Some("Option") => format!("{call}.ok_or_else(fault)?"),
                Some("Result") => format!("{call}{OR_WHY_NOT}"),
                Some(made) if made == kind || made == "Self" => call,
                _ => {
                    mistakes.push(none());
                    return None;
                }
            }
        };
        let Some(position) = path_of(&kind.to_owned()) else {
            mistakes.push(format!(
                "{place}: `{kind}` is of another crate; name the function of that crate that makes one, \
                 as in --from-text chess::Board::from_str, or write `pub use …::{kind};` next to `{}`, so \
                 that the evaluator can name it",
                function.name
            ));
            return None;
        };
        modules.hidden(&position[..position.len().saturating_sub(1)], mistakes);
        Some((in_library(&position), parse))
    }
}

/// Returns a path from the root of the engine's library as code outside of it writes it, with
/// `$LIBRARY` for the name of the library.
fn in_library(path: &[String]) -> String {
    format!("$LIBRARY::{}", path.join("::"))
}

/// Finds the function that an option names by its path from the root of the library, such as
/// `eval::evaluate` or `board::Board::from_fen`. `option`: `--evaluate` or `--from-text`. `None`
/// where there is no such function, with a mistake that names functions which may be meant. If the
/// function is private, or in a private module, there is a mistake, and the function is returned.
pub(super) fn find<'m>(
    modules: &'m Modules,
    option: &str,
    path: &str,
    mistakes: &mut Vec<String>,
) -> Option<FoundFunction<'m>> {
    let mut around: Vec<&str> = path.trim_start_matches("crate::").split("::").collect();
    let name = around.pop().unwrap_or_default();
    // The last name of the path is a type, by its capital, where the function is a method.
    let of = around.pop_if(|name| name.starts_with(char::is_uppercase));
    // `alike`: parts of names that suggest a function for this option; `example`: what is expected.
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
    // Whether a function in the type or module that was named may be meant, for the message.
    let may_be = |one: &Reader| {
        if option == "--evaluate" {
            return one.name.contains("score") && one.name != entry::NAME;
        }
        let takes_text = matches!(&*one.parameters(), [(_, kind)] if is_text(kind));
        takes_text && one.receiver() != Some(Passing::Shared)
    };
    // `others`: for the message, functions that may be meant, each with a rank: 0 of the same name,
    // 1 in the same type or module, 2 of a similar name.
    let mut found = Vec::new();
    let mut others = Vec::new();
    // Functions of modules and of impl blocks, not those that a trait declares.
    let is_callable =
        |one: &&Reader| one.signature.is_some() && one.owner.is_some() == one.block.is_some();
    for function in (modules.model.readers.all.iter()).filter(is_callable) {
        let whole = &modules.model.modules[function.module].path;
        let parts = whole.iter().chain(&function.owner).chain([&function.name]);
        let shown = tuner_base::joined(parts, "::");
        let is_of = |owner: &Option<String>| owner.as_deref() == of;
        // The type in a path such as `eval::Eval::score` may be a trait that the method is of.
        let is_it = function.name == name
            && (is_of(&function.owner) || of.is_some() && is_of(&function.of_trait))
            // The impl block of a method may be in any module.
            && (*whole == around || of.is_some());
        if is_it {
            let path = modules.files[function.file].path.display();
            found.push(FoundFunction {
                function,
                modules: whole.clone(),
                place: format!("{path}:{}", function.location.0),
            });
        } else if function.name == name {
            others.push((0, shown));
        } else {
            let is_near = match of {
                Some(_) => is_of(&function.owner),
                None => *whole == around,
            };
            let is_alike = alike.iter().any(|part| function.name.contains(part));
            if is_alike || is_near && may_be(function) {
                others.push((if is_near { 1 } else { 2 }, shown));
            }
        }
    }
    // Of several methods of this name those in the module that the path names are taken.
    if found.len() > 1 {
        found.retain(|found| found.modules == around);
    }
    // A path through a trait that several types implement does not tell the type: it is a mistake,
    // which names all of them.
    if found.len() > 1 && (found.iter()).all(|one| one.function.owner.as_deref() != of) {
        others = found.drain(..).map(|one| (0, one.path())).collect();
    }
    let Some(found) = found.into_iter().next() else {
        others.sort_by_key(|(rank, _)| *rank);
        let others = others.iter().map(|(_, path)| path).take(8);
        let instead = if others.len() == 0 {
            example.to_owned()
        } else {
            format!("a path such as {}", tuner_base::joined(others, ", "))
        };
        mistakes.push(format!(
            "{option} {path}: found no such function, expected {instead}"
        ));
        return None;
    };
    // A method can be called where its impl block is in a private module; but the twin of the
    // evaluation is named by its module, which has to be public.
    if found.function.owner.is_none() || option == "--evaluate" {
        modules.hidden(&found.modules, mistakes);
    }
    if !found.function.is_public {
        mistakes.push(format!(
            "{}: `{name}` is private; write `pub fn {name}`",
            found.place
        ));
    }
    Some(found)
}
