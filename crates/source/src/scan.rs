//! The consts and statics of some files, as plain data: names, shapes, and
//! each literal with its location.

use std::ops::Range;

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, Type, parse_quote};

use crate::arguments::TracedArgs;
use crate::associated::associated_weights;
use crate::entries::{Entry, entries, lanes};
use crate::extent::Extent;
use crate::groups::{self, Step, Table, bare_name, plain_name};
use crate::inline::inline_weights;
use crate::item::{attributes, table, type_name};
use crate::leaves::{LiteralLeaf, expand_repeats, repeats};
use crate::made::made;
use crate::modules::inline_modules;
use crate::number::{Number, range};
use crate::parse::{self, SyntaxError};
use crate::syntax::{doc, has_attribute, is_test};
use crate::types::{Holds, Types};

/// The consts of some files: `consts` in the order of the files and of their lines.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The consts and statics outside functions, impl blocks and tests, and the
    /// structs of tables that `default()`, `new()` and associated consts hold; such
    /// a struct is one for each field.
    pub consts: Vec<Const>,
    /// The consts of impl blocks that are one value, `S::NULL`, and no weights: what an
    /// entry of a table may be.
    pub associated: Vec<Const>,
    /// The `[x; N]` around weights, each before those inside it.
    pub repeats: Vec<RepeatedArray>,
    /// Whether anything is annotated: `#[tunable]`, `traced!()`.
    pub annotated: bool,
    /// `default()` and `new()` whose bodies do not end in the literal of a struct of
    /// tables, and hold numbers.
    pub unread: Vec<UnreadMaker>,
    /// Modules for tests that are files: the file that names them, the name.
    pub test_modules: Vec<(usize, String)>,
    /// Weights that are consts of an impl block, `Safety::LIMIT`, and their names.
    moved: Vec<(String, String)>,
}

/// A const or static, or one table of a struct of several; the struct may also be
/// one that `default` or `new` makes, or an associated const.
#[derive(Clone, Debug)]
pub struct Const {
    /// Which of the files, from 0.
    pub file: usize,
    /// Its name, without `r#`; of a table in a struct, `EVAL_KING_SHIELD`.
    pub name: String,
    /// The name as the source writes it: `EVAL.king.shield`, `EVAL[3].king`,
    /// `Weights::default().king`.
    pub path: String,
    /// The name of all that it is part of: `EVAL`, of a struct that a function
    /// makes that of its type, `WEIGHTS`, of an associated const `WEIGHTS_TUNED`.
    pub item: String,
    /// Where it is declared.
    pub holder: Holder,
    /// The location of the name of the const or of the field.
    pub location: SourceLocation,
    /// Its doc comment; of a table in a struct, that of the field's declaration.
    pub doc: String,
    /// Its standing by annotations.
    pub standing: Standing,
    /// The kind of values of its type.
    pub holds: Holds,
    /// Lengths of the arrays around an entry, outermost first.
    pub dims: Vec<usize>,
    /// The entries, row-major; one for a single value, none where it holds no weights.
    pub entries: Vec<Entry>,
    /// All weights in source order.
    pub literals: Vec<Literal>,
    /// Where arithmetic mixes literals with names.
    pub derived: Option<SourceLocation>,
    /// Where the length of `[x; N]` around weights is not a small number.
    pub unknown_length: Option<SourceLocation>,
    /// Whether its type is an array, and a macro or a function makes it of the
    /// literals, so that its entries are not seen.
    pub is_hidden: bool,
}

impl Const {
    /// Returns the item that holds it, as the source writes it: `EVAL`, `Weights::default()`.
    pub fn root(&self) -> &str {
        self.path.split(['.', '[']).next().unwrap_or(&self.path)
    }

    /// Weights in an entry, if all entries that hold any hold equally many.
    pub fn lanes(&self) -> Option<usize> {
        lanes(&self.entries)
    }

    /// Whether it is a table of a struct of several.
    pub fn is_field(&self) -> bool {
        self.path.contains('.')
    }
}

/// Where weights are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A const, a static, or a `weight!` in a body.
    Item,
    /// An impl block: the struct that `default()` or `new()` makes, and a program
    /// holds at run time, or an associated const.
    Impl,
}

