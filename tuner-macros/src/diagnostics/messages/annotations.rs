//! Annotations: where they are missing, wrong, or without effect.

use super::{
    ADD_TRACED, Cure, FREEZE_CONST, FREEZE_IF_NO_WEIGHT, Message, freeze_weight, messages,
};

messages! { Message;
    static_mut(): "a `static mut` that annotated code writes to cannot hold weights" [
        "compute it in a `LazyLock`",
        "keep what writes to it in a file that is not traced",
        FREEZE_CONST,
    ]
    no_tunable_item(): "`#[tunable]` stands on a function, an impl block, an inline module, a struct, \
        a const or a static" [
        "for a whole file write `#[cfg(feature = \"tune\")] tuner_core::traced!();` as its last line",
    ]
    no_body(): "`nonlinear` says how a body may compute"
        ["write it at a function, an impl block or an inline module"]
    file_module(): "`#[tunable]` cannot see into a module that is a file"
        ["write `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of that file"]
    stray_item(): "`#[tunable]` did not find this item in its file"
        ["an item that another macro writes has no twin: write it out"]
    associated_weight(): "a const of an impl block is a weight where the block has no generics, is of no \
        trait, and its file is traced as a whole" [
        "write `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of this file",
        "give the const the module",
    ]
    associated_name(name): "this const of an impl block is the weight `{name}`, and another item of the \
        module is called so"
        ["rename one of the two", "give the const the module"]
    operator_method(): "a method of an operator has no twin of its own"
        ["annotate its impl block with `#[tunable]`"]
    unreached_method(): "no weight reaches this method"
        ["annotate its impl block with `#[tunable]`", "leave it as it is"]
    length(): "the length of a table of weights must be a number of at most 65536"
        ["write it out", FREEZE_IF_NO_WEIGHT]
    cfg(): "a weight under `#[cfg]` has no number in builds without it"
        ["put the `#[cfg]` on the code that uses it", FREEZE_CONST]
    lazy(): "nobody can see what computes this static from weights"
        ["write `LazyLock::new(|| …)`", "mark it `#[frozen]`"]
    empty_file(): "nothing in this file is a weight, and no weight reaches its functions"
        ["add `traced!()` to the file of the tables that they read", "remove this line"]
    empty_registry(): "no const or static of this crate is a weight" [
        "add `#[cfg(feature = \"tune\")] tuner_core::traced!();` as the last line of each file of \
        tables",
    ]
    blob(): "nobody can see the numbers in this table, which come as bytes"
        ["write them out as literals", FREEZE_CONST]
    list_in_code(name): "the numbers of `{name}` stand inside code, where none of them is a weight"
        ["make a const of the list, and name that in the code", FREEZE_CONST]
    untraced_value(): "`untraced!` stands around whole statements, with a semicolon where its value \
        is not used"
        ["to give a value another source in the twin write `traced_as!(VALUE => OTHER)`"]
    inline_weight(): "`weight!` names one number where it is used, `weight!(TEMPO: 10)`"
        ["the weights of a pair or a table are in a const"]
    inline_again(name): "another weight or item of this module is called `{name}`"
        ["give this one a name of its own", "make both one const"]
    unmarked_reader(name, weight) + trace name weight: "`{name}` reads the weight `{weight}` and has no `#[tunable]`"
        ["mark it", freeze_weight(weight)]
    unmarked_reader_of(name, owner, weight) + trace name weight: "`{name}` of `{owner}` reads the weight `{weight}` and has no \
        `#[tunable]`" [
        "mark it",
        freeze_weight(weight),
        "say in a `let` or a signature of which other type this is a method",
    ]
    provided_reader(name, weight): "`{name}` reads the weight `{weight}` in the body that its trait \
        provides, which has no twin" [
        "write the body in each impl",
        "make it a function of its own",
        freeze_weight(weight),
    ]
    written_reader(name, by, weight): "`{name}` reads the weight `{weight}` and is written by `{by}!`, \
        where no twin can see it"
        ["write it out with `#[tunable]`", freeze_weight(weight)]
    plain_reader(name, weight) + trace name weight: "`{name}` reads the weight `{weight}` and returns no score, which is \
        not linear in the weights"
        ["decide by something that no weight changes", freeze_weight(weight)]
    functions_in_table(name, weight): "`{name}` holds functions, of which one reads the weight `{weight}`, and has no twin" [
        "call each of them by its name, as in `material(board) + mobility(board)` or in a `match`",
        freeze_weight(weight),
    ]
    no_score(name, weight): "`{name}` reads the weight `{weight}` and returns a number that no score \
        is seen to reach" [
        "hand the score on as a number, in a struct of this file, or by calls of functions",
        Cure::Say(format!("write `traced!(untraced({name}))` if it is no part of the evaluation")),
    ]
    implicit_reader(name, of_trait, owner, weight): "`{owner}` is used here, and its `{name}` of `{of_trait}` \
        reads the weight `{weight}` and is called without its name, which leads to production" [
        Cure::Say(format!("write a function or a method of `{owner}` in place of this impl, and \
            call that")),
        freeze_weight(weight),
    ]
    through_trait(name, path, weight): "`{path}` names no type whose twin the call could reach, and \
        `{name}` may read the weight `{weight}`"
        [Cure::Say(format!("call `{name}` where the type is known, as by a `match` on an enum")), freeze_weight(weight)]
    macro_of_weights(name, weight): "`{name}!` reads the weight `{weight}`, where no twin can see it"
        ["write a function with `#[tunable]`", freeze_weight(weight)]
    unknown_constructor(name) + trace name: "weights stand inside `{name}`, which has no twin" [
        "annotate the type and its impl with `#[tunable]`",
        "mark this const `#[frozen]` if its numbers are no weights",
    ]
    pair_elsewhere(name, pair) + trace pair: "`{name}` is no weight while `{pair}` has no twin" [
        Cure::Say(format!("annotate the file of `{pair}` and its operators, \
            `#[cfg(feature = \"tune\")] tuner_core::traced!();`")),
        FREEZE_IF_NO_WEIGHT,
    ]
    unread_macro(name): "weights stand inside `{name}!`, whose input is no list of expressions, so \
        that it has no twin"
        ["write a function or a loop in its place"]
    nested_const(name): "`{name}` joins the score, but a const inside a function is no weight"
        ["move it out to the module and annotate it", "mark it `#[frozen]` there"]
    nested_function(name): "`{name}` stands inside a function and needs weights, so that it has no \
        twin"
        ["move it out to the module and annotate it"]
    unknown_argument(name): "unknown argument `{name}`" [
        "expected `nonlinear`, `frozen(NAME, …)`, `untraced(FUNCTION, …)` or \
        `replaced(FUNCTION => OTHER, …)`",
    ]
    unknown_mode(name): "unknown argument `{name}`"
        ["expected `nonlinear` or nothing"]
    unknown_frozen(name): "`{name}` in `frozen(…)` is no const or static of this file"
        ["correct or remove the name"]
    unknown_listed(name, list): "`{name}` in `{list}(…)` is not declared in this file"
        ["correct or remove the name"]
    other_arguments(name, other): "`{other}` takes other arguments than `{name}`, which calls it in \
        the twin"
        ["name a function with the same arguments"]
    unmarked_member(name, owner) + trace name: "`{owner}::{name}` is in an impl block without `#[tunable]`, and the \
        twin has a `{owner}` of its own"
        ["annotate the block too", ADD_TRACED]
    trait_method(name, of_trait, owner): "`{name}` of the trait `{of_trait}` has no twin for `{owner}`, \
        of which the twin has one of its own"
        [Cure::Say(format!("write what it computes in an `impl {owner}` block, and call that"))]
    untraced_call(name, listed): "`{name}` is called here, and `untraced({listed})` leaves it without twin" [
        Cure::Say(format!("take `{listed}` out of that list")),
        "leave the statement out of the twin as well: `tuner_core::untraced! { … }`",
    ]
    twinned(owner, field, holds, name, without): "`{owner}` has a twin because its field `{field}` {holds}, and \
        `{name}` takes production's `{owner}`"
        [
            Cure::Say(if without == owner {
                format!("leave it without: `traced!(untraced({owner}))` in its file")
            } else {
                format!("leave them without: `traced!(untraced({without}))`, each in its file")
            }),
            Cure::Say(format!("annotate the file of `{name}` as well")),
        ]
    plain_field(field, owner, pair, value, other): "`{owner}` has no twin, and its field `{field}` is production's \
        `{pair}`"
        [compute_anew(value, other), give_twin(owner)]
    plain_method(name, owner, pair, value, other): "`{owner}` has no twin, and its method `{name}` gives production's \
        `{pair}`"
        [compute_anew(value, other), give_twin(owner)]
    plain_part(field, owner, part, inner, holds): "`{owner}` has no twin, and its field `{field}` is \
        production's `{part}`, which has one because its field `{inner}` {holds}"
        [
            Cure::Say(format!("leave that without as well: `traced!(untraced({part}))` in its file")),
            give_twin(owner),
        ]
    same_name(name, used, known): "`{used}` and `{known}` are two types of one name, and the macros \
        tell types by their names"
        [Cure::Say(format!("rename one of them, also where `{name}` is imported"))]
    hidden(name, module): "the twin of `{name}` is in `{module}`, a private module that cannot be \
        seen from here"
        [Cure::Say(format!("declare it `pub(crate) mod {};`",
            module.rsplit("::").next().unwrap_or(module)))]
    no_argument(name): "`{name}` takes no argument here"
        ["write it without"]
}

/// The cure that `value`, which production has and no trace sees, is computed by the code `other`
/// in the twin.
fn compute_anew(value: &str, other: &str) -> Cure {
    Cure::Say(format!(
        "compute it anew in the twin: `tuner_core::traced_as!({value} => {other})`"
    ))
}

/// The cure that the struct `owner` gets a twin, a traced version of its own.
fn give_twin(owner: &str) -> Cure {
    Cure::Say(format!(
        "give `{owner}` a twin, where it holds the weights: `traced!()` in its file, without \
         `untraced({owner})`"
    ))
}
