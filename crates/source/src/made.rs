//! Structs of tables in impl blocks: those that a function makes, for a program that
//! holds its weights at run time (`fn default() -> Self { Self { … } }`), and those of
//! associated consts.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Block, Expr, ImplItem, ItemImpl, Pat, Path, Stmt};

use crate::groups::{bare_name, plain_name, record};
use crate::item::type_name;
use crate::leaves::holds_number;
use crate::syntax::{ends_in, is_test, screaming};

/// The values that an impl block makes.
#[derive(Default)]
pub(crate) struct Made<'a> {
    pub(crate) structs: Vec<MadeStruct<'a>>,
    /// Functions `default` and `new` that hold numbers but do not end in a struct literal: path in
    /// the source, and name.
    pub(crate) unread: Vec<(String, &'a Ident)>,
}

/// A struct of tables in an impl block.
pub(crate) struct MadeStruct<'a> {
    /// The name of the const that would replace it: `EVAL_WEIGHTS` for `EvalWeights::default()`,
    /// `EVAL_WEIGHTS_TUNED` for `EvalWeights::TUNED`.
    pub(crate) name: String,
    /// Its path in the source: `EvalWeights::default()`.
    pub(crate) path: String,
    /// The name of the function or the const.
    pub(crate) declared: &'a Ident,
    /// The struct literal.
    pub(crate) value: &'a Expr,
}

/// The structs of tables that an impl block has: those that the functions `default` and `new`
/// return, in the block of the type itself or of `impl Default`; and those of associated consts.
/// Such a function has no arguments, and its body ends in the struct literal, or in a variable that
/// is bound to it. One that ends otherwise, but holds numbers, is in `unread`.
pub(crate) fn made(block: &ItemImpl) -> Made<'_> {
    let mut found = Made::default();
    let Some(ty) = type_name(&block.self_ty) else {
        return found;
    };
    let makers = makers(block);
    let of_type = bare_name(&ty);
    // Whether a value is a struct literal of tables, of the type of the block.
    let is_own = |value: &&Expr| {
        let of = |path: &Path| path.is_ident("Self") || ends_in(path, &ty);
        record(value).is_some_and(|literal| of(&literal.path))
    };
    for item in &block.items {
        match item {
            ImplItem::Fn(f) => {
                let declared = &f.sig.ident;
                let is_maker = makers.iter().any(|maker| declared == maker);
                if !is_maker || !f.sig.inputs.is_empty() || is_test(&f.attrs) {
                    continue;
                }
                let path = format!("{of_type}::{}()", plain_name(declared));
                match result(&f.block).filter(is_own) {
                    Some(value) => found.structs.push(MadeStruct {
                        name: screaming(of_type),
                        path,
                        declared,
                        value,
                    }),
                    None if holds_number(f.block.to_token_stream()) => {
                        found.unread.push((path, declared));
                    }
                    None => {}
                }
            }
            ImplItem::Const(c) if !is_test(&c.attrs) => {
                let (name, value) = (plain_name(&c.ident), &c.expr);
                if is_own(&value) {
                    found.structs.push(MadeStruct {
                        name: format!("{}_{name}", screaming(of_type)),
                        path: format!("{of_type}::{name}"),
                        declared: &c.ident,
                        value,
                    });
                }
            }
            _ => {}
        }
    }
    found
}

/// The expression that a block ends in. If that is a variable, it is the variable's initialiser,
/// also where the block changes the variable afterwards: `let mut made = Self { … }; made.mirror();
/// made`. `None` if the block ends in a statement.
fn result(block: &Block) -> Option<&Expr> {
    let Some(Stmt::Expr(last, None)) = block.stmts.last() else {
        return None;
    };
    let Expr::Path(path) = last else {
        return Some(last);
    };
    let name = path.path.get_ident()?;
    let mut declared = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Local(local) => {
            let is_it = matches!(&local.pat, Pat::Ident(pat) if pat.ident == *name);
            let value = local.init.as_ref()?;
            is_it.then_some(&*value.expr)
        }
        _ => None,
    });
    declared.next_back()
}

/// The names of the functions of an impl block that make its type without arguments: `default` in
/// `impl Default`, `new` and `default` without a trait; empty for another trait.
fn makers(block: &ItemImpl) -> &'static [&'static str] {
    match &block.trait_ {
        Some((path, _)) if ends_in(path, "Default") => &["default"],
        Some(_) => &[],
        None => &["new", "default"],
    }
}
