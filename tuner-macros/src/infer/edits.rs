//! What the twin's version of a body has different from production's: a table
//! by node, which emission applies.
//!
//! A node is numbered by its place in the order in which [`Visit`] and
//! [`syn::visit_mut::VisitMut`] meet expressions, statements, typed patterns
//! and macro calls. Macro calls have tables of their own for what is in them.

use std::any::TypeId;
use std::collections::HashMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Expr, Macro, PatType, Stmt};

use crate::diagnostics::Extent;
use crate::model::macro_input::Input;
use crate::model::shape::Shape;

/// One difference of the twin. The edits of a node are applied in order, after those of the nodes
/// inside it.
#[derive(Debug)]
pub(crate) enum Edit {
    /// A plain number becomes a traced one.
    Lift { initialiser: bool },
    /// `value as T`, `T::from(value)` or `T::from` becomes a cast of traced numbers.
    Cast(Span),
    /// An operator, a method call or a path becomes this function of traced
    /// numbers.
    Function {
        name: String,
        span: Span,
        /// The only field of its operands, if these are structs; the function is applied to the
        /// field.
        field: Option<String>,
    },
    /// The right side of an assignment is computed before the place on the left, as Rust does for
    /// plain numbers.
    First,
    /// A const block becomes one that runs, since operators of traced numbers are not const.
    Block,
    /// The two operands swap their places.
    Swap,
    /// A const becomes a call of the function that computes it in the twin. `by_reference`: the
    /// call is written as it is; if not, `*` is put before it.
    Computed { by_reference: bool },
    /// A function or a method has another name in the twin.
    Rename,
    /// `i32::from` of a struct or `i16::try_from` of a score becomes that of the twin's number.
    TracedType,
    /// A literal gets a suffix with its type.
    SayType,
    /// A stated type (in a method's or a variant's turbofish, after a closure's `->`, or after a
    /// pattern) is traced by this shape.
    Type(Shape),
    /// A macro call changes.
    Macro(Box<MacroEdit>),
    /// A statement under `#[cfg]` in which something is wrong is left out, as is the value of
    /// a field or an arm.
    LeftOut,
}

impl Edit {
    /// The edit that makes a node (an operator, a method call or a path) a call of the function
    /// `name` of traced numbers; errors in the call are shown where `at` begins. `field`: the
    /// operands are structs, and the function is applied to their field of this name; `None`: the
    /// operands are numbers.
    pub(super) fn function(name: &str, at: Extent, field: Option<String>) -> Self {
        let (name, span) = (name.to_owned(), at.start);
        Self::Function { name, span, field }
    }
}

/// The change of a macro call and of what is in it.
#[derive(Debug)]
pub(crate) struct MacroEdit {
    pub(crate) input: Input,
    /// The edits of its input, by the nodes in it.
    pub(crate) edits: Edits,
    pub(crate) becomes: MacroChange,
}

/// What a macro call becomes, apart from its input.
#[derive(Debug)]
pub(crate) enum MacroChange {
    /// The call stays.
    Same,
    /// The call gives the plain number of a score.
    Frozen,
    /// A look-up in a table by a score.
    Interpolated(Span),
    /// The handle of the weight of this number.
    Weight(u32),
    /// The call is left out.
    Nothing,
}

/// The edits of a body, by the numbers of its nodes.
pub(crate) type Edits = HashMap<usize, Vec<Edit>>;

/// A piece of a syntax tree that does not move in memory while this is used: its type and its
/// address. Both are needed, as a piece may begin with another piece, at the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node(TypeId, usize);

impl Node {
    /// The address and the type of a piece of a syntax tree, by which its edits are found; valid
    /// until the piece is moved in memory.
    fn of<T: 'static>(node: &T) -> Self {
        Self(TypeId::of::<T>(), std::ptr::from_ref(node).addr())
    }
}

/// Records edits by nodes while a tree is walked, and then by the numbers of the nodes.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    recorded: HashMap<Node, Vec<Edit>>,
    next: usize,
    edits: Edits,
}

impl Recorder {
    /// Adds an edit, a difference of the twin from production, to those of a node of the syntax
    /// tree. The edits of one node are applied in the order in which they are added.
    pub(super) fn record<T: 'static>(&mut self, node: &T, edit: Edit) {
        self.recorded.entry(Node::of(node)).or_default().push(edit);
    }

    /// Whether an edit is recorded that makes this expression, a plain number, a traced one in the
    /// twin.
    pub(super) fn is_lifted(&self, expr: &Expr) -> bool {
        let mut edits = self.recorded.get(&Node::of(expr)).into_iter().flatten();
        edits.any(|e| matches!(e, Edit::Lift { .. }))
    }

    /// Returns the recorded edits by the numbers of their nodes: the number of a node is its place
    /// in the order of a visit. `visit` must visit the syntax tree for which the edits were
    /// recorded, in which nothing has changed or moved since. Without edits nothing is visited.
    pub(super) fn numbered(mut self, visit: impl FnOnce(&mut Self)) -> Edits {
        if !self.recorded.is_empty() {
            visit(&mut self);
        }
        self.edits
    }

    /// Gives a node of the syntax tree the next number, and stores the edits of the node, if any,
    /// under it.
    fn meet<T: 'static>(&mut self, node: &T) {
        if let Some(edits) = self.recorded.remove(&Node::of(node)) {
            self.edits.insert(self.next, edits);
        }
        self.next += 1;
    }
}

impl<'a> Visit<'a> for Recorder {
    /// Numbers an expression, before those inside it. Macro calls, typed patterns and statements
    /// share its numbers, in the one order in which the rewriting of the twin counts them too.
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.meet(expr);
        visit::visit_expr(self, expr);
    }

    /// Numbers a macro call; what is in its input is not visited.
    fn visit_macro(&mut self, mac: &'a Macro) {
        self.meet(mac);
        visit::visit_macro(self, mac);
    }

    /// Numbers a typed pattern, `x: i32`, before the parts of it.
    fn visit_pat_type(&mut self, pattern: &'a PatType) {
        self.meet(pattern);
        visit::visit_pat_type(self, pattern);
    }

    /// Numbers a statement, before the expressions in it.
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.meet(stmt);
        visit::visit_stmt(self, stmt);
    }
}
