//! The consts and statics of some files, as plain data: names, shapes, and
//! each literal with its location.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use proc_macro2::Ident;
use syn::{Attribute, Expr, ImplItem, Item, ItemImpl, Type, parse_quote};

use crate::annotated::{AnnotatedModule, Standing};
use crate::associated::AssociatedConst;
use crate::entries::{Entry, lanes};
use crate::extent::Extent;
use crate::files::CrateFile;
use crate::groups::{self, Step, Table, bare_name, plain_name};
use crate::inline::inline_weights;
use crate::item::{attributes, location_of, table, type_name};
use crate::leaves::{Literal, expand};
use crate::made::made;
use crate::number::range;
use crate::parse::{self, SourceLocation, SyntaxError};
use crate::syntax::doc;
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
    /// The files in which something is annotated: `#[tunable]`, `traced!()`.
    pub annotated: BTreeSet<usize>,
    /// `default()` and `new()` whose bodies do not end in the literal of a struct of
    /// tables, and hold numbers.
    pub unread: Vec<UnreadMaker>,
    /// Modules for tests that are files: the number of the file that declares them, and their name.
    pub test_modules: Vec<(usize, String)>,
}

/// A const or static, or one table of a struct of several; the struct may also be
/// one that `default` or `new` makes, or an associated const.
#[derive(Clone, Debug)]
pub struct Const {
    /// The number of its file, from 0.
    pub file: usize,
    /// Its name, without `r#`; of a table in a struct, `EVAL_KING_SHIELD`.
    pub name: String,
    /// The name as the source writes it: `EVAL.king.shield`, `EVAL[3].king`,
    /// `Weights::default().king`.
    pub path: String,
    /// The name of the whole const that it is part of: `EVAL`; of a struct that a function makes,
    /// that of the type, `WEIGHTS`; of an associated const `WEIGHTS_TUNED`.
    pub item: String,
    /// Whether the const is an item or in an impl block.
    pub holder: Holder,
    /// The location of the name of the const or of the field.
    pub location: SourceLocation,
    /// Its doc comment; of a table in a struct, that of the field's declaration.
    pub doc: String,
    /// What annotations say of the const: whether it is tuned.
    pub standing: Standing,
    /// The kind of values of its type.
    pub holds: Holds,
    /// Lengths of the arrays around an entry, outermost first.
    pub dims: Vec<usize>,
    /// The entries, row-major; one for a single value, none where it holds no weights.
    pub entries: Vec<Entry>,
    /// All weights in source order.
    pub literals: Vec<Literal>,
    /// The first piece of arithmetic that mixes literals with names; `None` without one.
    pub derived: Option<SourceLocation>,
    /// The first `[x; N]` around weights whose length is not a small number; `None` without one.
    pub unknown_length: Option<SourceLocation>,
    /// Whether its type is an array, and a macro or a function makes it of the
    /// literals, so that its entries are not seen.
    pub is_hidden: bool,
}

impl Const {
    /// Returns the item that the weights are in, as the source writes it: `EVAL` of `EVAL[3].king`,
    /// `Weights::default()` of `Weights::default().king`.
    pub fn root(&self) -> &str {
        self.path.split(['.', '[']).next().unwrap_or(&self.path)
    }

    /// The number of weights per entry, if all entries that are weights have equally many; else
    /// `None`, also if an entry is neither weights nor another const.
    pub fn lanes(&self) -> Option<usize> {
        lanes(&self.entries)
    }

    /// Tells whether it is one of several tables of a struct: then its path has a point, as in
    /// `EVAL.king`.
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
    /// The number of its file, from 0.
    pub file: usize,
    /// The bytes of the array in the file, from bracket to bracket.
    pub bytes: Range<usize>,
    /// The bytes of the entry, `x`.
    pub entry: Range<usize>,
    /// Its length, `N`.
    pub len: usize,
}

/// A function that makes a struct in another way than by a literal at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadMaker {
    /// The number of its file, from 0.
    pub file: usize,
    /// `Weights::new()`
    pub path: String,
    /// The location of its name.
    pub location: SourceLocation,
}

impl Scan {
    /// Reads the texts of some files, each a crate of one file, which know each other's types.
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

    /// Renames entries of tables that are consts of impl blocks, `Safety::LIMIT`, where these have
    /// become weights of their modules: the entry is then `SAFETY_LIMIT`. `moved`: the consts of
    /// impl blocks with `#[tunable]`.
    fn name_moved(&mut self, moved: &[AssociatedConst]) {
        for found in self.consts.iter_mut().chain(&mut self.associated) {
            for entry in &mut found.entries {
                let Entry::Same(other) = entry else {
                    continue;
                };
                let Some((owner, last)) = other.name.rsplit_once("::") else {
                    continue;
                };
                let is_it = |one: &&AssociatedConst| {
                    one.owner.last().is_some_and(|of| of == owner) && bare_name(&one.name) == last
                };
                let weight = moved.iter().find(is_it).and_then(AssociatedConst::weight);
                if let Some(constant) = weight {
                    bare_name(constant).clone_into(&mut other.name);
                }
            }
        }
    }

