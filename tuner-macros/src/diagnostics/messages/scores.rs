//! Scores: where they may not be used.

use super::{
    ADD_TRACED, Cure, FREEZE_CONST, FREEZE_IF_NO_WEIGHT, LEAVE_OUT, MARK_NONLINEAR, Message,
    NotLinear, messages,
};

messages! { NotLinear;
    product(): "a product of two scores" [
        "multiply a score by a plain number",
        "give the product a weight of its own in a table",
        MARK_NONLINEAR,
    ]
    quotient(): "division by a score"
        ["divide by a plain number", FREEZE_IF_NO_WEIGHT, MARK_NONLINEAR]
    remainder(): "the remainder of a score"
        ["compute it from plain numbers"]
    comparison(): "a comparison of scores"
        ["decide by something that no weight changes", FREEZE_CONST, MARK_NONLINEAR]
    bits(): "a bit operation on a score"
        ["keep the halves of a pair in a struct", FREEZE_CONST]
    index(): "a score as an index"
        ["index by a plain number", FREEZE_CONST]
    match_on(): "a match on a score"
        ["match on something that no weight changes", FREEZE_CONST]
    unsigned(): "a score cast to an unsigned type or `i128`"
        ["cast to a smaller signed integer or a float", FREEZE_CONST]
    range(): "a range of scores"
        ["make the range of plain numbers", FREEZE_CONST]
    freeze(): "`freeze!` of a score" [MARK_NONLINEAR]
    interpolated(): "`interpolated!` of a score" [MARK_NONLINEAR]
    method(name): "`{name}` of a score"
        ["apply it to plain numbers", FREEZE_CONST]
    traced_method(name): "`{name}` of a score"
        ["apply it to plain numbers", FREEZE_CONST, MARK_NONLINEAR]
}

messages! { Message;
    format(): "a score cannot be turned into text where it is traced"
        ["let the caller print it", "move this function to a file that is not traced"]
    bytes(name): "`{name}` reads the bytes of a score, of which a traced one has others"
        ["cast the number, `as`", "read the entry of the table by its index"]
    exponent(): "a score as an integer exponent has no traced form"
        ["use `powf`", "compute the exponent from plain numbers"]
    pairs(): "a comparison of pairs has no traced form"
        ["compare the numbers in them, one by one"]
    freeze_pair(): "`freeze!` takes one number"
        ["freeze the numbers of a pair one by one"]
    interpolated_pair(): "`interpolated!` takes a table of numbers and one number"
        ["look the numbers of a pair up one by one"]
    extreme(name): "`{name}` of an iterator of scores has no traced form"
        [Cure::Say(format!("fold it from a first number: `.fold(0, i32::{name})`"))]
    operator(sign, pair): "`{sign}` of `{pair}` and a score has no twin"
        [Cure::Nonlinear("the impl block of this operator")]
    unknown_function(name) + trace name: "a score goes into `{name}`, which has no twin"
        ["annotate it with `#[tunable]` too", ADD_TRACED]
    function_value(): "a score goes into a function that is a value, whose arguments are plain numbers \
        in the twin"
        ["call the function by its name", "let it return the factor of the score"]
    number_method(name): "`{name}` is a method that this crate has for numbers, which no score has"
        [Cure::Say(format!("write a function, and call it with the score: `{name}(score)`"))]
    through_parameter(name): "a score goes into or comes out of `{name}`, which is called here of a type \
        parameter, where the twin cannot reach its own"
        [LEAVE_OUT, "call it where the type is known"]
    pair_without_twin(name, pair) + trace name: "`{name}` gives a `{pair}` and has no twin"
        ["annotate it with `#[tunable]` too", ADD_TRACED]
    unknown_method(name) + trace name: "a score goes into method `{name}`, which has no twin"
        ["annotate its impl block with `#[tunable]` too", LEAVE_OUT]
    unknown_type(name) + trace name: "a score goes into `{name}`, which has no twin"
        ["annotate the struct and its impl with `#[tunable]`", "keep the score in a tuple, beside an enum"]
    union_of(name): "a score goes into the union `{name}`, whose bytes a traced one has not"
        ["keep it in a struct, or in a variable"]
    kept_closure(name): "a closure that gives a score is kept in `{name}`, whose field is of any type"
        ["keep the closure in a variable", "let the field be a `Box<dyn Fn(…) -> …>`"]
    stored_in(name): "a score is kept in `{name}`, where no derivative follows it" [
        "compute the score anew where it is traced",
        LEAVE_OUT,
    ]
    unknown_field(name): "a score goes into field `{name}`, whose struct has no twin"
        ["annotate the struct and its impl with `#[tunable]`", LEAVE_OUT]
    operator_form(name): "`{name}` of a score has no traced form"
        ["write the operator (`+`, `-`, `*`, `/`, `<<`, `>>`)", "apply it to plain numbers"]
}
