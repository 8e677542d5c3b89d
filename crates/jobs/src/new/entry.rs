//! An evaluation that needs more than the position: an expression of `pos`, from which
//! such a function is written next to what it calls.

use super::evaluation::find;
use super::foreign::Foreign;
use super::modules::Modules;
use super::{Board, NewConfig, nothing_written};
use crate::Result;
use tuner_source::Passing;

/// The name of the function that is written for an expression.
pub(super) const NAME: &str = "score_for_tuner";

/// Takes the generic arguments of a type out of the path of a function, and returns them: of
/// `Game::<Standard>::from_fen` the path becomes `Game::from_fen`, and `<Standard>` is returned.
/// The text is empty if the path has no generic arguments.
pub(super) fn take_arguments(path: &mut String) -> String {
    match (path.find("::<"), path.rfind(">::")) {
        (Some(start), Some(end)) if start < end => {
            let arguments = path[start + 2..=end].to_owned();
            path.replace_range(start..=end, "");
            arguments
        }
        _ => String::new(),
    }
}

/// Returns the text of an expression with `prefix`, such as `crate::`, before each path in it that
/// begins with a module of the engine's crate.
pub(super) fn prefixed(text: &str, prefix: &str, modules: &Modules) -> String {
    let mut whole = text.to_owned();
    // From the last path to the first, so that the places of those before stay right.
    for (at, _) in paths_in(text, modules).iter().rev() {
        whole.insert_str(*at, prefix);
    }
    whole
}

/// Writes the function `score_for_tuner`, which returns the value of the expression that
/// `--evaluate` gives, into the text of a file of the engine, in memory. Returns the path of the
/// function, as `--evaluate` would name it.
///
/// It is written into the module of the method that the expression calls on `pos`, or else into the
/// innermost module that the first path in the expression names. `foreign`: the type of positions,
/// if another crate has it; `arguments`: the generic arguments of that type, such as `<Standard>`,
/// or empty.
///
/// # Errors
/// All mistakes, where no module is found, a function in a module is not there, or the type of
/// positions is not known.
pub(super) fn write(
    config: &NewConfig,
    modules: &mut Modules,
    foreign: Option<&Foreign>,
    arguments: &str,
) -> Result<String> {
    // Where the expression changes the position, the function takes a position of its own,
    // `mut pos`, by value.
    let expression = config.evaluate.trim().replace("&mut *pos", "&mut pos");
    let expression = expression.as_str();
    let mut mistakes = Vec::new();
    let position = match foreign {
        Some(foreign) => format!("::{}", foreign.path),
        None => position(config, modules, &mut mistakes).unwrap_or_default(),
    };
    let paths = paths_in(expression, modules);
    let kind = position.rsplit("::").next().unwrap_or_default();
    let (method, is_changed) = method_of_position(expression, modules, kind).unzip();
    let position = position.clone() + &prefixed(arguments, "crate::", modules);
    let path = method.or_else(|| paths.first().map(|(_, path)| path.clone()));
    if path.is_none() {
        mistakes.push(format!(
            "--evaluate {expression}: found no path in it that begins with a module, expected such as \
             eval::Evaluator::new().evaluate(pos)"
        ));
    }
    for (at, path) in &paths {
        let whole = path.join("::");
        // A function of a module must be in the sources; a method need not, as a derive may have
        // made it. Of the mistakes of `find` only a missing function counts.
        let is_free = path.len() > 1 && path[path.len() - 2].starts_with(char::is_lowercase);
        if is_free && expression[at + whole.len()..].starts_with('(') {
            let before = mistakes.len();
            if find(modules, "--evaluate", &whole, &mut mistakes).is_some() {
                mistakes.truncate(before);
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(nothing_written(&mistakes));
    }
    // Without a path there was a mistake, so there is one here.
    let path = path.unwrap_or_default();
    let mut around = (0..path.len()).rev().map(|length| &path[..length]);
    let module = around.find(|path| modules.model.module(path).is_some());
    let module = module.unwrap_or_default().to_vec();
    let whole = prefixed(expression, "crate::", modules);
    let file = modules.file_of(&module);
    let taken = if is_changed == Some(true) || expression.contains("&mut pos") {
        format!("mut pos: {position}")
    } else {
        format!("pos: &{position}")
    };
    let text = format!(
        "\n/// The score of a position, for the evaluator.\n#[cfg(feature = \"tune\")]\n\
         pub fn {NAME}({taken}) -> i32 {{\n    ({whole}) as i32\n}}\n"
    );
    modules.add(file, &text, NAME)?;
    Ok([&module[..], &[NAME.to_owned()]].concat().join("::"))
}

/// Returns the path of the type of positions, as code in the engine's crate writes it, such as
/// `crate::board::Board`. `None`, with a mistake, where the function that `--from-text` names is
/// not found or makes no type that can be named. If a module on the way to the type is private,
/// there is a mistake and the path is returned.
fn position(config: &NewConfig, modules: &Modules, mistakes: &mut Vec<String>) -> Option<String> {
    let path = match (config.board, &config.from_text) {
        (Board::Shakmaty, _) => return Some("shakmaty::Chess".to_owned()),
        (Board::CozyChess, _) => return Some("cozy_chess::Board".to_owned()),
        (Board::Shogi, _) => return Some("tuner_shogi::Position".to_owned()),
        // Without `--from-text` a position is its text.
        (Board::Own, None) => return Some("str".to_owned()),
        (Board::Own, Some(path)) => path,
    };
    let found = find(modules, "--from-text", path, mistakes)?;
    found.reads(&found.makes(), modules, mistakes)?;
    let path = modules.path_of_type(&found.modules, &found.makes())?;
    Some(format!("crate::{}", path.join("::")))
}

/// Finds the method that an expression such as `pos.score()` calls on the position: returns its
/// path through its module, such as `eval::score`, and whether it takes `&mut self`. `kind`: the
/// name of the position's type. `None` where the expression calls no method of the crate on `pos`.
fn method_of_position(
    expression: &str,
    modules: &Modules,
    kind: &str,
) -> Option<(Vec<String>, bool)> {
    let rest = expression.trim_start_matches('(').strip_prefix("pos.")?;
    let (name, _) = rest.split_once('(')?;
    let all = modules.model.readers.all.iter();
    let named = all.filter(|one| one.arguments.is_some() && one.name == name);
    // A method of that name of another type is taken where the position's own has none: the
    // position may be dereferenced to it.
    let method = named.min_by_key(|one| one.owner.as_deref() != Some(kind))?;
    let module = &modules.model.modules[method.module].path;
    let is_changed = method.receiver() == Some(Passing::Mutable);
    Some(([module, &[name.to_owned()][..]].concat(), is_changed))
}

/// Finds the paths in an expression that begin with a module of the engine's crate; returns of each
/// the byte where it begins in the expression, and its names.
fn paths_in(expression: &str, modules: &Modules) -> Vec<(usize, Vec<String>)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = expression[at..].find(is_name).map(|start| at + start) {
        let rest = &expression[start..];
        let end = rest.find(|c| !is_name(c) && c != ':').unwrap_or(rest.len());
        let names: Vec<String> = rest[..end].split("::").map(str::to_owned).collect();
        // Behind `.` or `:` it is a method, or the rest of a path that does not begin with a
        // module.
        let follows = expression[..start].ends_with(['.', ':']);
        let is_module = names.len() > 1 && modules.model.module(&names[..1]).is_some();
        if is_module && !follows {
            found.push((start, names));
        }
        at = start + end;
    }
    found
}
