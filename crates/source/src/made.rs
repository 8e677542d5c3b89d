//! Structs of tables in impl blocks: those that a function makes, for a program that
//! holds its weights at run time (`fn default() -> Self { Self { … } }`), and those of
//! associated consts.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, Block, Expr, ImplItem, ItemImpl, Pat, Path, Stmt};

use crate::associated::is_associated_weight;
use crate::groups::{bare_name, plain_name, record};
use crate::item::type_name;
use crate::leaves::holds_number;
use crate::syntax::{ends_in, is_test, screaming};

/// A struct of tables in an impl block.
pub(crate) struct MadeStruct<'a> {
    /// That of a const of a module in its place: of `EvalWeights::default()` it is
    /// `EVAL_WEIGHTS`, of `EvalWeights::TUNED` it is `EVAL_WEIGHTS_TUNED`.
    pub(crate) name: String,
    /// What the source calls it: `EvalWeights::default()`.
    pub(crate) path: String,
    /// The function or the const.
    pub(crate) declared: &'a Ident,
    pub(crate) attrs: &'a [Attribute],
    /// The literal.
    pub(crate) value: &'a Expr,
}

/// The structs of tables that `default` of `impl Default` and `new` make, without
/// arguments, by a body that ends in the literal, or in the variable that it is bound
/// to; and those of associated consts.
pub(crate) fn made_structs(block: &ItemImpl) -> Vec<MadeStruct<'_>> {
    let Some(ty) = type_name(&block.self_ty) else {
        return Vec::new();
    };
    let makers = makers(block);
    let is_own = |value: &Expr| {
        let of = |path: &Path| path.is_ident("Self") || ends_in(path, &ty);
        record(value).is_some_and(|literal| of(&literal.path))
    };
    let of_type = bare_name(&ty);
    let mut found = Vec::new();
    for item in &block.items {
        let made = match item {
            ImplItem::Fn(f) => {
                let is_maker = makers.iter().any(|maker| f.sig.ident == maker);
                match result(&f.block) {
                    Some(value) if is_maker && f.sig.inputs.is_empty() => MadeStruct {
                        name: screaming(of_type),
                        path: format!("{of_type}::{}()", plain_name(&f.sig.ident)),
                        declared: &f.sig.ident,
                        attrs: &f.attrs,
                        value,
                    },
                    _ => continue,
                }
            }
            // With `#[tunable]` it is a const of its module.
            ImplItem::Const(c) if !is_associated_weight(item) => {
                let name = plain_name(&c.ident);
                MadeStruct {
                    name: format!("{}_{name}", screaming(of_type)),
                    path: format!("{of_type}::{name}"),
                    declared: &c.ident,
                    attrs: &c.attrs,
                    value: &c.expr,
                }
            }
            _ => continue,
        };
        if !is_test(made.attrs) && is_own(made.value) {
            found.push(made);
        }
    }
    found
}

/// What a block ends in; of a variable, what it is declared as, also where the block
/// changes it afterwards: `let mut made = Self { … }; made.mirror(); made`.
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

/// Which functions of a block make its type without arguments.
fn makers(block: &ItemImpl) -> &'static [&'static str] {
    match &block.trait_ {
        Some((path, _)) if ends_in(path, "Default") => &["default"],
        Some(_) => &[],
        None => &["new", "default"],
    }
}

/// `default` and `new` that [`made_structs`] does not read although numbers are in
/// them: what the source calls each, and its name.
pub(crate) fn unread_makers(block: &ItemImpl) -> Vec<(String, &Ident)> {
    let Some(ty) = type_name(&block.self_ty) else {
        return Vec::new();
    };
    let made = made_structs(block);
    let is_read = |name: &Ident| made.iter().any(|made| made.declared == name);
    let mut found = Vec::new();
    for item in &block.items {
        if let ImplItem::Fn(f) = item
            && makers(block).iter().any(|maker| f.sig.ident == maker)
            && f.sig.inputs.is_empty()
            && !is_test(&f.attrs)
            && !is_read(&f.sig.ident)
            && holds_number(f.block.to_token_stream())
        {
            let path = format!("{}::{}()", bare_name(&ty), plain_name(&f.sig.ident));
            found.push((path, &f.sig.ident));
        }
    }
    found
}
