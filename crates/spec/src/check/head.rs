//! Checks what is above the parameters: version, name, unit, output, index names.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::TextPlace;
use crate::parameter::{IndexNames, Phases};
use crate::raw::{RawList, RawOutput, RawSpec};
use crate::read::{At, Field};
use crate::spec::{FloatType, Integer, Output, struct_name};
use crate::text::{
    doc_lines, is_const_name, is_identifier, is_type_name, is_word, quoted, refuse_line,
};
use tuner_source::is_among;

/// The version of the format of specs that this program reads.
const VERSION: i64 = 1;

/// Names of Rust's prelude (edition 2024). A pair type of such a name would hide the prelude's in
/// the generated file, and where that is imported whole.
const PRELUDE: &str = "AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator \
    Extend Fn FnMut FnOnce From FromIterator Future Hash Into IntoFuture IntoIterator Iterator \
    None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString \
    TryFrom TryInto Unpin Vec";

/// Notes a mistake if the spec is in another version of the format than [`VERSION`] (1), the only
/// one that this program reads.
pub(super) fn version(raw: &RawSpec) {
    if let Some(At { place, value }) = raw.version.get()
        && *value != VERSION
    {
        let found = format!("version {value}");
        let cure = "use a program that knows this version, or correct it";
        place.note(found, format!("{VERSION}, the only one so far"), cure);
    }
}

/// Returns the name of the spec; `None` if it has none, or after noting that its name cannot be an
/// identifier.
pub(super) fn name(raw: &RawSpec) -> Option<String> {
    let At { place, value } = raw.name.get()?;
    if is_identifier(value) {
        return Some(value.clone());
    }
    let found = format!("{} is no name", quoted(value));
    let expected = "an identifier: ASCII letters, digits and `_`, at most 100, no keyword";
    place.refuse(found, expected, "rename the spec")
}

/// Returns the scaling constant K of the spec; `None` if it has none, or after noting that it is
/// not between 1e-6 and 1e6.
pub(super) fn k(raw: &RawSpec) -> Option<f64> {
    let At { place, value } = raw.k.get()?;
    let k = value.value();
    if (1e-6..=1e6).contains(&k) {
        return Some(k);
    }
    let cure = "correct it, or take it out: it is fitted then";
    place.refuse(format!("k = {k}"), "a number from 1e-6 to 1e6", cure)
}

/// Returns the value of a key that is a text for people in one line; `None` if there is no such
/// key. A text that cannot be one is noted as a mistake, and returned.
pub(super) fn text(field: &Field<String>) -> Option<String> {
    let At { place, value } = field.get()?;
    line(place, value);
    Some(value.clone())
}

/// Notes a mistake at `place` if a text for people is not words in one line: if it is empty, or has
/// hidden characters, code fences or tags.
fn line(place: &TextPlace, text: &str) {
    let refused = match refuse_line(text).and_then(|()| doc_lines(text)) {
        _ if text.trim().is_empty() => "no text".to_owned(),
        Ok(_) => return,
        Err(found) => found,
    };
    place.note(refused, "words in one line", "correct the text");
}

/// Returns what the section `[output]` says of generated code. A key that is missing has its
/// default; one that is wrong is noted, and gets a value with which later checks find no further
/// mistakes.
pub(super) fn output(raw: &RawSpec) -> Output {
    let raw = raw.output.get().map(|output| &output.value);
    let pair_from = raw.and_then(pair_from);
    let cure = "take one of these";
    // The last name of the path of the pair type.
    let last = pair_from.as_deref();
    let last = last.and_then(|path| path.rsplit("::").next());
    let pair = match raw.and_then(|raw| raw.pair.get()) {
        None => last.unwrap_or("S").to_owned(),
        Some(name) => pair(name, last),
    };
    Output {
        integer: match raw.and_then(|raw| raw.integer.get()) {
            None => Integer::I32,
            Some(at) => (at.among("no integer type", &Integer::NAMED, cure))
                // After a mistake the widest type is taken, so that no value is called too large
                // for it.
                .unwrap_or(Integer::I64),
        },
        float: (raw.and_then(|raw| raw.float.get()))
            .and_then(|at| at.among("no float type", &FloatType::NAMED, cure))
            .unwrap_or(FloatType::F64),
        // The parameters say it, once they are read.
        float_pairs: false,
        in_struct: raw.and_then(|raw| in_struct(raw, &pair)),
        pair_from,
        pair,
    }
}

/// Returns the name of the pair type as the key `pair` has it, and notes a mistake if it is wrong:
/// no name of a type, a name of Rust's prelude, or another name than `imported`, the last one of
/// the path that the key `pair_from` gives.
fn pair(name: &At<String>, imported: Option<&str>) -> String {
    let At { place, value } = name;
    let (pair, cure) = (quoted(value), "rename the type");
    if !is_type_name(value) {
        let found = format!("{pair} is no name of a type");
        place.note(found, "an upper-case letter, then letters and digits", cure);
    } else if is_among(PRELUDE, value) {
        let found = format!("{pair} is a name of Rust's prelude");
        place.note(found, "a name that hides nothing", cure);
    } else if let Some(last) = imported.filter(|last| last != value) {
        let found = format!("pair {pair} but `pair_from` ends with {}", quoted(last));
        let cure = "take `pair` out or correct one of them";
        place.note(found, "the same name in both", cure);
    }
    value.clone()
}

