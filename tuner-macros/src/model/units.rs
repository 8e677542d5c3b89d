//! From the items of a file to its units.

use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, FnArg, Ident, ImplItem, Item, Signature, parse_quote};
use tuner_source::{AnnotatedModule, Standing};

use super::arguments::Mode;
use super::{Model, Module, Unit, name_of};

impl Model {
    /// Adds the unit of a module with annotations: all its items if it is traced as a whole, else
    /// the marked ones. Left out are modules, and structs and macro calls that the author lists as
    /// untraced. A module without remaining items adds no unit.
    pub(super) fn add_unit(&mut self, module: AnnotatedModule) {
        let Some(place) = self.module(&module.path) else {
            return;
        };
        let is_whole = module.is_whole();
        let marked = module.tunable.as_deref().map(mode);
        let (traced_at, args) = module.traced.unzip();
        let args = args.unwrap_or_default();
        let names = |idents: &[Ident]| idents.iter().map(ToString::to_string).collect();
        let mut unit = Unit {
            file: module.file,
            module: module.path,
            place,
            whole: is_whole,
            mode: marked.unwrap_or_default().or(Mode::of(args.is_nonlinear)),
            frozen: names(&args.frozen),
            untraced: names(&args.untraced),
            traced_at,
            ..Unit::default()
        };
        for (mut item, standing) in module.items {
            // The twin of a function listed in `replaced(FROM => TO)` calls the other one.
            replace(&mut item, &args.replaced);
            let is_untraced = |name: &Ident| unit.untraced.iter().any(|u| name == u);
            let left_out = match &item {
                Item::Struct(item) => is_untraced(&item.ident),
                Item::Macro(call) => call.mac.path.get_ident().is_some_and(is_untraced),
                item => matches!(item, Item::Mod(_)),
            };
            if left_out {
                continue;
            }
            if standing == Standing::Frozen {
                unit.frozen.extend(name_of(&item));
            }
            if is_whole || standing == Standing::Annotated {
                unit.items.push(item);
            }
        }
        if !unit.items.is_empty() {
            self.units.push(unit);
        }
    }

    /// The number of the unit that a module is, if it has annotations; `module` is its number in
    /// the crate.
    pub(crate) fn unit_of(&self, module: usize) -> Option<usize> {
        self.units.iter().position(|unit| unit.place == module)
    }

    /// The number of the unit that a module is, by the module's path from the crate's root; `None`
    /// if the crate has no such module, or it has no annotations.
    pub(crate) fn unit_by_path(&self, path: &[String]) -> Option<usize> {
        self.unit_of(self.module(path)?)
    }

    /// The module that a unit is, as the whole crate's table of modules has it. A unit is a module
    /// with annotations, by number.
    pub(crate) fn place(&self, unit: usize) -> &Module {
        &self.modules[self.units[unit].place]
    }
}

impl Unit {
    /// Tells whether an alias of this name, `type NAME = …;`, is among the items.
    pub(crate) fn has_alias(&self, name: &str) -> bool {
        let is_alias = |item: &Item| matches!(item, Item::Type(alias) if alias.ident == name);
        self.items.iter().any(is_alias)
    }
}

/// The mode that `#[tunable]` or `#[tunable(nonlinear)]` among some attributes says, also inside
/// `cfg_attr`; linear without one.
pub(super) fn mode(attrs: &[Attribute]) -> Mode {
    let says = |attr: &Attribute| {
        let mut text = attr.meta.to_token_stream().to_string();
        text.retain(|c| !c.is_whitespace());
        text.contains("tunable(nonlinear)")
    };
    Mode::of(attrs.iter().any(says))
}

/// Replaces the body of a function, or of methods of an impl block, by a call of another function
/// with the same arguments. `replaced`: pairs of the function's name and the name of the one to be
/// called.
fn replace(item: &mut Item, replaced: &[(Ident, Ident)]) {
    let call = |sig: &mut Signature| {
        let (_, other) = replaced.iter().find(|(from, _)| *from == sig.ident)?;
        let other = Ident::new(&other.to_string(), sig.ident.span());
        let arguments = number_arguments(sig);
        Some(quote!(#other(#(#arguments),*)))
    };
    match item {
        Item::Fn(f) => {
            if let Some(call) = call(&mut f.sig) {
                *f.block = parse_quote!({ #call });
            }
        }
        Item::Impl(block) => {
            for member in &mut block.items {
                if let ImplItem::Fn(f) = member
                    && let Some(call) = call(&mut f.sig)
                {
                    f.block = parse_quote!({ Self::#call });
                }
            }
        }
        _ => {}
    }
}

/// Renames the arguments of a function, which may be patterns, so that each has one name,
/// `argument_1`, and returns the names, with `self`, as a call passes them on.
pub(crate) fn number_arguments(sig: &mut Signature) -> Vec<Ident> {
    let numbered = sig.inputs.iter_mut().enumerate();
    let named = numbered.map(|(number, arg)| match arg {
        FnArg::Receiver(this) => Ident::new("self", this.self_token.span),
        FnArg::Typed(arg) => {
            let name = format_ident!("argument_{number}", span = sig.ident.span());
            *arg.pat = parse_quote!(#name);
            name
        }
    });
    named.collect()
}
