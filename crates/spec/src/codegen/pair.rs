//! The type of a tapered value: imported, or defined in the generated file.

use crate::{Integer, Output};

/// The definition, for a type `PAIR` of two `INT`; `taper` computes in `WIDE`, from `MG` and `EG`.
const DEFINITION: &str = include_str!("pair.rs.txt");

/// Imports or defines the type of a tapered value.
pub(super) fn pair(output: &Output) -> String {
    if let Some(path) = &output.pair_from {
        return format!("\nuse {path};\n");
    }
    let (half, integer) = (output.float.name(), output.integer);
    let [wide, mg, eg] = match integer {
        _ if output.float_pairs => [half, "self.0", "self.1"],
        // The product of a half with a phase would overflow.
        Integer::I8 | Integer::I16 => ["i32", "i32::from(self.0)", "i32::from(self.1)"],
        _ => [integer.name(), "self.0", "self.1"],
    };
    let text = DEFINITION.replace("WIDE", wide);
    let text = text.replace("MG", mg).replace("EG", eg);
    let text = if output.float_pairs {
        let zero = "Never; where `full` is 0 there is no number.";
        let text = text.replace("PANICS", zero).replace("INT", half);
        let text = text.replace("PartialEq, Eq", "PartialEq");
        text.replace("Self(0, 0)", "Self(0.0, 0.0)")
    } else {
        let text = text.replace("PANICS", "If `full` is 0.");
        text.replace("INT", integer.name())
    };
    text.replace("PAIR", &output.pair)
}