/// An array written `[x; N]` around weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedArray {
    /// Which of the files, from 0.
    pub file: usize,
    /// From bracket to bracket.
    pub bytes: Range<usize>,
    /// The entry.
    pub entry: Range<usize>,
    /// How often it is there.
    pub len: usize,
}

/// A function that makes a struct in another way than by a literal at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadMaker {
    /// Which of the files, from 0.
    pub file: usize,
    /// `Weights::new()`
    pub path: String,
    /// Where its name is.
    pub location: SourceLocation,
}

/// A line and a column of a text, counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl SourceLocation {
    pub(crate) fn of(span: Span) -> Self {
        let start = span.start();
        Self {
            line: start.line,
            column: start.column + 1,
        }
    }
}

/// The standing of a const by annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds weights: `#[tunable]` on it or on its module, or `traced!()`.
    Annotated,
    /// It holds none: `#[frozen]`, or `traced!(frozen(…))`.
    Frozen,
    /// Nothing.
    Unmarked,
}

/// One weight in a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// Its value.
    pub number: Number,
    /// The bytes that another number would replace, sign included.
    pub bytes: Range<usize>,
    /// Where they start.
    pub location: SourceLocation,
    /// Suffix that a number in their place needs.
    pub suffix: String,
    /// The limits of its type, as far as known.
    pub limits: Option<(i128, i128)>,
    /// The outermost `[x; N]` around it, by its number in [`Scan::repeats`].
    pub array: Option<usize>,
}

impl Scan {
    /// Reads the texts of some files.
    ///
    /// # Errors
    ///
    /// One for each text that cannot be read as Rust, with its number from 0.
    pub fn of(texts: &[&str]) -> Result<Self, Vec<(usize, SyntaxError)>> {
        let scan = parse::in_a_thread(|| Self::here(texts));
        scan.unwrap_or_else(|| {
            let location = SourceLocation { line: 1, column: 1 };
            let reason = "the parser did not start, or failed".to_owned();
            Err(vec![(0, SyntaxError { location, reason })])
        })
    }

    /// Names weights of impl blocks as consts where tables name them.
    fn name_moved(&mut self) {
        let moved = std::mem::take(&mut self.moved);
        for found in self.consts.iter_mut().chain(&mut self.associated) {
            for entry in &mut found.entries {
                if let Entry::Same { name, .. } = entry
                    && let Some((_, constant)) = moved.iter().find(|(path, _)| path == name)
                {
                    name.clone_from(constant);
                }
            }
        }
        self.associated
            .retain(|found| !moved.iter().any(|(path, _)| *path == found.name));
    }

