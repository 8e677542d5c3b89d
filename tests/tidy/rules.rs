//! What sources may not say. Each rule returns its complaints, one a place.

use syn::visit::{self, Visit};

use crate::source::Source;

/// The layers of a crate, lowest first, as the paragraph of its `lib.rs` that
/// begins with `Layers` names them: `` `a`, `b` · `c` ``.
pub fn layers(lib: &str) -> Vec<Vec<String>> {
    let paragraph: String = lib
        .lines()
        .skip_while(|line| !line.starts_with("//! Layers"))
        .take_while(|line| line.trim() != "//!" && line.starts_with("//!"))
        .map(|line| line.trim_start_matches("//!"))
        .collect();
    let list = paragraph.split_once(':').map_or("", |(_, list)| list);
    let names = |layer: &str| {
        layer
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    list.split('·').map(names).collect()
}

/// Uses of modules that stand in the same layer or a later one.
pub fn layering(source: &Source, layers: &[Vec<String>]) -> Vec<String> {
    let rank = |module: &str| {
        layers
            .iter()
            .position(|l| l.iter().any(|name| name == module))
    };
    let module = source.module();
    let Some(&own) = module.first() else {
        return Vec::new();
    };
    let Some(own_rank) = rank(own) else {
        return vec![format!(
            "{}: `{own}` stands in no layer of lib.rs",
            source.name
        )];
    };
    used_from_root(source, module.len())
        .into_iter()
        .filter(|(used, _)| used != own && rank(used).is_some_and(|rank| rank >= own_rank))
        .map(|(used, line)| format!("{}:{line}: `{own}` uses `{used}`", source.name))
        .collect()
}

/// The names taken from the crate's root, by `crate::` or by enough `super::`.
fn used_from_root(source: &Source, depth: usize) -> Vec<(String, usize)> {
    let tokens = &source.tokens;
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let colons = |at: usize| is(at, ":") && is(at + 1, ":");
    let mut found = Vec::new();
    for start in 0..tokens.len() {
        let mut at = start;
        if is(at, "crate") && colons(at + 1) {
            at += 3;
        } else if is(at, "super") && !(at >= 3 && is(at - 3, "super") && colons(at - 2)) {
            let mut supers = 0;
            while is(at, "super") && colons(at + 1) {
                supers += 1;
                at += 3;
            }
            if supers < depth + tokens[start].depth {
                continue;
            }
        } else {
            continue;
        }
        if !is(at, "{") {
            found.push((tokens[at].text.clone(), tokens[at].line));
            continue;
        }
        // `crate::{a::b, c::{d, e}}`: the first word of each element.
        let (mut level, mut first) = (0, true);
        for token in &tokens[at..] {
            match token.text.as_str() {
                "{" => level += 1,
                "}" => level -= 1,
                "," => first = first || level == 1,
                word if level == 1 && first => {
                    found.push((word.to_owned(), token.line));
                    first = false;
                }
                _ => {}
            }
            if level == 0 {
                break;
            }
        }
    }
    found
}

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
    let file: syn::File = syn::parse2(source.stream.clone())
        .unwrap_or_else(|error| panic!("{}: {error}", source.name));
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
