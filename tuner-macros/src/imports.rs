//! Names: what the twin must import, and where a path of a body leads.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Item, Path};

use crate::world::{self, World};

/// `use` items that make the twin's names win over production's, for the
/// names in `used`. An explicit import beats the glob of the parent module.
///
/// `own`: whether the unit's other traced items come from modules of their
/// own, as they do for marked items; those in `here` are the module's own.
pub(crate) fn imports(
    world: &World,
    unit: usize,
    used: &HashSet<String>,
    own: bool,
    here: &[String],
) -> TokenStream {
    let mut lines = BTreeSet::new();
    let from = &world.units[unit];
    for name in used {
        if here.contains(name) {
            continue;
        }
        if world.defines(unit, name) {
            if own {
                let (module, name) = (format_ident!("__traced_{name}"), format_ident!("{name}"));
                lines.insert(quote!(use super::#module::#name;).to_string());
            }
            continue;
        }
        for (brought, path) in &from.imports {
            let path = absolute(from, path);
            let target = if brought == "*" {
                world
                    .unit_of(&path)
                    .filter(|&u| world.defines(u, name))
                    .map(|u| (u, name.clone()))
            } else if brought == name {
                path.split_last().and_then(|(last, module)| {
                    let u = world.unit_of(module).filter(|&u| world.defines(u, last))?;
                    Some((u, last.clone()))
                })
            } else {
                None
            };
            if let Some((target, original)) = target {
                let module = traced_module(world, target);
                let (original, name) = (format_ident!("{original}"), format_ident!("{name}"));
                lines.insert(quote!(use #module::#original as #name;).to_string());
            }
        }
    }
    for (other, unit_of_trait) in world.units.iter().enumerate() {
        for (index, item) in unit_of_trait.items.iter().enumerate() {
            if has_extension(world, other, item) {
                let name = extension(index);
                if other != unit {
                    let module = traced_module(world, other);
                    lines.insert(quote!(use #module::#name as _;).to_string());
                } else if own {
                    let module = format_ident!("__traced_impl_{index}");
                    lines.insert(quote!(use super::#module::#name as _;).to_string());
                }
            }
        }
    }
    lines
        .iter()
        .filter_map(|line| line.parse::<TokenStream>().ok())
        .collect()
}

/// `crate::eval::__traced`.
pub(crate) fn traced_module(world: &World, unit: usize) -> TokenStream {
    let module = world.units[unit]
        .module
        .iter()
        .map(|m| format_ident!("{m}"));
    quote!(crate #(:: #module)* :: __traced)
}

/// The trait through which methods of production's types have twins.
pub(crate) fn extension(item: usize) -> proc_macro2::Ident {
    format_ident!("__Traced{item}")
}

/// Whether an impl block's twin is a trait of its own.
pub(crate) fn has_extension(world: &World, unit: usize, item: &Item) -> bool {
    let Item::Impl(block) = item else {
        return false;
    };
    block.items.iter().any(|member| {
        let syn::ImplItem::Fn(f) = member else {
            return false;
        };
        let found = world.function_at(unit, world::place(f.sig.ident.span()));
        found.is_some_and(|f| world.is_renamed(f) && !world.functions[f].lone)
    })
}

/// The path from the crate's root, without `crate`; unchanged if it leads out.
fn absolute(unit: &world::Unit, path: &[String]) -> Vec<String> {
    let mut module = unit.module.clone();
    match path.first().map(String::as_str) {
        Some("crate") => path[1..].to_vec(),
        Some("self") => module
            .into_iter()
            .chain(path[1..].iter().cloned())
            .collect(),
        Some("super") => {
            let up = path.iter().take_while(|s| *s == "super").count();
            module.truncate(module.len().saturating_sub(up));
            module
                .into_iter()
                .chain(path[up..].iter().cloned())
                .collect()
        }
        Some(first) if unit.children.iter().any(|c| c == first) => {
            module.into_iter().chain(path.iter().cloned()).collect()
        }
        Some(first) => match unit.imports.iter().find(|(n, p)| n == first && p.len() > 1) {
            Some((_, full)) if full.first().is_some_and(|f| f != first) => {
                let mut full = absolute(unit, full);
                full.extend(path[1..].iter().cloned());
                full
            }
            _ => path.to_vec(),
        },
        None => Vec::new(),
    }
}

/// Rewrites the paths of a body that stands one module deeper than before.
pub(crate) struct Paths<'w> {
    pub(crate) world: &'w World,
    pub(crate) unit: usize,
}

impl VisitMut for Paths<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() || path.segments.len() < 2 {
            return;
        }
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        let full = absolute(&self.world.units[self.unit], &names);
        let relative = matches!(names[0].as_str(), "self" | "super");
        let found = (0..full.len()).rev().find_map(|split| {
            let unit = self.world.unit_of(&full[..split])?;
            self.world
                .defines(unit, &full[split])
                .then_some((unit, split))
        });
        let (prefix, rest) = match found {
            Some((unit, split)) => (traced_module(self.world, unit), full.len() - split),
            None if relative => (quote!(crate), full.len()),
            None => return,
        };
        // The last segments keep their generic arguments.
        let kept: Vec<_> = path
            .segments
            .iter()
            .rev()
            .take(rest)
            .rev()
            .cloned()
            .collect();
        if kept.len() == rest
            && let Ok(new) = syn::parse2(quote!(#prefix #(:: #kept)*))
        {
            *path = new;
        } else if let Ok(new) = {
            let rest = full[full.len() - rest..]
                .iter()
                .map(|s| format_ident!("{s}"));
            syn::parse2(quote!(#prefix #(:: #rest)*))
        } {
            *path = new;
        }
    }
}
