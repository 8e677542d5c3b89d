//! The entry points: production first, untouched, then the twin.

mod inline;
mod lone;
mod marked;
mod whole;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Item;

pub(crate) use whole::file;

use crate::args;
use crate::declared;
use crate::diag::{self, Extent, Mistake};
use crate::hatches;
use crate::refuse;
use crate::source;
use crate::tree::Text;
use crate::twin::Twin;
use crate::world::{self, Unit, World};

/// A crate as last read: an expansion of the same crate need not analyse it again.
struct Known {
    texts: Vec<Text>,
    world: World,
}

impl Known {
    fn read(file: &Path) -> Self {
        source::forced(|| {
            let texts = source::texts(file);
            let world = World::read(&texts);
            Self { texts, world }
        })
    }

    /// Whether the file is one of the crate's, and none has changed since.
    fn is_of(&self, file: &Path) -> bool {
        let wanted = file.canonicalize().ok();
        self.texts
            .iter()
            .any(|(path, ..)| path.canonicalize().ok() == wanted)
            && self
                .texts
                .iter()
                .all(|(path, _, text)| fs::read_to_string(path).is_ok_and(|now| now == *text))
    }
}

thread_local! {
    static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// Runs `f` on the world of the crate that `file` belongs to.
fn with_world<R>(file: &Path, f: impl FnOnce(&mut World) -> R) -> R {
    LAST.with_borrow_mut(|last| {
        let known = last.take().filter(|known| known.is_of(file));
        let known = last.insert(known.unwrap_or_else(|| Known::read(file)));
        f(&mut known.world)
    })
}

/// The file that the macro stands in; editors' servers may know none.
fn this_file() -> Option<PathBuf> {
    Span::call_site().local_file()
}

/// Whether a unit stands in this file. A place is a line and a column, which
/// items of several files can share.
fn is_in(world: &World, unit: &Unit, file: &Path) -> bool {
    let path = &world.files[unit.file].path;
    path == file || path.canonicalize().ok() == file.canonicalize().ok()
}

/// `#[tunable]`.
pub(crate) fn attribute(args: TokenStream, input: TokenStream) -> TokenStream {
    let Ok(item) = syn::parse2::<Item>(input.clone()) else {
        let mistake = Mistake::new(Extent::here(), refuse::NO_TUNABLE_ITEM);
        return with_errors(input, &diag::compile_errors(&[mistake]));
    };
    // Which mode it is, the world has read in the file.
    let has_bodies = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Mod(_));
    if let Err(error) = args::mode(args, has_bodies) {
        return with_errors(input, &diag::compile_errors(&[error]));
    }
    match &item {
        Item::Mod(module) if module.content.is_none() => {
            let mistake = Mistake::new(module.ident.span(), refuse::FILE_MODULE);
            return with_errors(input, &diag::compile_errors(&[mistake]));
        }
        Item::Const(_)
        | Item::Fn(_)
        | Item::Impl(_)
        | Item::Mod(_)
        | Item::Static(_)
        | Item::Struct(_) => {}
        other => {
            let mistake = Mistake::new(Extent::of(other), refuse::NO_TUNABLE_ITEM);
            return with_errors(input, &diag::compile_errors(&[mistake]));
        }
    }
    let Some(file) = this_file() else {
        return input;
    };
    let input = hatches::production(&item).unwrap_or(input);
    with_world(&file, |world| match item {
        Item::Mod(module) => inline::inline_module(world, &file, &input, &module),
        item => marked::marked_item(world, &file, input, &item),
    })
}

fn with_errors(mut input: TokenStream, errors: &TokenStream) -> TokenStream {
    input.extend(errors.clone());
    input
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

/// `registry!()`.
pub(crate) fn registry(args: TokenStream) -> TokenStream {
    if let Err(error) = args::none("registry", args) {
        return diag::compile_errors(&[error]);
    }
    let Some(file) = this_file() else {
        return quote!(&::tuner_core::trace::Registry { parameters: &[] });
    };
    let (text, is_empty) = with_world(&file, |world| {
        let is_empty = world.constants.iter().all(|c| c.leaves.leaves.is_empty());
        let text = source::forced(|| declared::expression(world).to_string());
        (text, is_empty && world.unread.is_empty())
    });
    if is_empty {
        let mistake = Mistake::new(Extent::here(), refuse::EMPTY_REGISTRY);
        return diag::compile_errors(&[mistake]);
    }
    text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        diag::compile_error(Extent::here(), &error.to_string())
    })
}

/// `#[frozen]`: the item as it is.
pub(crate) fn frozen(args: TokenStream, item: TokenStream) -> TokenStream {
    match args::none("frozen", args) {
        Ok(()) => item,
        Err(error) => with_errors(item, &diag::compile_errors(&[error])),
    }
}