    /// Reads texts on the stack of this thread, each as a crate of one file. Errors are those of
    /// syntax, each with the number of its text from 0.
    fn here(texts: &[&str]) -> Result<Self, Vec<(usize, SyntaxError)>> {
        let files = texts.iter().map(|text| (*text).to_owned());
        let files = files.map(|text| CrateFile::root(PathBuf::new(), text));
        let mut files: Vec<CrateFile> = files.collect();
        let errors = files.iter().enumerate();
        let errors = errors.filter_map(|(number, file)| Some((number, file.items.as_ref().err()?)));
        let errors: Vec<_> = errors.map(|(number, e)| (number, e.clone())).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let modules = AnnotatedModule::of_files(&mut files);
        let mut types = Types::default();
        for (item, _) in modules.iter().flat_map(|module| &module.items) {
            types.add(item);
        }
        let mut scan = Self::default();
        // The modules of one file follow each other.
        for of_file in modules.chunk_by(|a, b| a.file == b.file) {
            let (types, file) = (&types, of_file[0].file);
            Reader { types, file }.modules(&mut scan, of_file);
        }
        let moved: Vec<_> = files.into_iter().flat_map(|file| file.associated).collect();
        scan.name_moved(&moved);
        Ok(scan)
    }
}

/// Reads the consts of one file.
struct Reader<'a> {
    /// The types that all files declare.
    types: &'a Types,
    /// The number of the file.
    file: usize,
}

