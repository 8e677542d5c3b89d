//! What a crate declares, and where its names lead.

use std::fs;

use tuner_source::{
    AnnotatedModule, CrateFile, CrateFiles, CrateModel, NoLibrary, Passing, Reader, Target,
    library_of,
};

fn model(text: &str) -> CrateModel {
    let root = CrateFile::root("lib.rs".into(), text.to_owned());
    CrateModel::of(&AnnotatedModule::of_files(&mut [root]))
}

fn reader<'m>(model: &'m CrateModel, name: &str) -> &'m Reader {
    let number = model.readers.named(name).unwrap()[0];
    &model.readers.all[number]
}

fn path(text: &str) -> Vec<String> {
    text.split("::").map(str::to_owned).collect()
}

#[test]
fn functions_say_how_they_are_called() {
    let model = model(
        "pub mod inner { pub fn evaluate(b: &Board) -> i32 { 0 } } \n\
         #[cfg(test)] mod tests { fn none() {} } \n\
         impl crate::board::Board { fn score(&mut self, d: u8) -> Option<Self> { None } }",
    );
    assert!(model.readers.named("none").is_none());
    let (evaluate, score) = (reader(&model, "evaluate"), reader(&model, "score"));
    assert_eq!(model.modules[evaluate.module].path, ["inner"]);
    assert!(evaluate.is_public && !score.is_public && !evaluate.is_generic());
    let board = (Passing::Shared, "Board".to_owned());
    assert_eq!(
        (evaluate.location.0, evaluate.parameters()),
        (1, vec![board])
    );
    assert_eq!(score.owner.as_deref(), Some("Board"));
    assert_eq!(score.receiver(), Some(Passing::Mutable));
    let returned = score.returned().unwrap();
    assert_eq!(
        returned,
        ("Option < Self >".to_owned(), "Option".to_owned())
    );
}

#[test]
fn macros_write_statics_that_can_change() {
    let model = model("other::table! { static mut TABLE: [i32; 2] = [PAWN, 3]; }");
    assert!(model.readers.named("TABLE").is_some());
}

#[test]
fn names_lead_through_imports_and_aliases() {
    let model = model(
        "mod a { pub mod b { pub struct S; struct Hidden; } pub use b::S as Pair; pub type T = Pair; } \n\
         pub mod c { pub use super::a::*; pub(crate) use std::mem as m; \n\
         pub(in crate::c) use std::mem as n; }",
    );
    let from = path("c");
    let c = model.module(&from).unwrap();
    let named = |name: &str| {
        let (module, name) = model.item_behind(c, &path(name))?;
        Some((model.modules[module].path.join("::"), name))
    };
    assert_eq!(named("Pair"), Some(("a::b".to_owned(), "S".to_owned())));
    assert_eq!(named("T"), Some(("a".to_owned(), "T".to_owned())));
    assert_eq!(named("Hidden"), None);
    assert_eq!(model.unaliased(c, &path("T")), Some(path("crate::a::b::S")));
    assert_eq!(model.resolve(c, &path("self")), Some(Target::Module(c)));
    let to = path("a::b");
    let hidden: Vec<_> = model.private_modules(&to).collect();
    assert_eq!(hidden, [(&[][..], "a", 1)]);
    assert_eq!(model.private_modules(&from).count(), 0);
    assert!(!model.modules[c].shows("m") && !model.modules[c].shows("n"));
}