    fn here(texts: &[&str]) -> Result<Self, Vec<(usize, SyntaxError)>> {
        let mut files = Vec::new();
        let mut errors = Vec::new();
        for (file, text) in texts.iter().enumerate() {
            match parse::parse(text) {
                Ok(parsed) => files.push(parsed),
                Err(error) => errors.push((file, error)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut types = Types::default();
        for (file, _) in &files {
            add_types(&mut types, &file.items);
        }
        let mut scan = Self::default();
        for (index, (file, start)) in files.iter().enumerate() {
            let reader = Reader {
                types: &types,
                file: index,
                start: *start,
            };
            reader.module(&mut scan, &file.items, false);
        }
        scan.name_moved();
        Ok(scan)
    }
}

fn add_types(types: &mut Types, items: &[Item]) {
    for item in items {
        types.add(item);
        for (_, items) in inline_modules(std::slice::from_ref(item)) {
            add_types(types, items);
        }
    }
}

/// The facts of a const as a whole.
struct Head {
    name: String,
    /// Its name in the source.
    path: String,
    holder: Holder,
    location: SourceLocation,
    doc: String,
    standing: Standing,
}

impl Head {
    fn in_impl(name: String, path: String, at: &Ident) -> Self {
        Self {
            name,
            path,
            holder: Holder::Impl,
            location: SourceLocation::of(at.span()),
            doc: String::new(),
            standing: Standing::Unmarked,
        }
    }
}

struct Reader<'a> {
    types: &'a Types,
    file: usize,
    /// Bytes before those that spans count.
    start: usize,
}

impl Reader<'_> {
    fn module(&self, scan: &mut Scan, items: &[Item], marked: bool) {
        let traced = items.iter().find_map(TracedArgs::of);
        let whole = marked || traced.is_some();
        let frozen = traced.unwrap_or_default().frozen;
        scan.annotated |= whole;
        for item in items {
            let attrs = attributes(item);
            match item {
                Item::Mod(i) => match &i.content {
                    None if is_test(attrs) => {
                        scan.test_modules.push((self.file, i.ident.to_string()));
                    }
                    Some((_, items)) if !is_test(attrs) => {
                        self.module(scan, items, has_attribute(attrs, "tunable"));
                    }
                    _ => {}
                },
                Item::Fn(_) | Item::Impl(_) => {
                    if let Item::Impl(block) = item {
                        self.made(scan, block);
                        for weight in associated_weights(block).iter().filter(|_| whole) {
                            let c = &weight.item;
                            scan.moved.push((weight.path.clone(), plain_name(&c.ident)));
                            let table = (&c.ident, &*c.ty, &*c.expr);
                            self.constant(scan, &c.attrs, whole, &frozen, table);
                        }
                    }
                    let is_marked = has_attribute(attrs, "tunable");
                    scan.annotated |= is_marked;
                    // Of an impl block only what is marked comes here.
                    let whole_or_marked = whole || is_marked || matches!(item, Item::Impl(_));
                    for inline in inline_weights(item, whole) {
                        let table = (&inline.ident, &*inline.ty, &*inline.expr);
                        self.constant(scan, &[], whole_or_marked, &frozen, table);
                    }
                }
                item => {
                    if let Some(table) = table(item) {
                        self.constant(scan, attrs, whole, &frozen, table);
                    }
                }
            }
        }
    }

    /// Adds a const or static, with what is said of it and around it.
    fn constant(
        &self,
        scan: &mut Scan,
        attrs: &[Attribute],
        whole: bool,
        frozen: &[Ident],
        (ident, ty, expr): (&Ident, &Type, &Expr),
    ) {
        if is_test(attrs) || ident == "_" {
            return;
        }
        let standing = if frozen.contains(ident) || has_attribute(attrs, "frozen") {
            Standing::Frozen
        } else if whole || has_attribute(attrs, "tunable") {
            Standing::Annotated
        } else {
            Standing::Unmarked
        };
        scan.annotated |= standing == Standing::Annotated;
        let head = Head {
            name: plain_name(ident),
            path: plain_name(ident),
            holder: Holder::Item,
            location: SourceLocation::of(ident.span()),
            doc: doc(attrs),
            standing,
        };
        self.tables(scan, &head, ty, expr);
    }

    /// Adds the structs of tables in an impl block.
    fn made(&self, scan: &mut Scan, block: &ItemImpl) {
        if is_test(&block.attrs) {
            return;
        }
        let made = made(block);
        for (path, name) in made.unread {
            scan.unread.push(UnreadMaker {
                file: self.file,
                path,
                location: SourceLocation::of(name.span()),
            });
        }
        let owner = type_name(&block.self_ty).unwrap_or_default();
        for member in &block.items {
            if let ImplItem::Const(item) = member
                && let [table] = &groups::tables(&item.expr)[..]
            {
                let path = format!("{}::{}", bare_name(&owner), plain_name(&item.ident));
                let head = Head {
                    standing: Standing::Frozen,
                    ..Head::in_impl(path.clone(), path, &item.ident)
                };
                let is_own = matches!(&item.ty, Type::Path(path) if path.path.is_ident("Self"));
                let ty = if is_own { &*block.self_ty } else { &item.ty };
                scan.associated.push(self.one(&head, ty, table));
            }
        }
        for made in made.structs {
            let head = Head::in_impl(made.name, made.path, made.declared);
            self.tables(scan, &head, &block.self_ty, made.value);
        }
    }

    fn tables(&self, scan: &mut Scan, head: &Head, ty: &Type, expr: &Expr) {
        // A million entries of a table of squares may be one short line.
        let is_read = !self.types.is_never_of_weights(ty);
        let (mut tables, mut found) = (vec![Table::unread(expr)], Vec::new());
        if is_read {
            tables = groups::tables(expr);
            repeats(expr, &mut found);
        }
        let mut outermost: Vec<(usize, Range<usize>)> = Vec::new();
        for (repeat, len) in found {
            let bytes = self.bytes(Extent {
                start: repeat.bracket_token.span.open(),
                end: repeat.bracket_token.span.close(),
            });
            if outermost
                .last()
                .is_none_or(|(_, before)| before.end <= bytes.start)
            {
                outermost.push((scan.repeats.len(), bytes.clone()));
            }
            scan.repeats.push(RepeatedArray {
                file: self.file,
                bytes,
                entry: self.bytes(Extent::of(&repeat.expr)),
                len,
            });
        }
        for table in &tables {
            let mut one = self.one(head, ty, table);
            for literal in &mut one.literals {
                let mut around = outermost.iter();
                let array = around.find(|(_, bytes)| bytes.contains(&literal.bytes.start));
                literal.array = array.map(|(number, _)| *number);
            }
            scan.consts.push(one);
        }
    }

    /// The bytes of some tokens in the text.
    fn bytes(&self, extent: Extent) -> Range<usize> {
        let (start, end) = (extent.start.byte_range(), extent.end.byte_range());
        self.start + start.start..self.start + end.end
    }

    fn one(&self, head: &Head, ty: &Type, table: &Table<'_>) -> Const {
        let mut ty = Some(ty.clone());
        let mut path = head.path.clone();
        let mut doc = head.doc.clone();
        for step in &table.steps {
            match step {
                Step::Field(record, field) => {
                    let (written, name) = (&record.path, plain_name(field));
                    let written = match &ty {
                        // Only in a function of the type itself.
                        Some(ty) if written.is_ident("Self") => ty.clone(),
                        _ => parse_quote!(#written),
                    };
                    let field = self.types.field(ty.as_ref(), &written, &name);
                    (ty, doc) = field.map_or_else(Default::default, |(ty, doc)| (Some(ty), doc));
                    path = path + "." + &name;
                }
                Step::Index(index) => {
                    ty = ty.and_then(|ty| self.types.entry(&ty));
                    path = format!("{path}[{index}]");
                }
            }
        }
        let holds = match &ty {
            Some(ty) => self.types.holds(ty),
            None => Holds::Unknown(path.clone()),
        };
        let leaves = &table.leaves;
        let first = |extents: &[Extent]| {
            extents
                .first()
                .map(|extent| SourceLocation::of(extent.start))
        };
        let limits = match &holds {
            Holds::Numbers(names) if names.len() == 1 => range(&names[0]),
            _ => None,
        };
        let literals = leaves.leaves.iter();
        let literals = literals.map(|leaf| self.literal(leaf, limits));
        let mut found = Vec::new();
        if !matches!(holds, Holds::Nothing(_)) {
            let mut written_out = table.expr.clone();
            expand_repeats(&mut written_out);
            entries(&written_out, leaves.depth, &mut found);
        }
        let field = table.steps.iter().rev().find_map(|step| match step {
            Step::Field(_, field) => Some(SourceLocation::of(field.span())),
            Step::Index(_) => None,
        });
        Const {
            file: self.file,
            name: head.name.clone() + &table.group.suffix,
            path,
            item: head.name.clone(),
            holder: head.holder,
            location: field.unwrap_or(head.location),
            doc,
            standing: head.standing,
            holds,
            entries: found,
            literals: literals.collect(),
            derived: first(&leaves.derived),
            unknown_length: first(&leaves.lengths),
            is_hidden: leaves.depth == 0
                && leaves.leaves.len() > 1
                && ty.is_some_and(|ty| self.types.is_list(&ty)),
            dims: leaves.dims.clone(),
        }
    }

    fn literal(&self, leaf: &LiteralLeaf, limits: Option<(i128, i128)>) -> Literal {
        let bytes = self.bytes(leaf.written);
        let inner = leaf.types.first().cloned().unwrap_or_default();
        let is_primitive = range(&inner).is_some() || inner == "f32" || inner == "f64";
        // All types around a number must hold it; the narrowest decides.
        let own = leaf.types.iter().filter_map(|name| range(name));
        let limits = own
            .chain(limits)
            .reduce(|(a, b), (c, d)| (a.max(c), b.min(d)));
        Literal {
            number: leaf.number,
            location: SourceLocation::of(leaf.written.start),
            suffix: if is_primitive && leaf.keeps_type {
                inner
            } else {
                String::new()
            },
            bytes,
            limits,
            array: None,
        }
    }
}