impl Reader<'_> {
    /// Adds what the modules of one file declare to `scan`, in the order of the text: consts,
    /// statics, structs that impl blocks make, and each `weight!` in a body. Notes also whether
    /// something is annotated, and modules for tests.
    fn modules(&self, scan: &mut Scan, modules: &[AnnotatedModule]) {
        if modules.iter().any(AnnotatedModule::is_marked) {
            scan.annotated.insert(self.file);
        }
        let tests = modules.iter().flat_map(|module| &module.test_files);
        scan.test_modules
            .extend(tests.map(|name| (self.file, name.clone())));
        // Each item with its module and its standing: whether annotations make its numbers weights.
        let items = modules.iter().flat_map(|module| {
            let items = module.items.iter();
            items.map(move |(item, standing)| (module, item, standing))
        });
        let mut items: Vec<_> = items.collect();
        items.sort_by_key(|(_, item, _)| location_of(item));
        for (module, item, standing) in items {
            let is_annotated = *standing == Standing::Annotated;
            if let Some(table) = table(item) {
                self.constant(scan, attributes(item), *standing, table);
            }
            if let Item::Impl(block) = item {
                self.made(scan, block);
            }
            // A `weight!` in a function counts without an annotation, one in an impl block only
            // with one.
            if is_annotated || matches!(item, Item::Fn(_)) {
                for inline in inline_weights(item) {
                    let table = (&inline.ident, &*inline.ty, &*inline.expr);
                    let is_frozen = module.is_listed(&inline.ident.to_string());
                    let standing = if is_frozen {
                        Standing::Frozen
                    } else {
                        *standing
                    };
                    self.constant(scan, &[], standing, table);
                }
            }
        }
    }

    /// Adds a const or static to `scan`; of a struct of several tables each is added as a const of
    /// its own. `standing`: what annotations say of it. Its name, type and initialiser come as one
    /// argument. One named `_` is left out.
    fn constant(
        &self,
        scan: &mut Scan,
        attrs: &[Attribute],
        standing: Standing,
        (ident, ty, expr): (&Ident, &Type, &Expr),
    ) {
        if ident == "_" {
            return;
        }
        let head = Const {
            holder: Holder::Item,
            doc: doc(attrs),
            standing,
            ..self.head(plain_name(ident), plain_name(ident), ident)
        };
        self.tables(scan, &head, ty, expr);
    }

    /// Makes a const of which only the names and the place are known yet; all other fields are
    /// empty, and it counts as one of an impl block and as unmarked. `name`: that in a spec;
    /// `path`: that in the source; `at`: the token at its place.
    fn head(&self, name: String, path: String, at: &Ident) -> Const {
        Const {
            file: self.file,
            item: name.clone(),
            name,
            path,
            holder: Holder::Impl,
            location: SourceLocation::of(at.span()),
            doc: String::new(),
            standing: Standing::Unmarked,
            holds: Holds::Nothing(String::new()),
            dims: Vec::new(),
            entries: Vec::new(),
            literals: Vec::new(),
            derived: None,
            unknown_length: None,
            is_hidden: false,
        }
    }

    /// Adds what an impl block makes to `scan`: structs of tables that `default`, `new` and
    /// associated consts give; other associated consts, which entries of tables may name; and
    /// functions whose structs cannot be read.
    fn made(&self, scan: &mut Scan, block: &ItemImpl) {
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
                // Entries of tables that name it have its value, and are no weights.
                let head = Const {
                    standing: Standing::Frozen,
                    ..self.head(path.clone(), path, &item.ident)
                };
                // `Self` is the type of the block.
                let is_own = matches!(&item.ty, Type::Path(path) if path.path.is_ident("Self"));
                let ty = if is_own { &*block.self_ty } else { &item.ty };
                scan.associated.push(self.one(&head, ty, table));
            }
        }
        for made in made.structs {
            let head = self.head(made.name, made.path, made.declared);
            self.tables(scan, &head, &block.self_ty, made.value);
        }
    }

    /// Adds each table of the initialiser `expr` to `scan` as a const of its own, and the arrays
    /// `[x; N]` in it. If the type `ty` never holds weights nothing is read, and it is one const
    /// without entries. `head`: the const that the whole initialiser is of.
    fn tables(&self, scan: &mut Scan, head: &Const, ty: &Type, expr: &Expr) {
        // A table of squares may be a short line, `[0; 1 << 20]`, of a million entries.
        let is_read = !self.types.is_never_of_weights(ty);
        let (mut tables, mut found) = (vec![Table::default()], Vec::new());
        if is_read {
            tables = groups::tables(expr);
            expand(&mut expr.clone(), &mut found);
            // Each before those inside it.
            found.sort_by_key(|(repeat, _)| repeat.bracket_token.span.open().byte_range().start);
        }
        // The arrays `[x; N]` that are in no other one: number in `repeats`, and bytes.
        let mut outermost: Vec<(usize, Range<usize>)> = Vec::new();
        for (repeat, len) in found {
            let bytes = Extent::of(&repeat).bytes();
            let is_behind = |(_, before): &(usize, Range<usize>)| before.end <= bytes.start;
            if outermost.last().is_none_or(is_behind) {
                outermost.push((scan.repeats.len(), bytes.clone()));
            }
            scan.repeats.push(RepeatedArray {
                file: self.file,
                bytes,
                entry: Extent::of(&repeat.expr).bytes(),
                len,
            });
        }
        for table in &tables {
            let mut one = self.one(head, ty, table);
            for literal in &mut one.literals {
                // The outermost `[x; N]` that the weight is in.
                let mut around = outermost.iter();
                let array = around.find(|(_, bytes)| bytes.contains(&literal.bytes.start));
                literal.array = array.map(|(number, _)| *number);
            }
            scan.consts.push(one);
        }
    }

    /// The const of one table in an initialiser of type `ty`, made of `head`, the const of the
    /// whole: its name, path, type, doc comment and place follow the fields and indices that lead
    /// to the table.
    fn one(&self, head: &Const, ty: &Type, table: &Table<'_>) -> Const {
        let mut one = head.clone();
        one.name += &table.group.suffix;
        let mut ty = Some(ty.clone());
        for step in &table.steps {
            match step {
                Step::Field(record, field) => {
                    let (written, name) = (&record.path, plain_name(field));
                    let written = match &ty {
                        // `Self` occurs only in a function of the type.
                        Some(ty) if written.is_ident("Self") => ty.clone(),
                        _ => parse_quote!(#written),
                    };
                    let declared = self.types.field(ty.as_ref(), &written, &name);
                    let (field_type, doc) = declared.unzip();
                    (ty, one.doc) = (field_type, doc.unwrap_or_default());
                    one.path = one.path + "." + &name;
                    one.location = SourceLocation::of(field.span());
                }
                Step::Index(index) => {
                    ty = ty.and_then(|ty| self.types.entry(&ty));
                    one.path = format!("{}[{index}]", one.path);
                }
            }
        }
        one.holds = match &ty {
            Some(ty) => self.types.holds(ty),
            None => Holds::Unknown(one.path.clone()),
        };
        let leaves = &table.leaves;
        // A weight must be within its own type and that of the table.
        let limits = match &one.holds {
            Holds::Numbers(names) if names.len() == 1 => range(&names[0]),
            _ => None,
        };
        one.literals.clone_from(&leaves.leaves);
        for literal in &mut one.literals {
            literal.narrow(limits);
        }
        if !matches!(one.holds, Holds::Nothing(_)) {
            one.entries.clone_from(&leaves.entries);
        }
        let first = |extents: &[Extent]| Some(SourceLocation::of(extents.first()?.start));
        one.derived = first(&leaves.derived);
        one.unknown_length = first(&leaves.lengths);
        // The type is an array, and several literals are in no array of the initialiser: a macro or
        // a function makes the array of them.
        one.is_hidden = leaves.depth == 0
            && leaves.leaves.len() > 1
            && ty.is_some_and(|ty| self.types.is_list(&ty));
        one.dims.clone_from(&leaves.dims);
        one
    }
}
