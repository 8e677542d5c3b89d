//! The entry points: production first, untouched, then the twin.

use std::cell::RefCell;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::VisitMut;
use syn::{FnArg, Item};

use crate::args;
use crate::declared;
use crate::diag::{self, Mistake};
use crate::imports::{self, Paths};
use crate::refuse;
use crate::source;
use crate::twin::{self, Twin};
use crate::walk::Walk;
use crate::world::{self, World};

thread_local! {
    /// The crate as last read, with the hash of its files' texts: an
    /// expansion of the same crate need not analyse it again.
    static LAST: RefCell<Option<(u64, World)>> = const { RefCell::new(None) };
}

/// Runs `f` on the world of the crate that `file` belongs to.
fn with_world<R>(file: &Path, f: impl FnOnce(&mut World) -> R) -> R {
    let mut hasher = DefaultHasher::new();
    source::texts(file).hash(&mut hasher);
    let key = hasher.finish();
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|(known, _)| *known != key) {
            *last = Some((key, source::forced(|| World::read(file))));
        }
        match last {
            Some((_, world)) => f(world),
            None => f(&mut World::default()),
        }
    })
}

/// The file that the macro stands in; editors' servers may know none.
fn this_file() -> Option<PathBuf> {
    Span::call_site().local_file()
}

/// `#[tunable]`.
pub(crate) fn attribute(args: TokenStream, input: TokenStream) -> TokenStream {
    if let Err(error) = args::none("tunable", args) {
        return with_errors(input, &error.into_compile_error());
    }
    let item: Item = match syn::parse2(input.clone()) {
        Ok(item) => item,
        Err(_) => {
            return with_errors(
                input,
                &diag::compile_error(Span::call_site(), refuse::NO_TUNABLE_ITEM),
            );
        }
    };
    match &item {
        Item::Mod(module) if module.content.is_none() => {
            let error = diag::compile_error(module.ident.span(), refuse::FILE_MODULE);
            return with_errors(input, &error);
        }
        Item::Const(_)
        | Item::Fn(_)
        | Item::Impl(_)
        | Item::Mod(_)
        | Item::Static(_)
        | Item::Struct(_) => {}
        other => {
            let error = diag::compile_error(twin::span_of(other), refuse::NO_TUNABLE_ITEM);
            return with_errors(input, &error);
        }
    }
    let Some(file) = this_file() else {
        return input;
    };
    with_world(&file, |world| match item {
        Item::Mod(module) => inline_module(world, &input, module),
        item => marked_item(world, input, &item),
    })
}

fn with_errors(mut input: TokenStream, errors: &TokenStream) -> TokenStream {
    input.extend(errors.clone());
    input
}

/// The twin of a whole inline module stands inside it.
fn inline_module(world: &mut World, input: &TokenStream, module: syn::ItemMod) -> TokenStream {
    let Some((_, items)) = &module.content else {
        return input.clone();
    };
    let first = items.iter().map(world::place_of).collect::<Vec<_>>();
    let unit = world.units.iter().position(|unit| {
        unit.whole
            && unit.module.last().is_some_and(|m| module.ident == m)
            && unit
                .items
                .iter()
                .any(|item| first.contains(&world::place_of(item)))
    });
    let Some(unit) = unit else {
        return input.clone();
    };
    let mut twin = Twin {
        world,
        unit,
        mistakes: Vec::new(),
    };
    let twins = traced_items(&mut twin, items);
    let mistakes = std::mem::take(&mut twin.mistakes);
    let errors = diag::compile_errors(&mistakes);
    let traced = if mistakes.is_empty() {
        twin::module(world, unit, "__traced", &twins, false, &[])
    } else {
        TokenStream::new()
    };
    let (attrs, vis, ident) = (&module.attrs, &module.vis, &module.ident);
    let items = items.iter().map(|item| strip(item));
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#items)*
            #traced
            #errors
        }
    }
}

/// Items of a traced inline module may carry the attribute as well.
fn strip(item: &Item) -> TokenStream {
    let mut item = item.clone();
    let attrs = match &mut item {
        Item::Const(i) => &mut i.attrs,
        Item::Fn(i) => &mut i.attrs,
        Item::Impl(i) => &mut i.attrs,
        Item::Static(i) => &mut i.attrs,
        Item::Struct(i) => &mut i.attrs,
        _ => return item.into_token_stream(),
    };
    attrs.retain(|attr| {
        !attr
            .path()
            .segments
            .last()
            .is_some_and(|s| s.ident == "tunable")
    });
    item.into_token_stream()
}

