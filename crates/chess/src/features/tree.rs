//! Expressions over sets of squares, in the part of Rust that is C++ as well but for `!`:
//! evaluated, and written as code.
//!
//! Equal parts of expressions are one node, so what features share is evaluated once for a
//! position.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::bits::{self, Side};
use tuner_game::FeatureLanguage;

/// A part of an expression, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(u16);

/// A part of an expression; the nodes that it is made of have lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// Pieces of the player whose view it is, by their place in [`PIECES`].
    Us(usize),
    /// Pieces of the other player, by their place in [`PIECES`].
    Them(usize),
    Number(u64),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Times(NodeId, NodeId),
    Not(NodeId),
    /// A function, by its place in [`FUNCTIONS`], and its arguments; a single one is there twice.
    Call(usize, [NodeId; 2]),
    /// `reach`: the place of the attacking function in [`FUNCTIONS`], then the pieces, the squares,
    /// and the occupied ones.
    Reach(usize, [NodeId; 3]),
}

/// A field of [`Side`], by name.
type Field = (&'static str, fn(&Side) -> u64);

/// The pieces of a player.
const PIECES: [Field; 6] = [
    ("pawns", |side| side.pawns),
    ("knights", |side| side.knights),
    ("bishops", |side| side.bishops),
    ("rooks", |side| side.rooks),
    ("queens", |side| side.queens),
    ("king", |side| side.king),
];

/// A function by its type: `u64` is a set of squares, `i32` a count.
#[derive(Clone, Copy)]
enum Function {
    Set(fn(u64) -> u64),
    Attacks(fn(u64, u64) -> u64),
    Count(fn(u64) -> i32),
    Distance(fn(u64, u64) -> i32),
    AtLeast(fn(i32, i32) -> i32),
}

/// The functions of [`bits`], but `reach`.
const FUNCTIONS: [(&str, Function); 15] = [
    ("up", Function::Set(bits::up)),
    ("down", Function::Set(bits::down)),
    ("beside", Function::Set(bits::beside)),
    ("fill_up", Function::Set(bits::fill_up)),
    ("fill_down", Function::Set(bits::fill_down)),
    ("files", Function::Set(bits::files)),
    ("same_colour", Function::Set(bits::same_colour)),
    ("knight", Function::Attacks(bits::knight)),
    ("bishop", Function::Attacks(bits::bishop)),
    ("rook", Function::Attacks(bits::rook)),
    ("queen", Function::Attacks(bits::queen)),
    ("king", Function::Attacks(bits::king)),
    ("count", Function::Count(bits::count)),
    ("distance", Function::Distance(bits::distance)),
    ("at_least", Function::AtLeast(bits::at_least)),
];

/// Expressions that share nodes, and sets that they call by name.
#[derive(Debug, Default)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    /// The number of each node.
    known: BTreeMap<Node, NodeId>,
    /// Name, text and node, each behind those that it is made of.
    sets: Vec<(&'static str, &'static str, NodeId)>,
}

impl Forest {
    /// Reads an expression over sets of squares, such as `count(us.rooks & rank_7)`, and returns
    /// its node; `None` if the text is not an expression.
    pub(super) fn read(&mut self, text: &str) -> Option<NodeId> {
        let mut reader = Reader { forest: self, text };
        let node = reader.expression()?;
        reader.text.is_empty().then_some(node)
    }

    /// Gives an expression over sets of squares a name, by which later expressions call it; `None`
    /// if the text is not an expression.
    pub(super) fn name(&mut self, name: &'static str, text: &'static str) -> Option<()> {
        let node = self.read(text)?;
        self.sets.push((name, text, node));
        Some(())
    }

    /// Returns the number of a node, a part of an expression. It is added if it is not there yet,
    /// so that equal parts of expressions are one node.
    fn node(&mut self, node: Node) -> NodeId {
        *self.known.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            NodeId(self.nodes.len() as u16 - 1)
        })
    }

    /// Evaluates all nodes, the parts of all expressions, for the player whose pieces are `us`;
    /// both sets of pieces are seen from the side of that player. Their values, sets of squares or
    /// counts, replace what `values` held, each at the number of its node; a node is behind those
    /// it is made of.
    ///
    /// *Cost*: some nanoseconds a node.
    pub(super) fn evaluate(&self, us: &Side, them: &Side, values: &mut Vec<u64>) {
        values.clear();
        for node in &self.nodes {
            let at = |id: NodeId| values[usize::from(id.0)];
            let value = match *node {
                Node::Us(pieces) => PIECES[pieces].1(us),
                Node::Them(pieces) => PIECES[pieces].1(them),
                Node::Number(number) => number,
                Node::And(one, other) => at(one) & at(other),
                Node::Or(one, other) => at(one) | at(other),
                Node::Times(one, other) => at(one) * at(other),
                Node::Not(set) => !at(set),
                Node::Call(function, [one, other]) => match FUNCTIONS[function].1 {
                    Function::Set(f) => f(at(one)),
                    Function::Attacks(f) => f(at(one), at(other)),
                    Function::Count(f) => f(at(one)) as u64,
                    Function::Distance(f) => f(at(one), at(other)) as u64,
                    Function::AtLeast(f) => f(at(one) as i32, at(other) as i32) as u64,
                },
                Node::Reach(function, [pieces, squares, occupied]) => match FUNCTIONS[function].1 {
                    Function::Attacks(f) => {
                        bits::reach(at(pieces), at(squares), at(occupied), f) as u64
                    }
                    // Of a function that is not one of attacks nothing is reached.
                    _ => 0,
                },
            };
            values.push(value);
        }
    }

    /// Returns the value of the node `count`, whose expression counts something; `values` has those
    /// of all nodes, by number.
    pub(super) fn value(count: NodeId, values: &[u64]) -> i32 {
        values[usize::from(count.0)] as i32
    }

    /// Writes the function of a count as code: `name(us, them)`, which returns the value of the
    /// expression `count`. Before that it has a variable for each set that `count` names, and for
    /// each that such a set names in turn. The complement of a set, `!` in expressions and in Rust,
    /// is `~` in C++. (Writing to a text cannot fail, so that its result is left.)
    pub(super) fn function(&self, name: &str, count: &str, language: FeatureLanguage) -> String {
        // All expressions of the function so far, which tell whether a set is named. A set is made
        // only of those before it, so that one pass from the last to the first finds all.
        let mut body = count.to_owned();
        let mut lines = Vec::new();
        for (name, text, _) in self.sets.iter().rev() {
            if words(&body).any(|word| word == *name) {
                let _ = write!(body, " {text}");
                lines.push((name, text));
            }
        }
        // A parameter that is not used has a name, or none, of which compilers do not warn.
        let is_used = words(&body).any(|word| word.starts_with("them."));
        let mut code = match language {
            FeatureLanguage::Rust => {
                let them = if is_used { "them" } else { "_them" };
                format!("pub fn {name}(us: &Side, {them}: &Side) -> i32 {{\n")
            }
            FeatureLanguage::Cpp => {
                let them = if is_used { " them" } else { "" };
                format!("inline int {name}(const Side& us, const Side&{them}) {{\n")
            }
        };
        for (name, text) in lines.iter().rev() {
            let _ = match language {
                FeatureLanguage::Rust => writeln!(code, "    let {name} = {text};"),
                FeatureLanguage::Cpp => {
                    writeln!(code, "    const u64 {name} = {};", text.replace('!', "~"))
                }
            };
        }
        let _ = match language {
            FeatureLanguage::Rust => writeln!(code, "    {count}\n}}"),
            FeatureLanguage::Cpp => writeln!(code, "    return {};\n}}", count.replace('!', "~")),
        };
        code
    }
}

