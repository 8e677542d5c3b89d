//! Tables that a program fills when it starts, `static mut TABLE` and `fn init()`: each as if its
//! initialiser computed it.

use proc_macro2::{Ident, TokenTree};
use quote::{ToTokens, format_ident};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprCall, Item, ItemFn, ItemStatic, Path, Signature, Stmt, parse_quote,
};

use crate::item::{each_token, type_name};
use crate::syntax::{bare, ends_in, has_attribute};

/// The beginning of the names of variables in the initialisers that are written for such tables.
const PREFIX: &str = "filled_";

/// Tells whether an initialiser is a block that fills a variable `filled_NAME` and returns it: such
/// are the initialisers that are written for a `static mut` that functions fill.
pub fn is_filled(expr: &Expr) -> bool {
    let Expr::Block(block) = expr else {
        return false;
    };
    matches!(block.block.stmts.last(), Some(Stmt::Expr(Expr::Path(e), None))
        if e.path.get_ident().is_some_and(|name| name.to_string().starts_with(PREFIX)))
}

/// Gives a `static mut` table that only functions without arguments write to an initialiser that
/// does what they do, and makes it a plain static. Where there is such a table, functions without
/// arguments and result that write to such tables, or to a `static mut` of type `bool`, and to no
/// other `static mut`, get empty bodies, as they have nothing left to do.
pub(crate) fn write_out(items: &mut [Item]) {
    let mutable = |item: &Item| match item {
        Item::Static(table) if is_mutable(table) => Some(table.clone()),
        _ => None,
    };
    let tables: Vec<ItemStatic> = items.iter().filter_map(mutable).collect();
    let names: Vec<String> = tables.iter().map(|table| table.ident.to_string()).collect();
    // For each `static mut` the initialiser that fills it; `None` if it stays as it is.
    let filled = tables.iter().map(|table| filled(items, table, &names));
    let filled: Vec<Option<Expr>> = filled.collect();
    if filled.iter().all(Option::is_none) {
        return;
    }
    let found = tables.iter().zip(filled);
    let mut others = Vec::new();
    for (table, value) in found {
        let Some(value) = value else {
            // A `bool` says whether the program has filled its tables.
            let is_flag = type_name(&table.ty).is_some_and(|ty| ty == "bool");
            others.extend((!is_flag).then(|| table.ident.to_string()));
            continue;
        };
        for item in &mut *items {
            if let Item::Static(item) = item
                && item.ident == table.ident
            {
                *item.expr = value.clone();
                item.mutability = syn::StaticMutability::None;
            }
        }
    }
    // Functions that fill tables or set such a `bool`, and write to no other `static mut`, become
    // empty.
    let writes = |item: &Item, names: &[String]| names.iter().any(|name| assigns(item, name));
    for item in items {
        let fills = writes(item, &names) && !writes(item, &others);
        if let Item::Fn(f) = item
            && fills
            && gives_nothing(&f.sig)
        {
            f.block.stmts.clear();
        }
    }
}

/// Tells whether a static is `static mut`.
const fn is_mutable(table: &ItemStatic) -> bool {
    !matches!(table.mutability, syn::StaticMutability::None)
}

/// Tells whether a function has neither arguments nor a result, so that it can only fill tables.
fn gives_nothing(sig: &Signature) -> bool {
    sig.inputs.is_empty() && sig.output == syn::ReturnType::Default
}

/// The initialiser of a `static mut` that functions fill: a block that runs their bodies on a
/// variable, and returns that. `names`: of all `static mut`. `None` if anything but functions
/// without arguments and result assigns to it, or one of these returns early or still names it; if
/// nothing assigns to it; and if it is one number or has `#[tunable]`.
fn filled(items: &[Item], table: &ItemStatic, names: &[String]) -> Option<Expr> {
    let name = table.ident.to_string();
    // A number is a state rather than a table; a marked item has no other text than its own.
    if type_name(&table.ty).is_some_and(|ty| ty.starts_with(char::is_lowercase))
        || has_attribute(&table.attrs, "tunable")
    {
        return None;
    }
    let mut bodies = Vec::new();
    for item in items.iter().filter(|item| assigns(item, &name)) {
        let Item::Fn(ItemFn { sig, block, .. }) = item else {
            return None;
        };
        if !gives_nothing(sig) {
            return None;
        }
        let mut block = (**block).clone();
        let own = &table.ident;
        let local = format_ident!("{PREFIX}{own}", span = own.span());
        Fill { own, local, names }.visit_block_mut(&mut block);
        // Whether the rewritten body neither names the table nor returns early.
        let mut is_whole = true;
        each_token(block.to_token_stream(), &mut |token| {
            let is_left = matches!(token, TokenTree::Ident(id) if id == own || id == "return");
            is_whole &= !is_left;
        });
        bodies.push(is_whole.then_some(block)?);
    }
    let (ty, start) = (&table.ty, &table.expr);
    let local = format_ident!("{PREFIX}{}", table.ident);
    (!bodies.is_empty()).then(|| {
        parse_quote!({
            let mut #local: #ty = #start;
            #(#bodies)*
            #local
        })
    })
}

