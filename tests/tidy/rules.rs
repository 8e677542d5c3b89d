//! What sources may not say. Each rule returns its complaints, one a place.

use syn::visit::{self, Visit};

use crate::source::Source;

/// Places at which one of some sequences of tokens stands.
pub fn without(source: &Source, sequences: &[&[&str]]) -> Vec<String> {
    sequences
        .iter()
        .flat_map(|sequence| {
            let words = sequence.concat();
            let name = &source.name;
            let lines = source.lines_of(sequence).into_iter();
            lines.map(move |line| format!("{name}:{line}: `{words}`"))
        })
        .collect()
}

/// Lines of code: neither blank nor comment.
pub fn lines_of_code(text: &str) -> usize {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// Words of a page, without code blocks.
pub fn words_of_prose(markdown: &str) -> usize {
    prose(markdown)
        .map(|(_, line)| line.split_whitespace().filter(|word| *word != "|").count())
        .sum()
}

/// Lines of prose that are longer than `most` characters, with their lengths;
/// neither code nor tables.
pub fn long_lines(markdown: &str, most: usize) -> Vec<(usize, usize)> {
    prose(markdown)
        .filter(|(_, line)| !line.trim_start().starts_with('|'))
        .map(|(number, line)| (number, line.chars().count()))
        .filter(|&(_, length)| length > most)
        .collect()
}

/// The numbered lines outside of code blocks.
pub fn prose(markdown: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    markdown
        .lines()
        .enumerate()
        .filter_map(move |(number, line)| {
            let is_fence = line.trim_start().starts_with("```");
            in_code ^= is_fence;
            (!in_code && !is_fence).then_some((number + 1, line))
        })
}

/// The tests and files that the table of invariants names in its last column.
pub fn keepers(architecture: &str) -> Vec<String> {
    let table = architecture
        .split_once("## Invariants")
        .map_or("", |(_, table)| table);
    table
        .lines()
        .filter_map(|line| line.trim_end().strip_suffix('|')?.rsplit_once('|'))
        .flat_map(|(_, kept_by)| kept_by.split('`').skip(1).step_by(2))
        .filter(|name| (name.contains('_') || name.contains('/')) && !name.contains('*'))
        .map(str::to_owned)
        .collect()
}

/// Public signatures that name a library or what is imported from it.
pub fn in_public(source: &Source, library: &str) -> Vec<String> {
    let file: syn::File =
        syn::parse2(source.stream()).unwrap_or_else(|error| panic!("{}: {error}", source.name));
    let mut imports = Imports {
        library,
        names: vec![library.to_owned()],
    };
    imports.visit_file(&file);
    let mut public = Public {
        names: &imports.names,
        found: Vec::new(),
    };
    public.visit_file(&file);
    let name = |item| format!("{}: `{item}` shows a type of {library}", source.name);
    public.found.into_iter().map(name).collect()
}

/// Collects what `use library::…` brings in.
struct Imports<'a> {
    library: &'a str,
    names: Vec<String>,
}

impl Visit<'_> for Imports<'_> {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        fn leaves(tree: &syn::UseTree, names: &mut Vec<String>) {
            match tree {
                syn::UseTree::Path(path) => leaves(&path.tree, names),
                syn::UseTree::Name(name) => names.push(name.ident.to_string()),
                syn::UseTree::Rename(name) => names.push(name.rename.to_string()),
                syn::UseTree::Group(group) => group.items.iter().for_each(|t| leaves(t, names)),
                syn::UseTree::Glob(_) => names.push("*".to_owned()),
            }
        }
        if let syn::UseTree::Path(path) = &item.tree
            && path.ident == self.library
        {
            leaves(&path.tree, &mut self.names);
        }
    }
}

/// Collects public items whose signature names one of some words.
struct Public<'a> {
    names: &'a [String],
    found: Vec<String>,
}

