//! From the items of a file to its units.

use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, FnArg, Ident, ImplItem, Item, ItemImpl, Signature, parse_quote};
use tuner_source::{TracedArgs, is_test};

use super::arguments::Mode;
use super::{Model, Unit, attributes, flatten, has_attribute, location_of, name_of};

impl Model {
    pub(super) fn add_module(
        &mut self,
        file: usize,
        module: Vec<String>,
        items: Vec<Item>,
        marked: Option<Mode>,
    ) {
        let Some(place) = self.module(&module) else {
            return;
        };
        let traced = items
            .iter()
            .find_map(|item| Some((location_of(item), TracedArgs::of(item)?)));
        let whole = marked.is_some() || traced.is_some();
        let (traced_at, args) = traced.unzip();
        let args: TracedArgs = args.unwrap_or_default();
        let names = |idents: &[Ident]| idents.iter().map(ToString::to_string).collect();
        let mut unit = Unit {
            file,
            module,
            place,
            whole,
            mode: marked.unwrap_or_default().or(Mode::of(args.is_nonlinear)),
            frozen: names(&args.frozen),
            untraced: names(&args.untraced),
            traced_at,
            ..Unit::default()
        };
        let mut inner = Vec::new();
        for mut item in items {
            replace(&mut item, &args.replaced);
            if let Item::Use(item) = &item {
                flatten(&item.tree, &mut Vec::new(), &mut unit.imports);
                if !matches!(item.vis, syn::Visibility::Inherited) {
                    flatten(&item.tree, &mut Vec::new(), &mut unit.exports);
                }
            }
            if let Item::Mod(item) = item {
                if is_test(&item.attrs) {
                    continue;
                }
                unit.children.push(item.ident.to_string());
                if let Some((_, items)) = item.content {
                    let tunable = has_attribute(&item.attrs, "tunable").then(|| mode(&item.attrs));
                    inner.push((item.ident.to_string(), items, tunable));
                }
                continue;
            }
            let attrs = attributes(&item);
            unit.names.extend(name_of(&item));
            if is_test(attrs) {
                continue;
            }
            if let Item::Impl(block) = &item
                && !whole
                && !has_attribute(attrs, "tunable")
            {
                unit.items.extend(marked_methods(block).map(Item::Impl));
                continue;
            }
            let is_untraced = |name: &Ident| unit.untraced.iter().any(|u| name == u);
            let left_out = match &item {
                Item::Struct(item) => is_untraced(&item.ident),
                Item::Macro(call) => call.mac.path.get_ident().is_some_and(is_untraced),
                _ => false,
            };
            if left_out {
                continue;
            }
            if has_attribute(attrs, "frozen") {
                unit.frozen.extend(name_of(&item));
                unit.items.extend(whole.then_some(item));
            } else if whole || has_attribute(attrs, "tunable") {
                unit.items.push(item);
            }
        }
        let path = unit.module.clone();
        if !unit.items.is_empty() {
            self.units.push(unit);
        }
        for (name, items, tunable) in inner {
            self.add_module(file, [&path[..], &[name]].concat(), items, tunable);
        }
    }

    /// The unit of a module, if it has annotations.
    pub(crate) fn unit_of(&self, module: usize) -> Option<usize> {
        self.units.iter().position(|unit| unit.place == module)
    }

    /// The unit of the module of a path, if it has annotations.
    pub(crate) fn unit_by_path(&self, path: &[String]) -> Option<usize> {
        self.unit_of(self.module(path)?)
    }

    /// The name that an import brought in under another.
    pub(crate) fn original<'n>(&'n self, unit: usize, name: &'n str) -> &'n str {
        let import = self.units[unit].import(name);
        import.and_then(<[_]>::last).map_or(name, String::as_str)
    }

    /// Whether a name means something of this module or of another crate that
    /// has no twin.
    pub(crate) fn is_foreign(&self, unit: usize, name: &str) -> bool {
        let unit = &self.units[unit];
        let import = unit.import(name);
        unit.names.contains(name) || import.is_some_and(|path| !unit.is_inside(path))
    }
}

impl Unit {
    /// What the first import under this name brings.
    pub(crate) fn import(&self, name: &str) -> Option<&[String]> {
        let mut imports = self.imports.iter();
        let found = imports.find(|(brought, _)| brought == name);
        found.map(|(_, path)| &path[..])
    }

    /// Whether an alias of this name is among the items.
    pub(crate) fn has_alias(&self, name: &str) -> bool {
        let is_alias = |item: &Item| matches!(item, Item::Type(alias) if alias.ident == name);
        self.items.iter().any(is_alias)
    }

    /// Whether a path starts in this crate, as far as can be seen.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        matches!(first.as_str(), "crate" | "self" | "super")
            || self.children.contains(first)
            || self.imports.iter().any(|(brought, full)| {
                brought == first
                    && full.len() > 1
                    && full.first() != Some(first)
                    && self.is_inside(full)
            })
    }

    /// The path from the crate's root, without `crate`; unchanged if it leads out.
    pub(crate) fn absolute(&self, path: &[String]) -> Vec<String> {
        let module = &self.module[..];
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [module, &path[1..]].concat(),
            Some("super") => {
                let up = path.iter().take_while(|s| *s == "super").count();
                [&module[..module.len().saturating_sub(up)], &path[up..]].concat()
            }
            Some(first) if self.children.iter().any(|c| c == first) => [module, path].concat(),
            Some(first) => match self.imports.iter().find(|(n, p)| n == first && p.len() > 1) {
                Some((_, full)) if full.first().is_some_and(|f| f != first) => {
                    [&self.absolute(full)[..], &path[1..]].concat()
                }
                _ => path.to_vec(),
            },
            None => Vec::new(),
        }
    }
}

/// What `#[tunable]` or `#[tunable(nonlinear)]` says, also inside `cfg_attr`.
pub(super) fn mode(attrs: &[Attribute]) -> Mode {
    let says = |attr: &Attribute| {
        let mut text = attr.meta.to_token_stream().to_string();
        text.retain(|c| !c.is_whitespace());
        text.contains("tunable(nonlinear)")
    };
    Mode::of(attrs.iter().any(says))
}

/// An impl block with nothing but its marked methods, if it has any.
fn marked_methods(block: &ItemImpl) -> Option<ItemImpl> {
    let mut block = block.clone();
    block
        .items
        .retain(|member| matches!(member, ImplItem::Fn(f) if has_attribute(&f.attrs, "tunable")));
    (!block.items.is_empty()).then_some(block)
}

/// Lets the functions in `replaced(…)` call the others, with their arguments.
fn replace(item: &mut Item, replaced: &[(Ident, Ident)]) {
    let call = |sig: &mut Signature| {
        let (_, other) = replaced.iter().find(|(from, _)| *from == sig.ident)?;
        let other = Ident::new(&other.to_string(), sig.ident.span());
        let arguments = arguments(sig);
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

/// The arguments of a function as it may pass them on, renamed.
fn arguments(sig: &mut Signature) -> Vec<Ident> {
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