#[test]
fn files_are_followed_and_missing_ones_named() {
    let folder = std::env::temp_dir().join(format!("tuner-crate-{}", std::process::id()));
    fs::create_dir_all(folder.join("x/deep")).unwrap();
    fs::write(folder.join("x/t.rs"), "mod inner;").unwrap();
    fs::write(folder.join("x/inner.rs"), "fn (").unwrap();
    fs::write(folder.join("x/deep/mod.rs"), "").unwrap();
    let text = "#[path = \"x/t.rs\"] mod terms;\nmod x { mod deep; }\nmod gone;\n\
                #[cfg(feature = \"later\")] mod later;\n#[cfg(test)] mod tests;";
    let root = CrateFile::root(folder.join("lib.rs"), text.to_owned());
    let found = CrateFiles::of_root(root, "tune");
    fs::remove_dir_all(&folder).unwrap();
    let modules: Vec<String> = found.files.iter().map(|f| f.module.join("::")).collect();
    assert_eq!(modules, ["", "terms", "terms::inner", "x::deep"]);
    assert_eq!(found.files[2].items.as_ref().unwrap_err().location.line, 1);
    let [missing] = &found.missing[..] else {
        unreachable!("{:?}", found.missing);
    };
    assert_eq!(
        (missing.path.join("::").as_str(), missing.line),
        ("gone", 3)
    );
}

#[test]
fn in_the_edition_2015_imports_begin_at_the_root() {
    let model = model(
        "mod tables { pub const PST: i32 = 1; pub const TEMPO: i32 = 2; } \n\
         mod eval { use tables::PST; use tables::*; }",
    );
    let eval = model.module(&path("eval")).unwrap();
    let tables = model.module(&path("tables")).unwrap();
    for name in ["PST", "TEMPO"] {
        let found = model.item_behind(eval, &path(name));
        assert_eq!(found, Some((tables, name.to_owned())));
    }
}

#[test]
fn a_library_has_the_modules_of_a_program() {
    let library_of = |text: &str| library_of(text, |name| ["terms", "NAME"].contains(&name));
    let library = library_of("#![recursion_limit = \"9\"]\n/// E.\n#[cfg(a)] mod e;\nfn main() {}");
    let expected = "#![recursion_limit = \"9\"]\n\n#[cfg(a)]\npub mod e;\n";
    assert!(library.unwrap().ends_with(expected));
    // What its modules name by `crate::` comes with what it is made of.
    for named in ["use e::terms;", "const NAME: u8 = N;"] {
        let program = format!("mod e;\n{named}\nconst N: u8 = 1;\nfn main() {{ run(); }}\n");
        let expected = format!("pub mod e;\n\n{named}\n\nconst N: u8 = 1;\n");
        let library = library_of(&program).unwrap();
        assert!(library.ends_with(&expected), "{library}");
    }
    let inline = library_of("\nmod a {}");
    assert_eq!(inline, Err(NoLibrary::Inline("a".to_owned(), 2)));
    assert_eq!(library_of("fn main() {}"), Err(NoLibrary::NoModule));
    assert!(matches!(library_of("fn"), Err(NoLibrary::Syntax(_))));
    let deep = "(".repeat(100_000);
    assert!(matches!(library_of(&deep), Err(NoLibrary::Syntax(_))));
}

#[test]
fn imports_that_lead_to_each_other_end() {
    let model = model("use a::y as b; use b::x as a; mod c {} use c::d; use d as e;");
    let root = &model.modules[0];
    assert!(!root.is_inside(&path("a")));
    assert!(root.absolute(&path("a::z")).ends_with(&path("z")));
    assert!(root.is_inside(&path("d::f")));
    assert_eq!(root.absolute(&path("d::f")), path("c::d::f"));
}

#[test]
fn only_functions_that_fill_tables_are_emptied() {
    let text = "static mut SEEN: bool = false; static mut T: [i32; 2] = [0; 2]; \n\
                pub fn init() { unsafe { T[1] = PAWN; SEEN = true; } } \n\
                pub fn evaluate(b: &Board) -> i32 { unsafe { SEEN = true; } PAWN }";
    let one_table = "pub fn start() { unsafe { SEEN = true; } set(PAWN); }";
    let uses_pawn = |text: &str, name: &str| {
        let model = model(text);
        let uses = &reader(&model, name).uses;
        format!("{uses:?}").contains("PAWN")
    };
    assert!(uses_pawn(text, "evaluate"));
    assert!(!uses_pawn(text, "init"));
    let without = format!("static mut SEEN: bool = false; {one_table}");
    assert!(uses_pawn(&without, "start"));
}
