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
    /// The assigned value is computed before the place is named, as it is for plain numbers.
    First,
    /// A const block becomes one that runs, since operators of traced numbers are not const.
    Block,
    /// The two operands swap their places.
    Swap,
    /// A const becomes a call, as the twin computes it: a call that gives a reference, or a value.
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
    /// The edit that makes a node a call of the function `name` of traced numbers. `field`: the
    /// function is applied to this field of its operands, which are structs.
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
    /// The plain number of a score.
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

/// A node of a tree that does not move meanwhile: its address, and its type, as a node may begin
/// with another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node(TypeId, usize);

impl Node {
    /// The node of a piece of the tree; valid until the piece is moved in memory.
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
    /// Notes a difference at a node, behind those that it has.
    pub(super) fn record<T: 'static>(&mut self, node: &T, edit: Edit) {
        self.recorded.entry(Node::of(node)).or_default().push(edit);
    }

    /// Whether an expression becomes a traced number.
    pub(super) fn is_lifted(&self, expr: &Expr) -> bool {
        let mut edits = self.recorded.get(&Node::of(expr)).into_iter().flatten();
        edits.any(|e| matches!(e, Edit::Lift { .. }))
    }

    /// Returns the edits by the numbers of nodes. `visit` must visit the same tree, unchanged since
    /// the edits were recorded.
    pub(super) fn numbered(mut self, visit: impl FnOnce(&mut Self)) -> Edits {
        if !self.recorded.is_empty() {
            visit(&mut self);
        }
        self.edits
    }

    /// Counts a node, and stores its edits under its number.
    fn meet<T: 'static>(&mut self, node: &T) {
        if let Some(edits) = self.recorded.remove(&Node::of(node)) {
            self.edits.insert(self.next, edits);
        }
        self.next += 1;
    }
}

impl<'a> Visit<'a> for Recorder {
    /// Counts an expression, before those inside it. Macros, typed patterns and statements are
    /// counted with expressions, in the one order that the rewriting of the twin keeps to.
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.meet(expr);
        visit::visit_expr(self, expr);
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.meet(mac);
        visit::visit_macro(self, mac);
    }

    fn visit_pat_type(&mut self, pattern: &'a PatType) {
        self.meet(pattern);
        visit::visit_pat_type(self, pattern);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.meet(stmt);
        visit::visit_stmt(self, stmt);
    }
}