impl Public<'_> {
    fn look(&mut self, public: bool, name: &impl ToString, signature: &impl quote::ToTokens) {
        let source = Source::new("signature", &signature.to_token_stream().to_string());
        let named = |token: &crate::source::Token| self.names.contains(&token.text);
        if public && source.tokens.iter().any(named) {
            self.found.push(name.to_string());
        }
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

impl Visit<'_> for Public<'_> {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.look(is_public(&item.vis), &item.sig.ident, &item.sig);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.look(is_public(&item.vis), &item.sig.ident, &item.sig);
    }

    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        if is_public(&item.vis) {
            self.look(true, &item.ident, &item.generics);
            for field in &item.fields {
                self.look(is_public(&field.vis), &item.ident, &field.ty);
            }
        }
    }

    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        self.look(is_public(&item.vis), &item.ident, item);
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.look(is_public(&item.vis), &item.ident, item);
    }

    fn visit_item_type(&mut self, item: &syn::ItemType) {
        self.look(is_public(&item.vis), &item.ident, item);
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.look(is_public(&item.vis), &item.ident, &item.ty);
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.look(is_public(&item.vis), &"use", &item.tree);
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        if let Some((path, _)) = &item.trait_ {
            self.look(true, &"impl", path);
            self.look(true, &"impl", &item.self_ty);
            // The associated types of a trait are as public as the trait.
            for inner in &item.items {
                if let syn::ImplItem::Type(associated) = inner {
                    self.look(true, &associated.ident, &associated.ty);
                }
            }
        }
        visit::visit_item_impl(self, item);
    }
}

/// Functions that make an identity of something, and write a part of it as `Debug` does: in names
/// of the source, which change.
pub fn debugged_identities(source: &Source) -> Vec<String> {
    // Most sources have neither, and need not be parsed.
    if !makes_one(source) || !debugs(source) {
        return Vec::new();
    }
    let file: syn::File =
        syn::parse2(source.stream()).unwrap_or_else(|error| panic!("{}: {error}", source.name));
    let mut functions = Functions(Vec::new());
    functions.visit_file(&file);
    (functions.0.iter())
        .filter(|function| makes_one(function) && debugs(function))
        .map(|function| {
            let (file, name) = (&source.name, &function.name);
            format!(
                "{file}: `{name}` makes an identity and writes `{{:?}}`; write words of its own"
            )
        })
        .collect()
}

fn makes_one(function: &Source) -> bool {
    let words = ["fingerprint", "identity", "snapshot"];
    let is_word = |text: &str| words.iter().any(|word| text.contains(word));
    (function.tokens.iter()).any(|token| is_word(&token.text.to_lowercase()))
}

fn debugs(function: &Source) -> bool {
    let is_debugged = |text: &str| text.starts_with('"') && text.contains("?}");
    (function.tokens.iter()).any(|token| is_debugged(&token.text))
}

/// Collects functions, each as a source of its own.
struct Functions(Vec<Source>);

impl Visit<'_> for Functions {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.push(&item.sig, item);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.push(&item.sig, item);
    }
}

impl Functions {
    fn push(&mut self, signature: &syn::Signature, item: &impl quote::ToTokens) {
        let text = item.to_token_stream().to_string();
        self.0
            .push(Source::new(&signature.ident.to_string(), &text));
    }
}

/// Public types of a source: what `pub struct`, `enum`, `trait` or `type`
/// declares, outside of functions.
pub fn public_types(source: &Source) -> Vec<String> {
    let kinds = ["struct", "enum", "trait", "type"];
    source
        .tokens
        .windows(3)
        .filter(|window| window[0].text == "pub" && kinds.contains(&window[1].text.as_str()))
        .map(|window| window[2].text.clone())
        .collect()
}

/// Names that several sources declare, each with its places.
pub fn shared_names(declared: &[(String, String)]) -> Vec<String> {
    let mut places: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    for (name, place) in declared {
        places.entry(name).or_default().push(place);
    }
    places.retain(|_, places| places.len() > 1);
    places
        .iter()
        .map(|(name, places)| format!("`{name}` is public in {}", places.join(" and ")))
        .collect()
}

/// What `.ci/run` and `.ci/nightly` leave out: scripts that neither calls, in a line that is no
/// comment, and ignored tests that name none of these scripts nor say that they measure, or need
/// the folder of real data.
pub fn left_out(callers: &str, scripts: &[&str], tests: &[(String, String)]) -> Vec<String> {
    let is_called = |script: &&str| {
        let mut lines = callers.lines().filter(|line| !line.starts_with('#'));
        lines.any(|line| line.split(' ').any(|word| word == *script))
    };
    let mut found: Vec<String> = (scripts.iter())
        .filter(|script| !is_called(script))
        .map(|script| format!("{script}: called by neither .ci/run nor .ci/nightly"))
        .collect();
    for (name, text) in tests {
        let reasons = text.lines().filter_map(|line| {
            let (before, rest) = line.split_once("#[ignore")?;
            before.trim().is_empty().then_some(rest)
        });
        for reason in reasons {
            let by_hand = ["measure", "TUNER_DATA"];
            let has_place = by_hand.iter().any(|word| reason.contains(word))
                || scripts.iter().any(|script| reason.contains(script));
            if !has_place {
                found.push(format!(
                    "{name}: nothing runs a test that is ignored{reason}"
                ));
            }
        }
    }
    found
}