/// Twins of the unit's items among `items`, in the unit's numbering.
fn traced_items(twin: &mut Twin<'_>, items: &[Item]) -> TokenStream {
    let places: Vec<_> = twin.world.units[twin.unit]
        .items
        .iter()
        .map(world::place_of)
        .collect();
    let mut all = TokenStream::new();
    for item in items {
        let place = world::place_of(item);
        if let Some(index) = places.iter().position(|p| *p == place) {
            all.extend(twin.item(item, index));
        }
    }
    all
}

/// The twin of a marked item stands in a module of its own beside it; the
/// first marked item of a module brings the module that gathers them.
fn marked_item(world: &mut World, mut input: TokenStream, item: &Item) -> TokenStream {
    let place = world::place_of(item);
    let unit = world
        .units
        .iter()
        .position(|unit| unit.items.iter().any(|known| same_item(known, item, place)));
    let Some(unit) = unit else {
        let lone = lone_method(world, item);
        return match lone {
            Some(tokens) => with_errors(input, &tokens),
            None => {
                let text = "`#[tunable]` did not find this item in its file; an item that another \
                    macro writes has no twin: write it out";
                with_errors(
                    input,
                    &unread(world).unwrap_or_else(|| diag::compile_error(Span::call_site(), text)),
                )
            }
        };
    };
    if world.units[unit].whole {
        return input;
    }
    let index = world.units[unit]
        .items
        .iter()
        .position(|known| same_item(known, item, place));
    let index = index.unwrap_or_default();
    let mut twin = Twin {
        world,
        unit,
        mistakes: Vec::new(),
    };
    let body = twin.item(item, index);
    let mistakes = std::mem::take(&mut twin.mistakes);
    if mistakes.is_empty() {
        let here: Vec<String> = world::name_of(item).into_iter().collect();
        let name = module_name(item, index);
        input.extend(twin::module(world, unit, &name, &body, true, &here));
    }
    input.extend(diag::compile_errors(&mistakes));
    if index == 0 {
        input.extend(gathering(world, unit));
    }
    input
}

fn unread(world: &World) -> Option<TokenStream> {
    let error = world.unread.first()?;
    Some(diag::compile_error(Span::call_site(), error))
}

fn same_item(known: &Item, item: &Item, place: (usize, usize)) -> bool {
    world::place_of(known) == place && world::name_of(known) == world::name_of(item)
}

fn module_name(item: &Item, index: usize) -> String {
    match world::name_of(item) {
        Some(name) => format!("__traced_{name}"),
        None => format!("__traced_impl_{index}"),
    }
}