/// Rewrites a function's body so that it writes to a variable instead of a table.
struct Fill<'a> {
    /// The name of the table.
    own: &'a Ident,
    /// The name of the variable.
    local: Ident,
    /// The names of all `static mut` of the module.
    names: &'a [String],
}

impl Fill<'_> {
    /// Tells whether a statement of a function that fills tables has nothing to do with the table
    /// `own`: it assigns to another `static mut`, is a call without arguments, which may fill
    /// another table, or is an `if` that only returns, as where the tables are filled already.
    fn is_left_out(&self, stmt: &Stmt) -> bool {
        let Stmt::Expr(expr, semicolon) = stmt else {
            return false;
        };
        match bare(expr) {
            Expr::Call(ExprCall { func, args, .. }) => {
                args.is_empty() && semicolon.is_some() && matches!(**func, Expr::Path(_))
            }
            Expr::If(e) => {
                let is_return = |stmt: &Stmt| matches!(stmt, Stmt::Expr(Expr::Return(_), _));
                let (then, otherwise) = (&e.then_branch.stmts, &e.else_branch);
                otherwise.is_none() && then.iter().all(is_return)
            }
            expr => assigned(expr).is_some_and(|path| {
                let mut names = self.names.iter();
                *self.own != path.segments[path.segments.len() - 1].ident
                    && names.any(|name| ends_in(path, name))
            }),
        }
    }
}

impl VisitMut for Fill<'_> {
    /// Takes out statements that have nothing to do with the table, and turns functions inside the
    /// body into closures, as twins (traced versions) have no functions inside functions.
    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain(|stmt| !self.is_left_out(stmt));
        for stmt in &mut block.stmts {
            if let Stmt::Item(Item::Fn(f)) = stmt
                && f.sig.generics.params.is_empty()
            {
                let (name, inputs, output) = (&f.sig.ident, &f.sig.inputs, &f.sig.output);
                let body = &f.block;
                *stmt = parse_quote!(let #name = |#inputs| #output #body;);
            }
        }
        visit_mut::visit_block_mut(self, block);
    }

    /// Replaces the table's name by that of the variable, and `START.call_once(|| body)` by the
    /// body, which runs once anyway.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::MethodCall(call) = expr
            && call.method == "call_once"
            && let Some(Expr::Closure(closure)) = call.args.first()
        {
            *expr = (*closure.body).clone();
        }
        if let Expr::Path(e) = expr
            && ends_in(&e.path, &self.own.to_string())
        {
            let local = &self.local;
            *expr = parse_quote!(#local);
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Tells whether anything in the item assigns to the static `name`, or borrows it mutably.
pub fn assigns(item: &Item, name: &str) -> bool {
    let mut found = Assignments { name, found: false };
    found.visit_item(item);
    found.found
}

/// Looks for assignments to, and mutable borrows of, a static.
struct Assignments<'a> {
    name: &'a str,
    found: bool,
}

impl<'ast> Visit<'ast> for Assignments<'_> {
    /// Notes whether an expression assigns to the static, or borrows it mutably.
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.found |= assigned(expr).is_some_and(|path| ends_in(path, self.name));
        visit::visit_expr(self, expr);
    }
}

/// The path of what an expression assigns to or borrows mutably, by `&mut` or a method whose name
/// ends in `_mut`: `TABLE` of `TABLE[i].x = 3`. `None` for any other expression.
fn assigned(expr: &Expr) -> Option<&Path> {
    match expr {
        Expr::Assign(e) => root(&e.left),
        Expr::Binary(e) if is_assignment(&e.op) => root(&e.left),
        Expr::Reference(e) if e.mutability.is_some() => root(&e.expr),
        Expr::MethodCall(e) if e.method.to_string().ends_with("_mut") => root(&e.receiver),
        _ => None,
    }
}

/// The path that a place such as `TABLE[i].x` begins with, `TABLE`; `None` if it begins with
/// something else.
fn root(place: &Expr) -> Option<&Path> {
    match place {
        Expr::Path(e) => Some(&e.path),
        Expr::Index(e) => root(&e.expr),
        Expr::Field(e) => root(&e.base),
        Expr::Paren(e) => root(&e.expr),
        Expr::Unary(e) => root(&e.expr),
        Expr::MethodCall(e) => root(&e.receiver),
        _ => None,
    }
}

/// Tells whether an operator changes its left operand.
pub const fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
