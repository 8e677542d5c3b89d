//! The type of a tapered value: imported, or defined in the generated file.

use crate::{Integer, Output};

/// The definition of a type `PAIR` of two numbers of type `INT`. Its `taper` computes in the type
/// `WIDE`, from the halves `MG` and `EG`.
const DEFINITION: &str = include_str!("pair.rs.txt");

/// Returns the Rust code for the type of tapered values, two numbers for middlegame and endgame: a
/// `use` if the spec gives the path of a type, or else a definition from a template.
pub(super) fn pair(output: &Output) -> String {
    if let Some(path) = &output.pair_from {
        return format!("\nuse {path};\n");
    }
    let half = if output.float_pairs {
        output.float.name()
    } else {
        output.integer.name()
    };
    // The type in which `taper` computes, and how it gets both numbers in it.
    let [wide, mg, eg] = match output.integer {
        // In 8 or 16 bits the product of a number with the phase would overflow.
        Integer::I8 | Integer::I16 if !output.float_pairs => {
            ["i32", "i32::from(self.0)", "i32::from(self.1)"]
        }
        _ => [half, "self.0", "self.1"],
    };
    let mut text = DEFINITION.replace("WIDE", wide);
    text = text.replace("MG", mg).replace("EG", eg);
    let mut panics = "If `full` is 0.";
    if output.float_pairs {
        panics = "Never; where `full` is 0 there is no number.";
        text = text.replace("PartialEq, Eq", "PartialEq");
        text = text.replace("Self(0, 0)", "Self(0.0, 0.0)");
    }
    let text = text.replace("PANICS", panics).replace("INT", half);
    text.replace("PAIR", &output.pair)
}