/// Iterates over the names and numbers of an expression. Between two signs, such as `(` and `!`, it
/// gives an empty text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c))
}

/// Whether a character may be in a name such as `us.pawns`, or in a number.
fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// What is left to read of an expression.
struct Reader<'f, 't> {
    forest: &'f mut Forest,
    text: &'t str,
}

impl<'t> Reader<'_, 't> {
    /// Passes over the character `sign`, if it comes next behind blanks; tells whether it did.
    fn takes(&mut self, sign: char) -> bool {
        let rest = self.text.trim_start().strip_prefix(sign);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    /// Takes the name or the number that the rest of the expression begins with; empty if it begins
    /// with a sign or has ended.
    fn word(&mut self) -> &'t str {
        let text = self.text.trim_start();
        let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
        self.text = &text[end..];
        &text[..end]
    }

    /// Reads operands with `&`, `|` or `*` between them, from the left, as all operators bind
    /// alike, and returns the node of the whole. `None` if an operand is missing or wrong.
    fn expression(&mut self) -> Option<NodeId> {
        let mut left = self.operand()?;
        loop {
            let node = if self.takes('&') {
                Node::And
            } else if self.takes('|') {
                Node::Or
            } else if self.takes('*') {
                Node::Times
            } else {
                return Some(left);
            };
            let right = self.operand()?;
            left = self.forest.node(node(left, right));
        }
    }

    /// Reads one operand of an expression and returns its node: `!a`, `(a)`, a call, a set by its
    /// name, pieces such as `us.pawns`, or a number; `None` if it is something else.
    fn operand(&mut self) -> Option<NodeId> {
        if self.takes('!') {
            let set = self.operand()?;
            return Some(self.forest.node(Node::Not(set)));
        }
        if self.takes('(') {
            let inner = self.expression()?;
            return self.takes(')').then_some(inner);
        }
        let word = self.word();
        if self.takes('(') {
            return self.call(word);
        }
        let pieces = |name: &str| PIECES.iter().position(|pieces| pieces.0 == name);
        if let Some(name) = word.strip_prefix("us.") {
            return Some(self.forest.node(Node::Us(pieces(name)?)));
        }
        if let Some(name) = word.strip_prefix("them.") {
            return Some(self.forest.node(Node::Them(pieces(name)?)));
        }
        if let Some(set) = self.forest.sets.iter().find(|set| set.0 == word) {
            return Some(set.2);
        }
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(&digits.replace('_', ""), 16),
            None => word.parse(),
        };
        Some(self.forest.node(Node::Number(number.ok()?)))
    }

    /// Reads the arguments of the function `name`, from behind its opening bracket to the closing
    /// one, and returns the node of the call; `None` if there is no such function, or they are not
    /// its arguments. `reach`, which counts attacks piece by piece, has four: three sets and the
    /// name of a function of attacks. The node of another call has room for two arguments: where
    /// there is only one, it is in both places.
    fn call(&mut self, name: &str) -> Option<NodeId> {
        let function = |name: &str| FUNCTIONS.iter().position(|function| function.0 == name);
        let first = self.expression()?;
        let node = if name == "reach" {
            let mut next = || self.takes(',').then(|| self.expression()).flatten();
            let all = [first, next()?, next()?];
            let attacks = self.takes(',').then(|| self.word())?;
            Node::Reach(function(attacks)?, all)
        } else {
            let number = function(name)?;
            let takes_one = matches!(FUNCTIONS[number].1, Function::Set(_) | Function::Count(_));
            let second = if takes_one {
                first
            } else {
                self.takes(',').then(|| self.expression())??
            };
            Node::Call(number, [first, second])
        };
        let node = self.forest.node(node);
        self.takes(')').then_some(node)
    }
}
