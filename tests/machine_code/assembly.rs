//! Assembly as text, made comparable.
//!
//! Two builds of the same functions differ in the hashes inside symbols, in
//! the numbers of labels and in the order in which things come out. So all
//! that a function reaches is written in the order in which it is reached, and
//! each symbol of the file becomes the number of its first mention; one of
//! another crate counts by its name. What is left must be equal, constants and jump tables included.

use std::collections::{HashMap, VecDeque};

/// All that one function reaches within its crate.
#[derive(Debug, PartialEq, Eq)]
pub struct Reached {
    /// Functions, and constants that they use, in the order of their mention.
    pub parts: Vec<Part>,
}

/// A function or a constant.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its symbol without hash; empty for a constant without a name.
    pub name: String,
    pub is_function: bool,
    pub lines: Vec<String>,
}

impl Reached {
    /// Follows every mention from the function whose symbol without hash ends
    /// in `root`.
    pub fn from(assembly: &str, root: &str) -> Result<Self, String> {
        let blocks = blocks(assembly);
        let mut roots = blocks
            .iter()
            .filter(|(name, _)| without_hash(name).ends_with(root));
        let (Some((first, _)), None) = (roots.next(), roots.next()) else {
            return Err(format!("expected one function `{root}` in the assembly"));
        };
        let mut reached = Walk {
            blocks: &blocks,
            numbers: HashMap::new(),
            waiting: VecDeque::new(),
        };
        reached.number(first);
        let mut parts = Vec::new();
        while let Some(name) = reached.waiting.pop_front() {
            let lines: Vec<String> = blocks[name]
                .iter()
                .map(|line| reached.canonical(line))
                .collect();
            let anonymous = name.starts_with(".L") || name.starts_with("l_anon");
            parts.push(Part {
                name: if anonymous {
                    String::new()
                } else {
                    without_hash(name)
                },
                is_function: blocks[name]
                    .iter()
                    .any(|line| line.starts_with(".cfi_startproc")),
                lines: lines.into_iter().filter(|line| !line.is_empty()).collect(),
            });
        }
        Ok(Self { parts })
    }

    pub fn functions(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.is_function)
    }

    /// Lines of functions that are no label and no directive.
    pub fn instructions(&self) -> usize {
        let is_instruction = |line: &&String| !line.starts_with('.') && !line.ends_with(':');
        self.functions()
            .map(|part| part.lines.iter().filter(is_instruction).count())
            .sum()
    }

    /// Says where two builds part, if they do.
    pub fn difference(&self, other: &Self) -> Option<String> {
        for (one, two) in self.parts.iter().zip(&other.parts) {
            if one.name != two.name {
                return Some(format!("`{}` in place of `{}`", two.name, one.name));
            }
            for (line, (a, b)) in one.lines.iter().zip(&two.lines).enumerate() {
                if a != b {
                    return Some(format!("`{}`, line {line}: `{a}` against `{b}`", one.name));
                }
            }
            if one.lines.len() != two.lines.len() {
                let (a, b) = (one.lines.len(), two.lines.len());
                return Some(format!("`{}`: {a} lines against {b}", one.name));
            }
        }
        let (a, b) = (self.parts.len(), other.parts.len());
        (a != b).then(|| format!("{a} functions and constants against {b}"))
    }
}

/// A walk over what is mentioned.
struct Walk<'a> {
    blocks: &'a HashMap<&'a str, Vec<&'a str>>,
    numbers: HashMap<String, usize>,
    waiting: VecDeque<&'a str>,
}

impl Walk<'_> {
    /// The number of a symbol; a new one is going to be visited.
    fn number(&mut self, symbol: &str) -> usize {
        let next = self.numbers.len();
        if let Some(&number) = self.numbers.get(symbol) {
            return number;
        }
        self.numbers.insert(symbol.to_owned(), next);
        if let Some((&name, _)) = self.blocks.get_key_value(symbol) {
            self.waiting.push_back(name);
        }
        next
    }

    /// A line with numbers in place of this file's symbols; empty for what
    /// tells the assembler nothing about code or constants.
    fn canonical(&mut self, line: &str) -> String {
        let directive = line.split_whitespace().next().unwrap_or("");
        let silent = [
            ".section", ".globl", ".type", ".size", ".weak", ".hidden", ".text",
        ];
        if silent.contains(&directive) || directive.starts_with(".cfi_") {
            return String::new();
        }
        let mut words = String::new();
        let mut quoted = false;
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let len = if quoted { 0 } else { symbol_length(rest) };
            if len > 0 {
                let symbol = &rest[..len];
                if self.blocks.contains_key(symbol) || is_local(symbol) {
                    let number = self.number(symbol);
                    words.push('<');
                    words.push_str(&number.to_string());
                    words.push('>');
                } else {
                    // Of another crate, whose hash tells how that one was built.
                    words.push_str(&without_hash(symbol));
                }
                rest = &rest[len..];
            } else {
                quoted ^= first == '"' && !words.ends_with('\\');
                words.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        words
    }
}

/// Splits assembly at the labels of functions and constants. Comments and
/// white space at the ends of lines are gone.
fn blocks(assembly: &str) -> HashMap<&str, Vec<&str>> {
    let mut blocks: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut current = None;
    for line in assembly.lines() {
        let label = line
            .strip_suffix(':')
            .filter(|l| symbol_length(l) == l.len());
        if let Some(label) = label.filter(|label| !is_local(label)) {
            blocks.insert(label, Vec::new());
            current = Some(label);
            continue;
        }
        let words = line.trim();
        // What follows a section's head belongs to the next label.
        if words.starts_with(".section") || words.starts_with(".text") {
            current = None;
        }
        if let Some(lines) = current.and_then(|label| blocks.get_mut(label)) {
            let is_comment = words.starts_with('#') || words.starts_with("//");
            if !words.is_empty() && !is_comment {
                lines.push(words);
            }
        }
    }
    // Alignment at the end of a block is that of the next.
    for lines in blocks.values_mut() {
        while lines
            .last()
            .is_some_and(|line| line.starts_with(".p2align"))
        {
            lines.pop();
        }
    }
    blocks
}

/// Labels inside a function.
fn is_local(symbol: &str) -> bool {
    let plain = symbol.trim_start_matches(['.', 'L', 'l']);
    let marked = symbol.len() > plain.len();
    let kinds = [
        "BB",
        "tmp",
        "func_begin",
        "func_end",
        "exception",
        "cst_",
        "ttbase",
        "TT",
    ];
    marked && kinds.iter().any(|kind| plain.starts_with(kind))
}

/// How much of a text's start could be a symbol.
fn symbol_length(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    // `$12` and `%rax` are operands.
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '$' || c == '%') {
        return 0;
    }
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// A mangled name without its hash, readable enough: `eval::evaluate`.
pub fn without_hash(symbol: &str) -> String {
    let Some(mut rest) = symbol.trim_start_matches('_').strip_prefix("ZN") else {
        return symbol.to_owned();
    };
    let mut parts = Vec::new();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(len) = rest[..digits].parse::<usize>() else {
            break;
        };
        let Some(part) = rest.get(digits..digits + len) else {
            break;
        };
        parts.push(part);
        rest = &rest[digits + len..];
    }
    parts.pop(); // the hash
    parts.join("::")
}
