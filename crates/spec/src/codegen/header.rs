//! Headers of C and C++.
//!
//! Doc texts are in block comments. In them nothing but `*/` is code; that, what
//! compilers warn of (`/*`) and what C99 replaces before it looks (`??/`, a
//! backslash at the end of a line) get a space between.

use std::fmt::Write as _;

use super::language::{Language, guard};
use super::{Emission, consts, is_tapered};
use crate::{FloatType, Parameter};

/// Longest line of conditions on macros, in characters.
const LINE: usize = 90;

impl Emission<'_> {
    /// Returns the text of the header with weights for C or C++: a comment on where they are from,
    /// an include guard, the pair type if a parameter is tapered, and a constant for each
    /// parameter.
    pub(super) fn header(&self) -> String {
        let (language, spec) = (self.language, self.spec);
        let mut lines = vec![self.title.clone(), String::new()];
        lines.extend(self.facts.iter().map(|fact| format!("- {fact}")));
        let mut text = comment(&lines);
        let guard = guard(language, spec);
        let (integers, integer, storage) = match language {
            Language::Cpp => ("<cstdint>", "std::int", "inline constexpr"),
            _ => ("<stdint.h>", "int", "static const"),
        };
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "#ifndef {guard}\n#define {guard}\n\n#include {integers}\n\n"
        );
        no_macros(spec.layout().parameters(), &mut text);
        if language == Language::Cpp {
            text.push_str("\nnamespace tuned {\n");
        }
        let output = spec.output();
        // Of `i32` the number 32: the type is `int32_t`.
        let bits = &output.integer.name()[1..];
        let integer = format!("{integer}{bits}_t");
        let float = match output.float {
            FloatType::F32 => "float",
            FloatType::F64 => "double",
        };
        if is_tapered(spec) {
            let half = if output.float_pairs { float } else { &integer };
            text.push_str(&definition(language, &output.pair, half));
        }
        for parameter in spec.layout().parameters() {
            text.push('\n');
            text.push_str(&comment(&consts::doc(parameter)));
            let entry = self.entry(parameter, &integer, float);
            let dims = parameter.dims.iter().map(|dim| format!("[{}]", dim.len()));
            let (name, dims) = (parameter.symbol(), dims.collect::<String>());
            let head = format!("{storage} {entry} {name}{dims} = ");
            self.value(parameter, &head, &mut text);
        }
        if language == Language::Cpp {
            text.push_str("\n} // namespace tuned\n");
        }
        let _ = write!(text, "\n#endif // {guard}\n");
        text
    }
}

/// Returns the definition of the type of tapered values, called `pair`, with two numbers of the
/// type `half`. The compiler passes over it if the program defines a macro called `pair`.
fn definition(language: Language, pair: &str, half: &str) -> String {
    let about = comment(&[
        "A tapered value: middle game, endgame.".to_owned(),
        String::new(),
        format!("For a type of your own, define it and a macro {pair}(mg, eg) before this header."),
    ]);
    let fields = format!("    {half} mg;\n    {half} eg;\n");
    let body = match language {
        Language::Cpp => format!(
            "struct {pair} {{\n{fields}\n    constexpr {pair}({half} middle, {half} end) : \
             mg(middle), eg(end) {{}}\n}};\n"
        ),
        _ => format!(
            "typedef struct {pair} {{\n{fields}}} {pair};\n#define {pair}(mg, eg) {{mg, eg}}\n"
        ),
    };
    format!("\n{about}#ifndef {pair}\n{body}#endif\n")
}

/// Appends to `text` conditions of the preprocessor that end the compilation if a macro has the
/// name of a parameter's constant, as it would replace that; several names in a line of [`LINE`]
/// (90) characters.
fn no_macros(parameters: &[Parameter], text: &mut String) {
    let mut lines: Vec<String> = Vec::new();
    for parameter in parameters {
        let word = format!("defined({})", parameter.symbol());
        match lines.last_mut() {
            Some(line) if line.len() + word.len() <= LINE => {
                line.push_str(" || ");
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    for line in lines {
        let _ = write!(
            text,
            "#if {line}\n#error \"a macro has the name of a weight\"\n#endif\n"
        );
    }
}

/// Returns a block comment of C with these lines: `/* LINE */` if there is one, or else each line
/// behind ` * `.
fn comment(lines: &[String]) -> String {
    match lines {
        [line] => format!("/* {} */\n", harmless(line)),
        lines => {
            let mut text = String::from("/*\n");
            for line in lines {
                text.push_str(format!(" * {}", harmless(line)).trim_end());
                text.push('\n');
            }
            text + " */\n"
        }
    }
}

/// Returns a line of text as it can be in a block comment of C: nothing in it ends the comment,
/// makes compilers warn, or joins it with the next line. So `*/`, `/*` and `??` (the beginning of
/// trigraphs) get a space between, and a backslash at the end gets a point behind it.
fn harmless(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut before = ' ';
    for c in line.chars() {
        if matches!((before, c), ('*', '/') | ('/', '*') | ('?', '?')) {
            text.push(' ');
        }
        text.push(c);
        before = c;
    }
    if before == '\\' {
        text.push_str(" .");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_comment() {
        for (text, expected) in [
            ("a */ b", "a * / b"),
            ("**//**/", "** // ** /"),
            ("/* a", "/ * a"),
            ("???/", "? ? ?/"),
            ("a\\", "a\\ ."),
            ("a < b \\n", "a < b \\n"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