/// Returns the name of the const of a struct that holds all weights in generated code, by the key
/// `in_struct`; the name of the struct's type is made of it, and must not be `pair`, that of the
/// pair type. `None` if there is no such key, or after noting why one of the two names cannot be
/// used.
fn in_struct(raw: &RawOutput, pair: &str) -> Option<String> {
    let At { place, value } = raw.in_struct.get()?;
    let (kind, cure) = (struct_name(value), "rename the const");
    if !is_const_name(value) || !is_type_name(&kind) {
        let found = format!("{} is no name of a const of a struct", quoted(value));
        return place.refuse(found, "an upper-case identifier, like `WEIGHTS`", cure);
    }
    if is_among(PRELUDE, &kind) || kind == pair {
        let found = format!("the type would be {}", quoted(&kind));
        return place.refuse(found, "a name that hides nothing", cure);
    }
    Some(value.clone())
}

/// Returns the path of a pair type of the author's own, by the key `pair_from`, which becomes a
/// `use` in generated code, such as `crate::score::S`. It is made of identifiers, with `::`,
/// `crate`, `self` or some `super` in front of them, as Rust allows it. `None` if there is no such
/// key, or after noting that the path is another one.
fn pair_from(raw: &RawOutput) -> Option<String> {
    let At { place, value } = raw.pair_from.get()?;
    let bare = value.strip_prefix("::");
    let segments: Vec<&str> = bare.unwrap_or(value).split("::").collect();
    let is_leading = |segment: &&&str| ["crate", "self", "super"].contains(*segment);
    // `head`: `crate`, `self` and `super`; `tail`: the modules and the type.
    let leading = segments.iter().take_while(is_leading).count();
    let (head, tail) = segments.split_at(leading);
    let head_is_right = match head {
        [] => true,
        ["crate"] => bare.is_none(),
        ["self", rest @ ..] | rest => bare.is_none() && rest.iter().all(|word| *word == "super"),
    };
    let tail_is_right = tail.split_last().is_some_and(|(last, modules)| {
        is_type_name(last)
            && !is_among(PRELUDE, last)
            && modules.iter().all(|word| is_identifier(word))
            // A name alone leads nowhere from which it could be imported.
            && segments.len() > 1
    });
    if head_is_right && tail_is_right {
        return Some(value.clone());
    }
    let found = format!("{} is no path of a type", quoted(value));
    let expected = "identifiers joined by `::`, like `crate::score::S`";
    place.refuse(found, expected, "correct the path")
}

/// Returns the lists of names of indices in the section `[names]`, by the names of the lists. A
/// list with a mistake, which is noted, is `None`: so its name is known, and a shape that uses it
/// is not another mistake.
pub(super) fn names(raw: &RawSpec) -> BTreeMap<String, Option<IndexNames>> {
    let lists = raw.names.get().map_or(&[][..], |names| &names.value.0);
    let list = |(key, list): &(At<String>, Field<RawList>)| {
        let names = key.place.mistakes.unless_noted(|| {
            index_name(key);
            let list = list.get()?;
            if list.value.0.is_empty() {
                let cure = "add names or take the list out";
                list.place.note("an empty list", "at least one name", cure);
            }
            let mut seen = BTreeSet::new();
            for name in &list.value.0 {
                index_name(name);
                if !seen.insert(&name.value) {
                    let found = format!("a second index named {}", quoted(&name.value));
                    let expected = "each name once in a list";
                    name.place.note(found, expected, "rename one of them");
                }
            }
            Some(IndexNames {
                list: key.value.as_str().into(),
                names: list.value.0.iter().map(|name| name.value.clone()).collect(),
            })
        });
        (key.value.clone(), names)
    };
    lists.iter().map(list).collect()
}

/// Notes a mistake if a name cannot be that of an index, or of a list of indices: if it is the name
/// of a phase, or no word of letters, digits and `_`, or a number.
fn index_name(name: &At<String>) {
    let At { place, value } = name;
    let (word, cure) = (quoted(value), "rename the index");
    // A name may begin with a digit if it is more than a number, as `7f`, a square of shogi.
    let has_letter = value.contains(|c: char| c.is_ascii_alphabetic());
    if Phases::NAMES.contains(&value.as_str()) {
        let found = format!("index name {word}");
        place.note(found, "a name that is no phase", cure);
    } else if !(is_word(value) || has_letter && is_word(&format!("_{value}"))) {
        let expected = "ASCII letters, digits and `_`, not digits alone, at most 100";
        place.note(format!("{word} is no name"), expected, cure);
    }
}
