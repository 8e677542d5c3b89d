//! What annotations say of the items of a file, module by module. Macros, import and patch ask
//! here, so that a literal is a weight to all of them or to none.

use syn::{Attribute, ImplItem, Item, ItemImpl};

use crate::arguments::TracedArgs;
use crate::associated::{AssociatedConst, take_out};
use crate::files::CrateFile;
use crate::item::{TokenLocation, attributes, location_of, name_of, table};
use crate::syntax::{has_attribute, is_test};
use crate::{filled, lazy_static};

/// What annotations say of an item: whether its numbers are weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds weights, or scores go through it: `#[tunable]` on it or on its module, or
    /// `traced!()`.
    Annotated,
    /// Its numbers are no weights: `#[frozen]`, or `traced!(frozen(…))`.
    Frozen,
    /// No annotation says anything of it.
    Unmarked,
}

/// A module, as one file has it.
#[derive(Debug)]
pub struct AnnotatedModule {
    /// The number of its file, in the order in which files were given.
    pub file: usize,
    /// Its path from the root of the crate.
    pub path: Vec<String>,
    /// The attributes of an inline module, if `#[tunable]` is among them.
    pub tunable: Option<Vec<Attribute>>,
    /// The location and the arguments of its `traced!()`; `None` without one.
    pub traced: Option<(TokenLocation, TracedArgs)>,
    /// Its items, without tests, and of inner modules only the shell. An impl block of which only
    /// some methods have `#[tunable]` is two: that of the others, and theirs.
    pub items: Vec<(Item, Standing)>,
    /// The names of its modules for tests (`#[cfg(test)] mod NAME;`) that are files of their own.
    pub test_files: Vec<String>,
}

impl AnnotatedModule {
    /// Takes the items out of files and returns them module by module: in the order of the files,
    /// each module before the inline modules in it. A file that is not Rust has no modules.
    pub fn of_files(files: &mut [CrateFile]) -> Vec<Self> {
        let mut found = Vec::new();
        for (number, file) in files.iter_mut().enumerate() {
            if let Ok(items) = &mut file.items {
                let items = std::mem::take(items);
                // `None`: only an inline module has attributes of its own.
                Self::add(number, file.module.clone(), items, None, &mut found);
            }
        }
        found
    }

    /// Tells whether the module is traced as a whole, by `#[tunable]` on it or `traced!()` in it.
    pub fn is_whole(&self) -> bool {
        self.tunable.is_some() || self.traced.is_some()
    }

    /// Tells whether the module, or a function, an impl block or a table in it, is annotated.
    pub fn is_marked(&self) -> bool {
        let mut items = self.items.iter();
        let is_one =
            |item: &Item| matches!(item, Item::Fn(_) | Item::Impl(_)) || table(item).is_some();
        self.is_whole()
            || items.any(|(item, standing)| *standing == Standing::Annotated && is_one(item))
    }

    /// Adds a module and then the inline modules in it; tests and modules for tests are left out.
    /// `file`: its number; `path`: that from the crate's root; `tunable`: its attributes if
    /// `#[tunable]` is among them.
    fn add(
        file: usize,
        path: Vec<String>,
        items: Vec<Item>,
        tunable: Option<Vec<Attribute>>,
        found: &mut Vec<Self>,
    ) {
        let mut traced = items.iter();
        let traced = traced.find_map(|item| Some((location_of(item), TracedArgs::of(item)?)));
        let mut module = Self {
            file,
            path,
            tunable,
            traced,
            items: Vec::new(),
            test_files: Vec::new(),
        };
        // Inline modules with their paths, items and attributes: they follow behind this one.
        let mut inner = Vec::new();
        for item in items {
            let is_test = is_test(attributes(&item));
            match item {
                Item::Mod(item) if is_test => {
                    let name = item.content.is_none().then(|| item.ident.to_string());
                    module.test_files.extend(name);
                }
                Item::Mod(mut item) => {
                    if let Some((_, items)) = item.content.take() {
                        let is_tunable = has_attribute(&item.attrs, "tunable");
                        let path = [&module.path[..], &[item.ident.to_string()]].concat();
                        inner.push((path, items, is_tunable.then(|| item.attrs.clone())));
                    }
                    module.items.push((Item::Mod(item), Standing::Unmarked));
                }
                _ if is_test => {}
                item => module.push(item),
            }
        }
        found.push(module);
        for (path, items, tunable) in inner {
            Self::add(file, path, items, tunable, found);
        }
    }

    /// Adds an item with its standing: whether annotations make its numbers weights. Methods with
    /// `#[tunable]` in an impl block without it are added as an annotated block of their own.
    fn push(&mut self, mut item: Item) {
        let standing = self.standing(&item);
        let is_unmarked = standing == Standing::Unmarked;
        let marked = match &mut item {
            Item::Impl(block) if is_unmarked => marked_methods(block),
            _ => None,
        };
        self.items.push((item, standing));
        let marked = marked.map(|block| (Item::Impl(block), Standing::Annotated));
        self.items.extend(marked);
    }

    /// Tells whether `name` is in `frozen(…)` of the module's `traced!(…)`, so that the const of
    /// this name is no weight.
    pub fn is_listed(&self, name: &str) -> bool {
        let mut listed = self.traced.iter().flat_map(|(_, args)| &args.frozen);
        listed.any(|frozen| frozen == name)
    }

    /// Returns the standing that annotations of the item and of its module give it: frozen, which
    /// wins over the others; annotated; or unmarked.
    fn standing(&self, item: &Item) -> Standing {
        let attrs = attributes(item);
        let is_listed = name_of(item).is_some_and(|name| self.is_listed(&name));
        if is_listed || has_attribute(attrs, "frozen") {
            Standing::Frozen
        } else if self.is_whole() || has_attribute(attrs, "tunable") {
            Standing::Annotated
        } else {
            Standing::Unmarked
        }
    }
}

/// Takes the methods that have `#[tunable]` out of an impl block, and returns them in a copy of the
/// block that has nothing else; `None` if there are none.
fn marked_methods(block: &mut ItemImpl) -> Option<ItemImpl> {
    let is_marked =
        |member: &ImplItem| matches!(member, ImplItem::Fn(f) if has_attribute(&f.attrs, "tunable"));
    let members = std::mem::take(&mut block.items).into_iter();
    let (marked, others): (Vec<_>, Vec<_>) = members.partition(is_marked);
    let mut of_marked = block.clone();
    block.items = others;
    of_marked.items = marked;
    (!of_marked.items.is_empty()).then_some(of_marked)
}

/// Rewrites items into plainer ones, also in inline modules: the statics of `lazy_static!` become
/// statics of their own, a `static mut` that functions fill gets an initialiser that does what they
/// do, and consts of impl blocks that are weights become consts of their modules. Returns the
/// consts of impl blocks that have `#[tunable]`, in the order of the text.
///
/// `module`: the path of the items; `is_whole`: whether their module has `#[tunable]`.
pub fn write_out(module: &[String], items: &mut Vec<Item>, is_whole: bool) -> Vec<AssociatedConst> {
    let mut found = Vec::new();
    for item in &mut *items {
        if let Item::Mod(inner) = item
            && let Some((_, items)) = &mut inner.content
        {
            let path = [module, &[inner.ident.to_string()]].concat();
            let is_whole = has_attribute(&inner.attrs, "tunable");
            found.extend(write_out(&path, items, is_whole));
        }
    }
    lazy_static::write_out(items);
    filled::write_out(items);
    take_out(module, items, is_whole, &mut found);
    // Consts of inner modules were found first, and are put where the text has them.
    found.sort_by_key(|one| one.location);
    found
}
