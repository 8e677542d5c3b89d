//! Writes the twin of an item.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse_quote;
use syn::visit_mut::VisitMut;
use syn::{Block, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, ItemStruct, Signature, Visibility};

use super::imports::{self, Paths};
use super::module::{conditions_and_derives, of_function, public};
use super::operators::derived;
use super::rewrite::Rewrite;
use super::scored::scored_block;
use super::types;
use crate::infer::Facts;
use crate::infer::check::{BodyVerdict, Verdict};
use crate::model::shape::Shape;
use crate::model::{
    attributes, conditions, is_operator, last_name, names_of, number_arguments, restore, table,
    type_name,
};

/// Writes twins of items of one unit.
#[derive(Clone, Copy)]
pub(crate) struct Twin<'f> {
    pub(crate) facts: &'f Facts,
    pub(crate) unit: usize,
}

impl Twin<'_> {
    /// The twin of an item; empty if it has none. `index`: the number of the item in its unit, the
    /// annotated module; `verdict`: what inference says that its bodies have different. The copy of
    /// a struct comes with the impls of `HasTwin`, of `Debug` and of derived operators that it
    /// needs.
    pub(crate) fn item(self, item: &Item, index: usize, mut verdict: Verdict) -> TokenStream {
        let Self { facts, unit } = self;
        let mut twin = match item {
            Item::Const(_) | Item::Static(_) => {
                return self.table(item, verdict).unwrap_or_default();
            }
            Item::Fn(item) => {
                let mut item = item.clone();
                let function = facts.function_of(unit, &item.sig);
                let Some((function, body)) = take(&mut verdict, function) else {
                    return TokenStream::new();
                };
                self.function(function, body, &mut item.sig, &mut item.block);
                item.attrs = of_function(&item.attrs);
                item.vis = public();
                Item::Fn(item)
            }
            Item::Struct(item) if facts.is_copied(&item.ident.to_string()) => {
                Item::Struct(self.structure(item))
            }
            Item::Type(item) if facts.defines(unit, &item.ident.to_string()) => {
                let mut item = item.clone();
                item.attrs = conditions(&item.attrs);
                item.vis = public();
                Item::Type(item)
            }
            Item::Impl(block) => return self.block(block, index, verdict),
            Item::Macro(call) if facts.writes_for_twins(&call.mac) => Item::Macro(call.clone()),
            _ => return TokenStream::new(),
        };
        Paths { facts, unit }.visit_item_mut(&mut twin);
        let (Item::Struct(production), Item::Struct(copy)) = (item, &twin) else {
            return twin.into_token_stream();
        };
        let (way, shown, derived) = (self.way(copy), shown(copy), derived(production, copy));
        quote!(#twin #way #shown #derived)
    }

    /// The impl of `HasTwin` by which a struct leads to its copy, `<Struct as HasTwin>::Twin`.
    /// `None` if every annotated module can name the copy by a path, or the struct is generic.
    fn way(self, copy: &ItemStruct) -> Option<TokenStream> {
        let (name, attrs) = (&copy.ident, conditions(&copy.attrs));
        let is_needed = self.facts.is_found_by_type(&name.to_string());
        (is_needed && copy.generics.params.is_empty()).then(|| {
            quote! {
                #(#attrs)*
                impl ::tuner_core::trace::HasTwin for super::#name { type Twin = #name; }
            }
        })
    }

    /// Turns a function, of which `sig` and `block` are copies, into its twin: the edits of
    /// `verdict` are applied, and scores in its signature get the type `Tr<…>`. `function`: the
    /// number of its body; an operator that takes a score instead of a number has a second body
    /// with a number of its own. If something is wrong with the function, or it names a weight
    /// whose initialiser is refused, its body becomes an endless loop, so that callers compile.
    pub(crate) fn function(
        self,
        function: usize,
        verdict: BodyVerdict,
        sig: &mut Signature,
        block: &mut Block,
    ) {
        let facts = self.facts;
        let mut rewrite = Rewrite::new(facts, self.unit, verdict.edits);
        rewrite.visit_signature_mut(sig);
        rewrite.visit_block_mut(block);
        let body = &facts.bodies[function];
        // The types of the arguments other than `self`, in the order of the body's shapes.
        let typed = sig.inputs.iter_mut().filter_map(|arg| match arg {
            FnArg::Typed(arg) => Some(&mut arg.ty),
            FnArg::Receiver(_) => None,
        });
        let mut of_parameters: Vec<(String, &Shape)> = Vec::new();
        for (ty, shape) in typed.zip(&body.params) {
            of_parameters.extend(type_name(ty).map(|name| (name, shape)));
            types::trace(&facts.types, ty, shape);
        }
        types::trace_output(&facts.types, &mut sig.output, &body.returned);
        // Type parameters and their bounds, by the arguments that are of these types.
        self.generics(sig, block, &of_parameters);
        if verdict.refused || !names_of(block).is_disjoint(&facts.refused) {
            // Callers need only the signature, so that one mistake is one message.
            *block = parse_quote!({ loop {} });
        }
        // Operators of a traced number are not const, so functions with arithmetic are not either.
        if body.arithmetic {
            sig.constness = None;
        }
    }

    /// Rewrites the bounds and types of a generic function as they are in the twin: what a closure
    /// `F: Fn() -> i32` returns is traced where it is a score, and `Tr<T>` becomes `T`, which may
    /// itself be a traced number. `given`: for each argument whose type has a name, this name and
    /// the argument's shape, which says what in it is a score.
    fn generics(self, sig: &mut Signature, block: &mut Block, given: &[(String, &Shape)]) {
        let types = &self.facts.types;
        let generics = &mut sig.generics;
        let names = generics.type_params().map(|p| p.ident.to_string());
        let names: HashSet<String> = names.collect();
        if names.is_empty() {
            return;
        }
        // Bounds in the angle brackets, then those of the same parameter in the `where` clause.
        for (name, shape) in given {
            for parameter in generics.type_params_mut().filter(|p| p.ident == name) {
                types::trace_bounds(types, &mut parameter.bounds, shape);
            }
            let bounds = generics.where_clause.iter_mut();
            for predicate in bounds.flat_map(|clause| &mut clause.predicates) {
                if let syn::WherePredicate::Type(of) = predicate
                    && type_name(&of.bounded_ty).as_ref() == Some(name)
                {
                    types::trace_bounds(types, &mut of.bounds, shape);
                }
            }
        }
        let mut parameters = types::Parameters(names);
        parameters.visit_signature_mut(sig);
        parameters.visit_block_mut(block);
    }

    /// The twin of a const or static: a const or static with handles of weights, or a function if
    /// it is computed from weights, or by a `LazyLock` or the like in production. `None` if it has
    /// no twin.
    fn table(self, item: &Item, verdict: Verdict) -> Option<TokenStream> {
        let (Self { facts, unit }, ident) = (self, table(item)?.0);
        let constant = facts.constant(unit, &ident.to_string())?;
        let of = verdict.value?;
        let (mut ty, mut expr, edits) = (of.ty, of.expr, of.edits);
        if !edits.is_empty() {
            Rewrite::new(facts, unit, edits).visit_expr_mut(&mut expr);
        }
        types::trace(&facts.types, &mut ty, &constant.shape);
        let mut paths = Paths { facts, unit };
        paths.visit_type_mut(&mut ty);
        paths.visit_expr_mut(&mut expr);
        // In `expr` entries that differ only in their numbers are there once; `restore` writes all
        // entries as these few are written. It was found before that it can.
        let value = match of.entries {
            Some((all, first)) => restore(&all, &expr, first)?.parse().ok()?,
            None => expr.into_token_stream(),
        };
        let attrs = conditions(attributes(item));
        Some(match item {
            _ if facts.is_derived(constant) => quote! {
                #(#attrs)*
                pub fn #ident() -> &'static #ty {
                    ::tuner_core::trace::derived(|| -> #ty { #value })
                }
            },
            // Nothing writes to the twin of a `static mut`: weights do not change through it.
            Item::Static(_) => quote!(#(#attrs)* pub static #ident: #ty = #value;),
            _ => quote!(#(#attrs)* pub const #ident: #ty = #value;),
        })
    }

    /// The twin's copy of a struct, in which fields that are scores have the type `Tr<…>`; all is
    /// public.
    fn structure(self, item: &ItemStruct) -> ItemStruct {
        let mut item = item.clone();
        let shapes = self.facts.fields_of(&item.ident.to_string());
        item.attrs = conditions_and_derives(&item.attrs);
        item.vis = public();
        for (position, field) in item.fields.iter_mut().enumerate() {
            field.vis = public();
            field.attrs = conditions(&field.attrs);
            if let Some(shape) = shapes.get(position) {
                types::trace(&self.facts.types, &mut field.ty, shape);
            }
        }
        item
    }

    /// The twin of an impl block, whose number in its unit (the annotated module) is `index`. Of a
    /// struct with a copy, and of an operator, it is an impl block, with a second one behind it if
    /// the operator takes a score instead of a number. Else it is a trait of its own with an impl
    /// for production's type. Empty if nothing in the block has a twin. `verdict`: what was inferred
    /// of the bodies in the block, by number; a body that is not in it has no twin.
    fn block(self, block: &ItemImpl, index: usize, mut verdict: Verdict) -> TokenStream {
        let Self { facts, unit } = self;
        if !facts.has_twin_block(block) {
            return TokenStream::new();
        }
        let copied = type_name(&block.self_ty).is_some_and(|owner| facts.is_copied(&owner));
        let operator = is_operator(block);
        // First the twins of the block's members, then the block around them.
        let mut methods = Vec::new();
        // The methods that take a score instead of a number, each with the side of the score.
        let mut scored = Vec::new();
        // Associated consts; types such as `Output` are added once all methods are known.
        let mut others = Vec::new();
        let mut types_of_trait = Vec::new();
        // The shapes of the first argument and of the result, of all methods.
        let (mut taken, mut returned) = (Shape::Plain, Shape::Plain);
        for member in &block.items {
            match member {
                ImplItem::Fn(production) => {
                    let function = facts.function_of(unit, &production.sig);
                    // A method without a twin is left out.
                    let Some((function, body)) = take(&mut verdict, function) else {
                        continue;
                    };
                    // The head of a conversion has what its methods take and give.
                    let found = &facts.bodies[function];
                    returned.join(&found.returned);
                    taken.join(found.params.first().unwrap_or(&Shape::Plain));
                    methods.push(self.method(function, body, production));
                    // An operator that takes a score instead of a number has a second body.
                    if let Some((function, body)) = take(&mut verdict, found.scored) {
                        let side = facts.function(function).number;
                        scored.push((self.method(function, body, production), side));
                    }
                }
                ImplItem::Const(c) if copied => others.push(self.associated(c, &mut verdict)),
                ImplItem::Type(t) if operator => types_of_trait.push(t.clone()),
                _ => {}
            }
        }
        // An operator without its method is no impl, whatever else its block has.
        if methods.is_empty() && (others.is_empty() || operator) {
            return TokenStream::new();
        }
        let twin = if copied || operator {
            if !operator {
                for f in &mut methods {
                    f.vis = public();
                }
            }
            // What an operator gives, and what `From` makes, may be a score.
            others.extend(types_of_trait.into_iter().map(|mut output| {
                types::trace(&facts.types, &mut output.ty, &returned);
                output.into_token_stream()
            }));
            // In `From<i32>` and the like the numbers of the head may be scores.
            let converted = self.conversion(block, &taken, &returned);
            let block = converted.as_ref().unwrap_or(block);
            let (generics, self_ty) = (&block.generics, &block.self_ty);
            let bounds = &block.generics.where_clause;
            let of = block.trait_.as_ref();
            let of = of.map(|(path, for_)| quote!(#path #for_));
            let scored = scored_block(facts, block, &others, &scored);
            let attrs = conditions(&block.attrs);
            quote!(#(#attrs)* impl #generics #of #self_ty #bounds { #(#others)* #(#methods)* } #scored)
        } else {
            // A trait of the twin for production's type.
            let twin = extension(block, index, &mut methods);
            let plain = self.plain_impls(block, index, &methods);
            quote!(#twin #plain)
        };
        let Ok(mut file) = syn::parse2::<syn::File>(twin) else {
            return TokenStream::new();
        };
        Paths { facts, unit }.visit_file_mut(&mut file);
        file.into_token_stream()
    }

    /// Impls of the trait that the twin of `block` declares, for those types whose own impls of the
    /// author's trait have no twin: a call in the twin may be on any of these types. Each method,
    /// `__traced_NAME`, calls production's and makes a traced number of what it returns. `methods`:
    /// those of the twin's trait; `index`: the number of the block among the items of its annotated
    /// module.
    fn plain_impls(self, block: &ItemImpl, index: usize, methods: &[ImplItemFn]) -> TokenStream {
        let Self { facts, unit } = self;
        let Some((of_trait, _)) = &block.trait_ else {
            return TokenStream::new();
        };
        let name = imports::extension(index);
        let file = &facts.files[facts.units[unit].file].name;
        let methods = methods.iter().filter_map(|f| {
            let called = f.sig.ident.to_string();
            let called = format_ident!("{}", called.strip_prefix("__traced_")?);
            let (mut sig, attrs) = (f.sig.clone(), &f.attrs);
            // The arguments get names by which they are passed on.
            let given = number_arguments(&mut sig);
            let number = quote!(<Self as #of_trait>::#called(#(#given),*));
            let place = format!("{file}:{}: `{called}`", f.sig.ident.span().start().line);
            Some(quote!(#(#attrs)* #sig { ::tuner_core::trace::lift_at(#number, #place) }))
        });
        let methods: Vec<TokenStream> = methods.collect();
        let types = facts.plain_types(unit, block).into_iter();
        let impls = types.map(|path| {
            let path = path.iter().map(|name| format_ident!("{name}"));
            quote!(impl #name for #(#path)::* { #(#methods)* })
        });
        impls.collect()
    }

    /// The block of a conversion, `impl From<Value> for i32`, `impl From<i32> for Value`, `impl
    /// Into<i32> for Value`, or of a sum or product, with `Tr<…>` around the numbers in its head
    /// that are scores. `taken`: the shape of what goes in, which says what in it is a score;
    /// `returned`: that of what comes out. `None` for another trait.
    fn conversion(self, block: &ItemImpl, taken: &Shape, returned: &Shape) -> Option<ItemImpl> {
        let types = &self.facts.types;
        let name = last_name(&block.trait_.as_ref()?.0);
        let mut block = block.clone();
        let path = &mut block.trait_.as_mut()?.0;
        let argument = types::argument(path.segments.last_mut()?)?;
        // `From` and the sums make the type of the block from their argument, `Into` the argument
        // from it.
        match name.as_str() {
            "From" | "Product" | "Sum" => {
                types::trace(types, argument, taken);
                types::trace(types, &mut block.self_ty, returned);
            }
            "Into" => types::trace(types, argument, returned),
            _ => return None,
        }
        Some(block)
    }

    /// The twin of a method, still under production's name. `function`: the number of its body;
    /// `body`: what inference says that the twin's body has different.
    fn method(self, function: usize, body: BodyVerdict, production: &ImplItemFn) -> ImplItemFn {
        let mut f = production.clone();
        self.function(function, body, &mut f.sig, &mut f.block);
        f.attrs = of_function(&f.attrs);
        f
    }

    /// The twin of a const of an impl block, with the edits that `verdict` has for its initialiser,
    /// and `Tr<…>` around the numbers in its type that are scores. A const that computes with
    /// scores becomes a function, as operators of traced numbers are not const.
    fn associated(self, c: &syn::ImplItemConst, verdict: &mut Verdict) -> TokenStream {
        let mut c = c.clone();
        let mut arithmetic = false;
        if let Some((body, judged)) = take(verdict, self.facts.associated_at(self.unit, &c)) {
            let of = &self.facts.bodies[body];
            arithmetic = of.arithmetic;
            types::trace(&self.facts.types, &mut c.ty, &of.returned);
            Rewrite::new(self.facts, self.unit, judged.edits).visit_expr_mut(&mut c.expr);
        }
        c.attrs = conditions(&c.attrs);
        c.vis = public();
        if arithmetic {
            let (attrs, name, ty, value) = (&c.attrs, &c.ident, &c.ty, &c.expr);
            quote!(#(#attrs)* pub fn #name() -> #ty { #value })
        } else {
            c.into_token_stream()
        }
    }
}

/// An impl of `Debug` for `copy`, the twin's copy of a struct, which writes the struct's name:
/// other copies that derive `Debug` may hold it, and production may have an impl written by hand,
/// which the copy does not get. `None` if the copy derives `Debug`.
fn shown(copy: &ItemStruct) -> Option<TokenStream> {
    let derives = |attr: &syn::Attribute| {
        let list = attr.meta.require_list();
        list.is_ok_and(|list| list.tokens.to_string().contains("Debug"))
    };
    if copy.attrs.iter().any(derives) {
        return None;
    }
    let (name, attrs) = (&copy.ident, conditions(&copy.attrs));
    let (impl_generics, type_generics, bounds) = copy.generics.split_for_impl();
    let text = name.to_string();
    Some(quote! {
        #(#attrs)*
        impl #impl_generics ::core::fmt::Debug for #name #type_generics #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(#text)
            }
        }
    })
}

/// Takes what inference says of one body out of `verdict`, which has it for all bodies of an item.
/// Returns it with `function`, the number of the body; `None` if that is `None` or the body has no
/// twin.
fn take(verdict: &mut Verdict, function: Option<usize>) -> Option<(usize, BodyVerdict)> {
    let function = function?;
    Some((function, verdict.bodies.remove(&function)?))
}

/// A trait of the twin with `methods`, which get the names `__traced_NAME`, and its impl for
/// production's type, which has no copy in the twin. `index`: the number of the block among the
/// items of its annotated module.
fn extension(block: &ItemImpl, index: usize, methods: &mut [ImplItemFn]) -> TokenStream {
    let name = imports::extension(index);
    let (impl_generics, type_generics, bounds) = block.generics.split_for_impl();
    let (self_ty, conditions) = (&block.self_ty, conditions(&block.attrs));
    let mut declared = Vec::new();
    for f in methods.iter_mut() {
        f.sig.ident = format_ident!("__traced_{}", f.sig.ident);
        f.vis = Visibility::Inherited;
        f.sig.constness = None;
        // A trait may declare arguments by names alone, not by patterns.
        let mut sig = f.sig.clone();
        number_arguments(&mut sig);
        // The method's attributes are already those that a twin can have.
        let attrs = &f.attrs;
        declared.push(quote!(#(#attrs)* #sig;));
    }
    let declared_generics = &block.generics;
    quote! {
        pub trait #name #declared_generics #bounds { #(#declared)* }
        #(#conditions)*
        impl #impl_generics #name #type_generics for #self_ty #bounds { #(#methods)* }
    }
}
