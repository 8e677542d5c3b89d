//! Literals in bodies, which are no weights, as the consts that would be some.

use std::mem;
use std::ops::Range;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Item, Pat, ReturnType, Signature, Stmt, Type};

use crate::extent::Extent;
use crate::item::{attributes, is_literal, location, type_name, typed};
use crate::parse::{self, line_end};
use crate::syntax::{bare, has_attribute, is_test, last_name};
use crate::types::SIGNED;

/// A file in which literals of function bodies become consts, which are put above the items that
/// the literals were in.
#[derive(Clone, Debug, Default)]
pub struct BodyLiterals<'a> {
    /// The names of the consts.
    pub names: Vec<String>,
    /// Line, from 1, and text of literals whose type the source does not say; they stay.
    pub untyped: Vec<(usize, String)>,
    /// Lines and texts of what is wanted: a literal that can join a score, or a call. Of a function
    /// that is called there, the literals that are the value of a block or an arm are wanted.
    meant: &'a [(usize, &'a str)],
    /// The texts of all files, for names and types; then the text of this file.
    texts: &'a [&'a str],
    text: &'a str,
    /// Edits of the text: bytes, and what replaces them.
    edits: Vec<(Range<usize>, String)>,
    /// Of the outermost item: the bytes from its line's start to it; consts go above.
    item: Option<Range<usize>>,
    /// The attribute that the consts of this item need, if any.
    attribute: Option<String>,
    /// The names of the function and of the match arm that are visited; empty outside.
    scope: [String; 2],
    /// Whether the expression that is visited is the value of a block or an arm.
    is_value: bool,
    /// The type of the numbers in the expression that is visited; `None` where nothing says it.
    of: Option<String>,
}

impl<'a> BodyLiterals<'a> {
    /// Makes consts of literals in the function bodies of a file. Returns the names of the consts,
    /// with the literals whose type nothing says, and the file's new text; a text that is not Rust
    /// stays as it is.
    ///
    /// `texts`: all files of the crate, whose names are taken; `text`: that of the file; `meant`:
    /// lines (from 1) and texts of what is to be consts. A literal there becomes one. If the text
    /// has a call of a function of the file, the literals of that function that are the value of a
    /// block or a match arm become consts.
    pub fn named(
        texts: &'a [&'a str],
        text: &'a str,
        meant: &'a [(usize, &'a str)],
    ) -> (Self, String) {
        let mut found = Self {
            meant,
            texts,
            text,
            ..Self::default()
        };
        // The parser needs the large stack of that thread. A text that it does not read has no
        // edits.
        let read = || parse::parse(text).map(|file| found.visit_file(&file));
        parse::in_a_thread(read);
        let mut edits = mem::take(&mut found.edits);
        // From the last edit to the first, so that the bytes of the others stay where they are.
        edits.sort_by_key(|(bytes, _)| bytes.start);
        let mut new = text.to_owned();
        for (bytes, with) in edits.into_iter().rev() {
            new.replace_range(bytes, &with);
        }
        (found, new)
    }

    /// The name of the primitive type of the numbers in a type: of a tuple that of its first part;
    /// an alias is followed once. `None` if they are not signed integers or floats.
    fn number(&self, ty: &Type) -> Option<String> {
        if let Type::Tuple(parts) = ty {
            return parts.elems.first().and_then(|part| self.number(part));
        }
        let name = type_name(ty)?;
        let declared = self.declared(&format!("type {name} = "), ';');
        let mut names = [Some(&*name), declared].into_iter().flatten();
        names.find(|name| SIGNED.contains(name)).map(str::to_owned)
    }

    /// The text between `head` and the next `end`, in the first text of the crate that has both:
    /// `i64` between `type V = ` and `;`. `None` if no text has them.
    fn declared(&self, head: &str, end: char) -> Option<&'a str> {
        let mut all = self.texts.iter();
        all.find_map(|text| Some(text.split_once(head)?.1.split_once(end)?.0))
    }

    /// Visits an expression whose numbers are of the primitive type `of`; `None` if nothing says of
    /// which.
    fn within(&mut self, of: Option<String>, expr: &Expr) {
        let around = mem::replace(&mut self.of, of);
        self.visit_expr(expr);
        self.of = around;
    }

    /// Tells whether the literal `value` in this line is to be a const. It is if `meant` has it
    /// with this line, spaces aside. It also is if a text in `meant` has a call of the function
    /// that is visited, and the literal is the value of a block or a match arm, and not 0.
    fn is_meant(&self, line: usize, value: &str) -> bool {
        let packed = |text: &str| text.split_whitespace().collect::<String>();
        let call = format!("{}(", self.scope[0]);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let is_value = self.is_value && value != "0";
        self.meant.iter().any(|&(at, text)| {
            let mut before = text.match_indices(&call).map(|(at, _)| &text[..at]);
            let is_called = is_value && before.any(|before| !before.ends_with(is_name));
            is_called || (at == line && packed(text) == packed(value))
        })
    }

    /// A free name for a const, made of the function and the words of the match arm around the
    /// literal, `BONUS_KNIGHT_PAIR`, or of the line where no arm is around, `BONUS_LINE_12`. If a
    /// text of the crate has the name already a number from 2 is put behind it.
    fn name(&self, line: usize) -> String {
        let [function, arm] = &self.scope;
        let last = if arm.is_empty() {
            format!("line_{line}")
        } else {
            arm.clone()
        };
        let mut name = String::new();
        // `knightPair` becomes `KNIGHT_PAIR`.
        for c in format!("{}_{last}", function.trim_start_matches("r#")).chars() {
            if c.is_uppercase() && name.ends_with(char::is_lowercase) {
                name.push('_');
            }
            name.push(c);
        }
        let name = name.to_uppercase();
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let mut all = std::iter::once(name.clone()).chain(numbered);
        let is_free = |name: &String| {
            !self.names.contains(name) && !self.texts.iter().any(|text| text.contains(&**name))
        };
        all.find(is_free).unwrap_or_default()
    }
}

