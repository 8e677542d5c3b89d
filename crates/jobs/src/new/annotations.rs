//! The last lines of a file, `traced!(…)`: what is in them, and written into them.

use super::manifest::OTHER_FEATURE;

/// An annotation of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Annotation {
    /// `traced!()`: the items of the file have twins, traced versions of themselves.
    Traced,
    /// `nonlinear`: the functions of the file may be nonlinear in weights.
    Nonlinear,
    /// `frozen(NAME)`: this const is not a weight.
    Frozen(String),
    /// `untraced(NAME)`: this item gets no twin.
    Untraced(String),
}

/// The beginning of the macro call that holds the annotations of a file.
const CALL: &str = "traced!(";

/// Longest line that is written, in columns.
const WIDTH: usize = 100;

impl Annotation {
    /// Returns the annotation as a call of the macro, such as `traced!(frozen(NAME))`, for
    /// messages.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Traced => "traced!()".to_owned(),
            Self::Nonlinear => "traced!(nonlinear)".to_owned(),
            Self::Frozen(name) => format!("traced!(frozen({name}))"),
            Self::Untraced(name) => format!("traced!(untraced({name}))"),
        }
    }

    /// Writes the annotation into `text`, the text of a file: into its last call of `traced!`,
    /// which is added if there is none. Tells whether the annotation is new there. A call without
    /// its last parenthesis stays as it is.
    pub(super) fn write(&self, text: &mut String) -> bool {
        let had_call = is_traced(text);
        if !had_call {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(super::TRACED);
        }
        let Some((start, end)) = arguments(text) else {
            return false;
        };
        let mut lists = Lists::read(&text[start..end]);
        let is_new = match self {
            Self::Traced => return !had_call,
            Self::Nonlinear => !std::mem::replace(&mut lists.is_nonlinear, true),
            Self::Frozen(name) => lists.add("frozen", name),
            Self::Untraced(name) => lists.add("untraced", name),
        };
        if is_new {
            text.replace_range(start..end, &lists.text());
        }
        is_new
    }
}

/// Tells whether the text of a file has a call of the macro, `traced!(`.
pub(super) fn is_traced(text: &str) -> bool {
    text.contains(CALL)
}

/// Removes the call of `traced!` that `new` wrote, with the `cfg` before it, from the text of a
/// file; tells whether there was one.
pub(super) fn remove(text: &mut String) -> bool {
    let end = ");\n";
    let call = super::TRACED.trim_end_matches(end);
    // The same call where the engine's feature has another name than `tune`.
    let other = call.replace("tune\"", &format!("{OTHER_FEATURE}\""));
    let at = text.rfind(call).or_else(|| text.rfind(&other));
    if let Some(at) = at {
        // Only the call goes: behind it, the root file of the crate has `registry!()`.
        let after = text[at..].find(end).map(|length| at + length + end.len());
        text.replace_range(at..after.unwrap_or(text.len()), "");
    }
    at.is_some()
}

/// Returns the arguments of the last call of `traced!` in the text of a file, as they are written;
/// `None` if there is no call, or its parenthesis is not closed.
pub(super) fn written(text: &str) -> Option<&str> {
    arguments(text).map(|(start, end)| &text[start..end])
}

/// Finds where the arguments of the last call of `traced!` begin and end in a text, in bytes;
/// `None` if there is no call, or its parenthesis is not closed.
fn arguments(text: &str) -> Option<(usize, usize)> {
    let start = text.rfind(CALL)? + CALL.len();
    // How many parentheses are open inside those of the call.
    let mut depth = 0_usize;
    for (at, c) in text[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((start, start + at)),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The arguments of a call: whether `nonlinear` is one, and lists such as `frozen(A, B)`, name and
/// entries of each.
#[derive(Default)]
struct Lists {
    is_nonlinear: bool,
    lists: Vec<(String, Vec<String>)>,
}

impl Lists {
    /// Reads the arguments of a call of `traced!`, such as `nonlinear, frozen(A, B)`: the word
    /// `nonlinear`, and lists, each a name with its entries in parentheses. Words without a list
    /// other than `nonlinear` are passed over.
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        let mut rest = text;
        // `head`: words without a list, and the name of the next list, behind the last comma.
        while let Some((head, after)) = rest.split_once('(') {
            let name = head.rsplit(',').next().unwrap_or_default().trim();
            found.is_nonlinear |= is_nonlinear(head);
            // A list whose parenthesis is not closed has all of the rest.
            let (names, after) = after.split_once(')').unwrap_or((after, ""));
            let names = names.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
            found.lists.push((name.to_owned(), names.collect()));
            rest = after;
        }
        found.is_nonlinear |= is_nonlinear(rest);
        found
    }

    /// Adds a name to the list called `list`, such as `frozen`, which is made if there is none;
    /// tells whether the name was not in it.
    fn add(&mut self, list: &str, name: &str) -> bool {
        let position = self.lists.iter().position(|(own, _)| own == list);
        let position = position.unwrap_or_else(|| {
            self.lists.push((list.to_owned(), Vec::new()));
            self.lists.len() - 1
        });
        let names = &mut self.lists[position].1;
        let is_new = !names.iter().any(|own| own == name);
        if is_new {
            names.push(name.to_owned());
        }
        is_new
    }

    /// Returns the arguments as they are written into the call: all in one line, or each in a line
    /// of its own where the call would be longer than [`WIDTH`] (100) columns.
    fn text(&self) -> String {
        let lists = self.lists.iter();
        let lists = lists.map(|(name, names)| format!("{name}({})", names.join(", ")));
        let nonlinear = self.is_nonlinear.then(|| "nonlinear".to_owned());
        let all: Vec<String> = nonlinear.into_iter().chain(lists).collect();
        let line = all.join(", ");
        if line.len() + "tuner_core::traced!();".len() <= WIDTH {
            return line;
        }
        format!("\n    {}\n", all.join(",\n    "))
    }
}

/// Tells whether one of the words between commas in `head`, a part of the arguments of `traced!`,
/// is `nonlinear`.
fn is_nonlinear(head: &str) -> bool {
    head.split(',').any(|word| word.trim() == "nonlinear")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_join_those_that_are_there() {
        let mut text = "fn f() {}".to_owned();
        let frozen = |name: &str| Annotation::Frozen(name.to_owned());
        assert!(frozen("A").write(&mut text));
        assert!(!frozen("A").write(&mut text) && !Annotation::Traced.write(&mut text));
        assert!(Annotation::Untraced("g".to_owned()).write(&mut text));
        assert!(frozen("B").write(&mut text) && Annotation::Nonlinear.write(&mut text));
        let call = "tuner_core::traced!(nonlinear, frozen(A, B), untraced(g));\n";
        assert!(text.ends_with(call), "{text}");

        let mut own = "traced!(\n    replaced(f => g),\n    nonlinear,\n);".to_owned();
        assert!(!Annotation::Nonlinear.write(&mut own) && frozen("A").write(&mut own));
        assert_eq!(own, "traced!(nonlinear, replaced(f => g), frozen(A));");
        for name in ["LONG", "LONGER", "LONGEST"] {
            assert!(frozen(&name.repeat(8)).write(&mut own));
        }
        assert!(own.starts_with("traced!(\n    nonlinear,\n    replaced(f => g),\n    frozen(A, "));
        assert!(Annotation::Nonlinear.write(&mut String::new()));
    }
}
