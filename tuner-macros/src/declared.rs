//! `registry!()`: the weights of a crate as a constant.

use proc_macro2::TokenStream;
use quote::quote;

use crate::world::World;

/// The expression `&Registry { … }`.
pub(crate) fn expression(world: &World) -> TokenStream {
    let declared = world
        .constants
        .iter()
        .filter(|c| !c.leaves.leaves.is_empty())
        .map(|c| {
            let unit = &world.units[c.unit];
            let module = std::iter::once("crate".to_owned()).chain(unit.module.iter().cloned());
            let module = module.collect::<Vec<_>>().join("::");
            let file = &world.files[unit.file].name;
            let (line, column) = (c.place.0 as u32, c.place.1 as u32 + 1);
            let (name, lanes, first) = (c.name.trim_start_matches("r#"), c.leaves.lanes(), c.first);
            let (dims, values) = (&c.leaves.dims, c.leaves.values());
            quote! {
                ::tuner_core::trace::Declared {
                    name: #name,
                    module: #module,
                    file: #file,
                    line: #line,
                    column: #column,
                    dims: &[#(#dims),*],
                    lanes: #lanes,
                    values: &[#(#values),*],
                    first: #first,
                }
            }
        });
    quote! {
        {
            const REGISTRY: &::tuner_core::trace::Registry =
                &::tuner_core::trace::Registry { parameters: &[#(#declared),*] };
            REGISTRY
        }
    }
}
