//! What the twin's version of a body has different from production's: a table
//! by node, which emission applies.
//!
//! A node is numbered by its place in the order in which [`Visit`] and
//! [`syn::visit_mut::VisitMut`] meet expressions, statements, typed patterns
//! and macro calls. Macro calls have tables of their own for what is in them.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Macro, PatType, Stmt};

use crate::diagnostics::Diagnostic;
use crate::model::macro_input::Input;
use crate::model::shape::Shape;

/// One difference. Those of a node are made in their order, after those of
/// the nodes in it.
#[derive(Debug)]
pub(crate) enum Edit {
    /// A plain number becomes a traced one.
    Lift { initialiser: bool },
    /// `value as T` becomes a cast of a traced number.
    Cast,
    /// `T::from(value)` becomes the same.
    CastFrom(Span),
    /// `T::from`, passed by name, becomes the same.
    CastFunction(Span),
    /// An operator becomes a call of this function of traced numbers.
    Operator { function: &'static str, span: Span },
    /// The operands change places.
    Swap,
    /// A method call becomes a call of the function of traced numbers.
    Function { name: String, span: Span },
    /// A path becomes that of the function of traced numbers.
    FunctionPath { name: String, span: Span },
    /// A const becomes a call, as the twin computes it; by reference, or as a
    /// value.
    Computed { by_reference: bool },
    /// A function or a method has another name in the twin.
    Rename,
    /// A literal says its type.
    SayType,
    /// A method's type argument is of this shape.
    Turbofish(Shape),
    /// What a closure returns is of this shape.
    Output(Shape),
    /// The type of a pattern is of this shape.
    PatternType(Shape),
    /// A macro call.
    Macro(Box<MacroEdit>),
    /// A statement under `#[cfg]` becomes its errors.
    Errors {
        conditions: Vec<Attribute>,
        errors: Vec<Diagnostic>,
    },
}

/// What a macro call becomes.
#[derive(Debug)]
pub(crate) struct MacroEdit {
    pub(crate) input: Input,
    /// The differences in its input.
    pub(crate) edits: Edits,
    pub(crate) becomes: MacroChange,
}

/// What a macro call becomes, its input apart.
#[derive(Debug)]
pub(crate) enum MacroChange {
    /// The same call.
    Same,
    /// The number that a score is.
    Frozen,
    /// A look-up by a score.
    Interpolated(Span),
    /// The handle of this weight.
    Weight(u32),
    /// Nothing.
    Nothing,
}

/// Differences by the numbers of nodes.
#[derive(Debug, Default)]
pub(crate) struct Edits(HashMap<usize, Vec<Edit>>);

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes what is different at a node.
    pub(crate) fn take(&mut self, number: usize) -> Vec<Edit> {
        self.0.remove(&number).unwrap_or_default()
    }
}

/// A node while its tree is in place: the kind, as a node may start with
/// another, and the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Expr(usize),
    Macro(usize),
    Pattern(usize),
    Stmt(usize),
}

fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}

impl From<&Expr> for Node {
    fn from(node: &Expr) -> Self {
        Self::Expr(address(node))
    }
}

impl From<&Macro> for Node {
    fn from(node: &Macro) -> Self {
        Self::Macro(address(node))
    }
}

impl From<&PatType> for Node {
    fn from(node: &PatType) -> Self {
        Self::Pattern(address(node))
    }
}

impl From<&Stmt> for Node {
    fn from(node: &Stmt) -> Self {
        Self::Stmt(address(node))
    }
}

/// Differences by nodes, while a tree is walked.
#[derive(Debug, Default)]
pub(super) struct Recorder(HashMap<Node, Vec<Edit>>);

impl Recorder {
    pub(super) fn record(&mut self, node: Node, edit: Edit) {
        self.0.entry(node).or_default().push(edit);
    }

    /// Whether a node becomes a traced number.
    pub(super) fn is_lifted(&self, node: Node) -> bool {
        let edits = self.0.get(&node).into_iter().flatten();
        edits.into_iter().any(|e| matches!(e, Edit::Lift { .. }))
    }

    /// The differences by the numbers of nodes; `visit` visits the tree.
    pub(super) fn numbered(self, visit: impl FnOnce(&mut Numbering)) -> Edits {
        let mut numbering = Numbering {
            recorded: self.0,
            ..Numbering::default()
        };
        if !numbering.recorded.is_empty() {
            visit(&mut numbering);
        }
        numbering.edits
    }
}

/// Numbers the nodes of a tree.
#[derive(Default)]
pub(super) struct Numbering {
    next: usize,
    recorded: HashMap<Node, Vec<Edit>>,
    edits: Edits,
}

impl Numbering {
    fn meet(&mut self, node: Node) {
        if let Some(edits) = self.recorded.remove(&node) {
            self.edits.0.insert(self.next, edits);
        }
        self.next += 1;
    }
}

impl<'a> Visit<'a> for Numbering {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.meet(expr.into());
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.meet(mac.into());
        visit::visit_macro(self, mac);
    }

    fn visit_pat_type(&mut self, pattern: &'a PatType) {
        self.meet(pattern.into());
        visit::visit_pat_type(self, pattern);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.meet(stmt.into());
        visit::visit_stmt(self, stmt);
    }
}
