//! `registry!()`: the weights of a crate as a constant.

use proc_macro2::TokenStream;
use quote::quote;

use crate::infer::Facts;

/// The expression `&Registry { … }`, with one `Declared` for each parameter: a table of weights, or
/// each table of a struct of several. Lines and columns count from 1.
pub(crate) fn expression(facts: &Facts) -> TokenStream {
    // Pairs of a const or static and one of the groups of weights in it, each of which is a
    // parameter.
    let declared = (facts.weights())
        .flat_map(|c| c.groups.iter().map(move |group| (c, group)))
        .map(|(c, group)| {
            let unit = &facts.units[c.unit];
            let module = std::iter::once("crate".to_owned()).chain(unit.module.iter().cloned());
            let module = module.collect::<Vec<_>>().join("::");
            let file = &facts.files[unit.file].name;
            let (line, column) = (c.location.0 as u32, c.location.1 as u32 + 1);
            let name = c.name.trim_start_matches("r#").to_owned() + &group.suffix;
            let (lanes, places) = (group.lanes, &group.places);
            let first = c.first + group.first as u32;
            let dims = &group.dims;
            let values = c.leaves.values().skip(group.first).take(group.count);
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
                    places: &[#(#places),*],
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
