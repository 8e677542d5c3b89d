//! The languages that weights are written in, and names that they do not take.

use super::{EmitError, is_tapered};
use crate::text::is_identifier;
use crate::{Parameter, Spec};
use tuner_source::is_among;

/// A language that weights are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// A module of `pub const`.
    #[default]
    Rust,
    /// A header of `static const`, C99.
    C,
    /// A header of `inline constexpr` in the namespace `tuned`, C++17.
    Cpp,
    /// An object of names, values and provenance.
    Json,
}

impl Language {
    /// All languages, in the order of the variants.
    pub const ALL: [Self; 4] = [Self::Rust, Self::C, Self::Cpp, Self::Json];

    /// Returns the ending of files in this language, without a point: `rs`, `h`, `hpp` or `json`.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::C => "h",
            Self::Cpp => "hpp",
            Self::Json => "json",
        }
    }

    /// Returns the language that an evaluator names by `rust`, `c` or `cpp`; for any other word
    /// JSON, which programs in all languages can read.
    pub fn of_word(word: &str) -> Self {
        match word {
            "rust" => Self::Rust,
            "c" => Self::C,
            "cpp" => Self::Cpp,
            _ => Self::Json,
        }
    }

    /// Returns the name of the language, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Json => "JSON",
        }
    }
}

/// Macros of the standard headers of C that programs of all kinds include
/// (C17, 7.17 to 7.22, and `<math.h>`). No keyword is in capitals. What else is a
/// macro where the header is included, the header itself finds out.
const MACROS: &str = "BUFSIZ CHAR_BIT EOF FALSE FILE FILENAME_MAX HUGE_VAL I INFINITY NAN \
    NDEBUG NULL RAND_MAX SIZE_MAX TRUE";

/// Fails if a spec cannot be written as code of `language`: in C and C++, if names in it mean
/// something else there, or if it asks for a struct of all weights (`in_struct`); in Rust, if such
/// a struct cannot be made. All wrong names are in the error. JSON takes everything.
pub(super) fn check(language: Language, spec: &Spec) -> Result<(), EmitError> {
    match (language, &spec.output().in_struct) {
        (Language::Json, _) | (Language::Rust, None) => return Ok(()),
        (Language::Rust, Some(name)) => return check_struct(name, spec),
        (_, Some(_)) => {
            let words = format!(
                "`in_struct` of `[output]` makes a struct in Rust, none in {}; take it out, or \
                 choose Rust or JSON",
                language.name()
            );
            return Err(EmitError::Refused(vec![words]));
        }
        _ => (),
    }
    // What remains is C and C++: all names that the header declares are looked at.
    let pair = is_tapered(spec).then(|| &*spec.output().pair);
    let guard = guard(language, spec);
    let parameters = spec.layout().parameters().iter();
    let names = parameters.map(Parameter::symbol).chain(pair);
    // A line on what a name means in C or C++, if it cannot be used.
    let refuse = |name: &str| {
        let what = if is_macro(name) {
            "is a macro of the standard headers"
        } else if name == guard {
            "is the macro that guards the header"
        } else if language == Language::Cpp && name.contains("__") {
            "has two underscores in a row, which C++ reserves"
        } else {
            return None;
        };
        let language = language.name();
        Some(format!(
            "found the name {name}, which {what} in {language}; give it another name in the spec"
        ))
    };
    EmitError::unless_empty(names.filter_map(refuse).collect())
}

/// Returns the name of a parameter's field in the struct of the const called `of_const`: of the
/// parameter `WEIGHTS_TEMPO` in `WEIGHTS` it is `tempo`. Empty if the parameter's name does not
/// begin with that of the const and `_`.
pub(super) fn field_name(of_const: &str, parameter: &Parameter) -> String {
    let rest = parameter.name().strip_prefix(of_const);
    let rest = rest.and_then(|rest| rest.strip_prefix('_'));
    rest.unwrap_or_default().to_ascii_lowercase()
}

/// Fails if the parameters of a spec cannot be fields of a struct of the const called `name`, from
/// which a later import would read them again: because of their names, all of which are in the
/// error, or because there are too few.
fn check_struct(name: &str, spec: &Spec) -> Result<(), EmitError> {
    let parameters = spec.layout().parameters();
    let is_field = |parameter: &&Parameter| is_identifier(&field_name(name, parameter));
    let mut refused: Vec<String> = (parameters.iter().filter(|p| !is_field(p)))
        .map(|parameter| {
            format!(
                "found the name {}, which is no field of {name}; expected {name}_ and what is no \
                 keyword, such as {name}_TEMPO; rename it in the spec, or take `in_struct` out",
                parameter.name()
            )
        })
        .collect();
    // An import takes a struct of one field for a wrapper of that, and one of two numbers for a
    // pair.
    if parameters.len() < 2 || parameters.len() == 2 && parameters.iter().all(|p| p.dims.is_empty())
    {
        refused.push(format!(
            "found {} parameters for the struct {name}, which is read as one pair of numbers; \
             take `in_struct` out",
            parameters.len()
        ));
    }
    EmitError::unless_empty(refused)
}

/// Tells whether a name is a macro of the standard headers of C: one of [`MACROS`], or one that is
/// built as those of `<stdint.h>` and `<limits.h>`, such as `INT32_MAX`.
fn is_macro(name: &str) -> bool {
    let of_integers = "INT UINT PTRDIFF SIG_ATOMIC WCHAR WINT CHAR LONG";
    let ends = ["_MAX", "_MIN", "_C", "_WIDTH"];
    is_among(MACROS, name)
        || of_integers.split(' ').any(|start| name.starts_with(start))
            && ends.iter().any(|end| name.ends_with(end))
}

/// Returns the name of the include guard, the macro that keeps a header from being read twice:
/// `TUNED_NAME_HPP` for a spec called `name`.
pub(super) fn guard(language: Language, spec: &Spec) -> String {
    let extension = language.extension().to_ascii_uppercase();
    format!("TUNED_{}_{extension}", spec.name().to_ascii_uppercase())
}