/// `mod __traced`, which names every twin of a unit of marked items.
fn gathering(world: &World, unit: usize) -> TokenStream {
    let mut lines = TokenStream::new();
    for (index, item) in world.units[unit].items.iter().enumerate() {
        let module = format_ident!("{}", module_name_of(item, index));
        match world::name_of(item) {
            Some(name) if world.defines(unit, &name) => {
                let name = format_ident!("{name}");
                lines.extend(quote!(pub use super::#module::#name;));
            }
            None if imports::has_extension(world, unit, item) => {
                let name = imports::extension(index);
                lines.extend(quote!(pub use super::#module::#name;));
            }
            _ => {}
        }
    }
    let silence = twin::silence();
    quote! {
        #[cfg(feature = "tune")]
        #[doc(hidden)]
        #silence
        pub mod __traced {
            pub use super::*;
            #lines
        }
    }
}

fn module_name_of(item: &Item, index: usize) -> String {
    module_name(item, index)
}

/// A marked method of an unmarked impl block: its twin stands beside it,
/// under another name, and imports what it needs in its body.
fn lone_method(world: &mut World, item: &Item) -> Option<TokenStream> {
    let Item::Fn(item) = item else { return None };
    let place = world::place(item.sig.ident.span());
    let found = world
        .functions
        .iter()
        .position(|f| f.lone && f.place == place && item.sig.ident == f.name)?;
    let (unit, owner) = (
        world.functions[found].unit,
        world.functions[found].owner.clone(),
    );
    if !world.is_renamed(found) {
        let span = item.sig.ident.span();
        let text = if world.functions[found].operator {
            "a method of an operator has no twin of its own; annotate its impl block with `#[tunable]`"
        } else {
            "no weight reaches this method; annotate its impl block with `#[tunable]`, or leave it as it is"
        };
        return Some(diag::compile_error(span, text));
    }
    let mut item = item.clone();
    let mut walk = Walk::new(world, unit, owner, true);
    walk.body(Some(found), &mut item.sig, &mut item.block);
    let mistakes = walk.into_mistakes();
    if !mistakes.is_empty() {
        return Some(diag::compile_errors(&mistakes));
    }
    item.attrs = twin::kept(&item.attrs);
    item.vis = twin::public();
    item.sig.ident = format_ident!("__traced_{}", item.sig.ident);
    Paths { world, unit }.visit_item_fn_mut(&mut item);
    // Unqualified names of the signature resolve in production's module.
    let mut qualify = Qualify { world, unit };
    for arg in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = arg {
            qualify.visit_type_mut(&mut arg.ty);
        }
    }
    qualify.visit_return_type_mut(&mut item.sig.output);
    let mut used = HashSet::new();
    world::identifiers(item.block.to_token_stream(), &mut used);
    let module = imports::traced_module(world, unit);
    let own = used
        .iter()
        .filter(|name| world.defines(unit, name))
        .map(|name| {
            let name = format_ident!("{name}");
            quote!(use #module::#name;)
        });
    let mut own: TokenStream = own.collect();
    for (index, item) in world.units[unit].items.iter().enumerate() {
        if imports::has_extension(world, unit, item) {
            let name = imports::extension(index);
            own.extend(quote!(use #module::#name as _;));
        }
    }
    let others = imports::imports(world, unit, &used, false, &[]);
    let statements = &item.block.stmts;
    let (attrs, vis, sig) = (&item.attrs, &item.vis, &item.sig);
    let silence = twin::silence();
    Some(quote! {
        #(#attrs)*
        #[cfg(feature = "tune")]
        #[doc(hidden)]
        #silence
        #vis #sig {
            #own
            #others
            #(#statements)*
        }
    })
}

/// Writes the twin's structs by their full path.
struct Qualify<'w> {
    world: &'w World,
    unit: usize,
}

impl VisitMut for Qualify<'_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        syn::visit_mut::visit_type_path_mut(self, ty);
        let Some(name) = ty.path.get_ident().map(ToString::to_string) else {
            return;
        };
        let Some(index) = self
            .world
            .structure(&name)
            .filter(|_| self.world.is_copied(&name))
        else {
            return;
        };
        let unit = self.world.structs[index].unit;
        let _ = self.unit;
        let (module, name) = (
            imports::traced_module(self.world, unit),
            format_ident!("{name}"),
        );
        if let Ok(path) = syn::parse2(quote!(#module::#name)) {
            ty.path = path;
        }
    }
}

/// `traced!()`.
pub(crate) fn file(args: TokenStream) -> TokenStream {
    if let Err(error) = syn::parse2::<args::Args>(args) {
        return error.into_compile_error();
    }
    let Some(file) = this_file() else {
        return TokenStream::new();
    };
    let line = Span::call_site().start().line;
    let text = with_world(&file, |world| {
        source::forced(|| whole_file(world, &file, line))
    });
    match text {
        Ok(text) => text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
            diag::compile_error(
                Span::call_site(),
                &format!("the twin does not parse: {error}"),
            )
        }),
        Err(messages) => messages
            .iter()
            .map(|m| diag::compile_error(Span::call_site(), m))
            .collect(),
    }
}

fn whole_file(world: &mut World, file: &Path, line: usize) -> Result<String, Vec<String>> {
    let same = |path: &Path| path == file || path.canonicalize().ok() == file.canonicalize().ok();
    let unit = world.units.iter().position(|unit| {
        same(&world.files[unit.file].path) && unit.traced_at.is_some_and(|at| at.0 == line)
    });
    let Some(unit) = unit else {
        if world.unread.is_empty() {
            // A file without items that could be traced.
            return Ok(
                "#[cfg(feature = \"tune\")] #[doc(hidden)] pub mod __traced { pub use super::*; }"
                    .to_owned(),
            );
        }
        return Err(world.unread.clone());
    };
    let items = std::mem::take(&mut world.units[unit].items);
    world.units[unit].items.clone_from(&items);
    let mut twin = Twin {
        world,
        unit,
        mistakes: Vec::new(),
    };
    let body = traced_items(&mut twin, &items);
    let mut mistakes: Vec<Mistake> = std::mem::take(&mut twin.mistakes);
    mistakes.sort_by_key(|m| world::place(m.span));
    if !mistakes.is_empty() {
        let name = &world.files[world.units[unit].file].name;
        return Err(mistakes.iter().map(|m| m.placed(name)).collect());
    }
    Ok(twin::module(world, unit, "__traced", &body, false, &[]).to_string())
}

/// `registry!()`.
pub(crate) fn registry(args: TokenStream) -> TokenStream {
    if let Err(error) = args::none("registry", args) {
        return error.into_compile_error();
    }
    let Some(file) = this_file() else {
        return quote!(&::tuner_core::trace::Registry { parameters: &[] });
    };
    let text = with_world(&file, |world| {
        source::forced(|| declared::expression(world).to_string())
    });
    text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        diag::compile_error(Span::call_site(), &error.to_string())
    })
}

/// `#[frozen]`: the item as it is.
pub(crate) fn frozen(args: TokenStream, item: TokenStream) -> TokenStream {
    match args::none("frozen", args) {
        Ok(()) => item,
        Err(error) => with_errors(item, &error.into_compile_error()),
    }
}