impl<'a> Visit<'a> for BodyLiterals<'_> {
    /// Visits an item. For an outermost one it notes where the consts of its literals go, above the
    /// item, and which attribute they need: `#[tunable]` where the file has no `traced!()` and the
    /// item has it. If it got consts an empty line goes behind these. Tests, consts and statics are
    /// not visited.
    fn visit_item(&mut self, item: &'a Item) {
        if is_test(attributes(item)) || matches!(item, Item::Const(_) | Item::Static(_)) {
            return;
        }
        let around = (self.item.clone(), self.scope.clone(), self.of.take());
        let before = self.edits.len();
        if self.item.is_none() && !matches!(item, Item::Mod(_)) {
            let start = Extent::of(item).bytes().start;
            let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
            let is_first = self.text[line..start].trim().is_empty();
            // Bytes from the start of the line, so that consts get the indent of the item, if
            // nothing else is in the line before it.
            self.item = Some(if is_first { line } else { start }..start);
            let is_marked = |attr: &&Attribute| has_attribute(&[(*attr).clone()], "tunable");
            let marked = attributes(item).iter().find(is_marked);
            let marked = marked.filter(|_| !self.text.contains("traced!("));
            self.attribute = marked.map(|attr| {
                let text = &self.text[Extent::of(attr).bytes()];
                // `#[cfg_attr(feature = "tune", tunable(nonlinear))]` without the arguments.
                let head = text.split("tunable").next().unwrap_or_default();
                let end = if head.contains("cfg_attr") { ")]" } else { "]" };
                format!("{head}tunable{end}")
            });
        }
        visit::visit_item(self, item);
        let has_consts = around.0.is_none() && self.edits.len() > before;
        if let Some(at) = self.item.as_ref().filter(|_| has_consts) {
            let empty_line = line_end(self.text).to_owned();
            self.edits.push((at.start..at.start, empty_line));
        }
        (self.item, self.scope, self.of) = around;
    }

    /// Notes the name of the function, and the type of the numbers in its result; without a result,
    /// that of the numbers in the first argument behind `&mut`.
    fn visit_signature(&mut self, sig: &'a Signature) {
        self.scope[0] = sig.ident.to_string();
        let is_changed = |ty: &&Type| matches!(ty, Type::Reference(r) if r.mutability.is_some());
        let mut changed = typed(&sig.inputs).map(|arg| &*arg.ty).filter(is_changed);
        self.of = match &sig.output {
            ReturnType::Type(_, ty) => self.number(ty),
            ReturnType::Default => changed.find_map(|ty| self.number(ty)),
        };
    }

    /// Visits a `let`. If it says a type, that is the type of the literals in its value.
    fn visit_local(&mut self, local: &'a syn::Local) {
        match (&local.pat, &local.init) {
            (Pat::Type(pat), Some(init)) => self.within(self.number(&pat.ty), &init.expr),
            _ => visit::visit_local(self, local),
        }
    }

    /// Visits the body of a match arm, whose consts are named by the words of its pattern: the last
    /// names of paths, and `other` for `_`. The pattern and its guard are not visited.
    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        let pattern = arm.pat.to_token_stream().to_string().replace(" :: ", "::");
        let pattern = pattern.split(" if ").next().unwrap_or_default();
        let words = pattern.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let words = words.filter_map(|word| word.rsplit(':').next().filter(|w| !w.is_empty()));
        let words: Vec<&str> = words.map(|w| if w == "_" { "other" } else { w }).collect();
        let around = mem::replace(&mut self.scope[1], words.join("_"));
        self.is_value = is_literal(&arm.body);
        self.visit_expr(&arm.body);
        self.is_value = false;
        self.scope[1] = around;
    }

    /// Visits a statement, and notes whether it is a literal at the end of a block, which is the
    /// block's value.
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.is_value = matches!(stmt, Stmt::Expr(e, None) if is_literal(e));
        visit::visit_stmt(self, stmt);
        self.is_value = false;
    }

    /// Does not visit patterns, whose literals stay.
    fn visit_pat(&mut self, _: &'a Pat) {}

    /// Makes a const of a literal that is to be one, if its suffix or what is around it says its
    /// type. Without a type it is noted as untyped, and stays.
    fn visit_expr(&mut self, expr: &'a Expr) {
        if !is_literal(expr) {
            return visit::visit_expr(self, expr);
        }
        let (extent, Some(item)) = (Extent::of(expr), self.item.clone()) else {
            return;
        };
        let (line, value) = (location(extent.start).0, &self.text[extent.bytes()]);
        if !self.is_meant(line, value) {
            return;
        }
        let suffix = SIGNED.iter().find(|suffix| value.ends_with(*suffix));
        // The type around a float may be that of a cast, and is then another.
        let can_be = |of: &String| of.starts_with('f') || !value.contains('.');
        let around = || self.of.clone().filter(can_be);
        let Some(of) = suffix.map(|s| (*s).to_owned()).or_else(around) else {
            return self.untyped.push((line, value.to_owned()));
        };
        let (name, indent) = (self.name(line), &self.text[item.clone()]);
        let constant = format!("const {name}: {of} = {value};");
        // Above the item go the attribute, if consts need one, and the const, each as a line.
        for line in self.attribute.clone().iter().chain([&constant]) {
            let line = format!("{indent}{line}{}", line_end(self.text));
            self.edits.push((item.start..item.start, line));
        }
        self.edits.push((extent.bytes(), name.clone()));
        self.names.push(name);
    }

    /// Visits the operands; a literal that something is multiplied or compared with is left out, as
    /// it is no weight, unlike one that is added.
    fn visit_expr_binary(&mut self, e: &'a syn::ExprBinary) {
        use BinOp::{Add, AddAssign, Sub, SubAssign};
        let adds = matches!(e.op, Add(_) | AddAssign(_) | Sub(_) | SubAssign(_));
        for side in [&e.left, &e.right] {
            if adds || !is_literal(side) {
                self.visit_expr(side);
            }
        }
    }

    /// Visits what is indexed, and not the index: a literal there is no weight.
    fn visit_expr_index(&mut self, e: &'a syn::ExprIndex) {
        self.visit_expr(&e.expr);
    }

    /// Visits what is cast, whose type is not the one expected around the cast.
    fn visit_expr_cast(&mut self, e: &'a syn::ExprCast) {
        self.within(None, &e.expr);
    }

    /// Visits the arguments of a struct or a function. Their type is the first type of signed
    /// numbers in the declaration of the struct or function, where a text of the crate has that.
    fn visit_expr_call(&mut self, e: &'a syn::ExprCall) {
        let name = match bare(&e.func) {
            Expr::Path(path) => last_name(&path.path),
            _ => String::new(),
        };
        let declared = |head: &str| {
            let list = self.declared(&format!("{head} {name}("), ')')?;
            list.split([',', ' ']).find(|word| SIGNED.contains(word))
        };
        let of = declared("struct").or_else(|| declared("fn"));
        for arg in &e.args {
            self.within(of.map(str::to_owned), arg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_become_consts_above_their_item() {
        let text = "struct S(pub i16, pub i16);\ntype V = i64;\nmod inner {\r\n    /// Bonus.\r\n    #[tunable(nonlinear)]\r\n    \
            fn bonus(x: usize) -> V {\r\n        match x { 3 if x < 5 => 5, Man::KnightPair | Man::Rook => -5, _ => 0 }\r\n    }\r\n}\n\
            fn add(to: &mut i32, at: usize) { if at == 15 { *to += 15 } }\n\
            impl S { fn s(n: f32) -> S { S(3, -(4)) } fn t(&self) -> u8 { g(9) as u8 } fn m(m: i16) -> S { t(m) } fn u() -> S { S::m(8) } }\n";
        let text = text.replace('\n', "\r\n").replace("\r\r", "\r");
        let meant = [
            (7, "5"),
            (7, "- 5"),
            (10, "15"),
            (11, "3"),
            (11, "-(4)"),
            (11, "9"),
            (11, "8"),
            (1, "7"),
        ];
        let texts = [&*text, "const BONUS_3: u8 = 0;"];
        let (found, new) = BodyLiterals::named(&texts, &text, &meant);
        assert_eq!(found.untyped, [(11, "9".to_owned())]);
        let names = [
            "BONUS_3_2",
            "BONUS_KNIGHT_PAIR_ROOK",
            "ADD_LINE_10",
            "S_LINE_11",
            "S_LINE_11_2",
            "U_LINE_11",
        ];
        assert_eq!(found.names, names);
        for lines in [
            "    #[tunable]\n    const BONUS_3_2: i64 = 5;\n    #[tunable]\n    \
             const BONUS_KNIGHT_PAIR_ROOK: i64 = -5;\n\n    /// Bonus.\n",
            " { 3 if x < 5 => BONUS_3_2, Man::KnightPair | Man::Rook => BONUS_KNIGHT_PAIR_ROOK, _ => 0 }\n",
            "const ADD_LINE_10: i32 = 15;\n\nfn add(to: &mut i32, at: usize) { if at == 15 { *to += ADD_LINE_10 } }\n",
            "const S_LINE_11: i16 = 3;\nconst S_LINE_11_2: i16 = -(4);\nconst U_LINE_11: i16 = 8;\n\n\
             impl S { fn s(n: f32) -> S { S(S_LINE_11, S_LINE_11_2) }",
        ] {
            assert!(new.contains(&lines.replace('\n', "\r\n")), "{lines}{new}");
        }
        let text = "fn f(x: i32) -> i32 { if x == 3 { return 0; } match x * 2 { 1 => { 7 } _ => x + 2 } }\n\
             fn g(x: f32) -> i32 { let share = x + 0.5; (share * 3.0) as i32 }";
        let meant = [(0, "a + g.f(x) * b"), (1, "of(2)"), (2, "0.5")];
        let texts = [text];
        let (found, _) = BodyLiterals::named(&texts, text, &meant);
        assert_eq!(found.names, ["F_1"]);
        assert_eq!(found.untyped, [(2, "0.5".to_owned())]);
        let (_, same) = BodyLiterals::named(&texts, "fn f( {", &meant);
        assert_eq!(same, "fn f( {");
    }
}
