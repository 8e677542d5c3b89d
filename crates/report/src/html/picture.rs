//! Small pictures that tables hold, and what they mean.

use maud::{Markup, html};

/// Returns a bar from the middle: to the right where a number is above 0, as long
/// as half the picture where it is `most` or more.
pub(crate) fn bar(value: f64, most: f64) -> Markup {
    let length = if most > 0.0 {
        (100.0 * value.abs() / most).min(100.0)
    } else {
        0.0
    };
    let (class, x) = if value < 0.0 {
        ("down", 100.0 - length)
    } else {
        ("up", 100.0)
    };
    // `true`: with a line in the middle.
    bars(&[(class, x, length)], true)
}

/// Returns a bar of a part of a whole, which is 1.
pub(crate) fn share(part: f64) -> Markup {
    let length = 200.0 * part.clamp(0.0, 1.0);
    // The whole, and the part over it; `false`: without a line in the middle.
    bars(&[("rest", 0.0, 200.0), ("up", 0.0, length)], false)
}

/// Returns bars in one picture, 200 wide: the class of each, where it begins, and its length;
/// with a line in the middle, or without.
pub(super) fn bars(parts: &[(&str, f64, f64)], has_middle: bool) -> Markup {
    html! {
        svg viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (class, x, length) in parts {
                rect class=(class) x=(format!("{x:.1}")) y="1" width=(format!("{length:.1}")) height="8" {}
            }
            @if has_middle { path.mid d="M100 0V10" {} }
        }
    }
}

/// Returns the class of a cell, by which it has its colour: how far a number is from 0 in five
/// steps, of which `most` is the last.
pub(super) fn class_of(value: f64, most: f64) -> String {
    let step = if most > 0.0 {
        (5.0 * value.abs() / most).round().min(5.0)
    } else {
        0.0
    };
    class(value, step as usize)
}

/// Returns the class of a cell, by which it has its colour, for a change in standard errors: none
/// for less than one, else darker from 1, 2, 3 and 4 on. Two and more, which chance rarely leads
/// to, are clearly darker than one.
pub(crate) fn difference_cell(errors: f64) -> String {
    let size = errors.abs();
    let limits = [1.0, 2.0, 3.0, 4.0];
    let step = [0, 1, 3, 4, 5][limits.iter().filter(|limit| size >= **limit).count()];
    class(errors, step)
}

/// Returns the class of a cell: `p` for a number above 0 or `n` for one below, and `step`, how dark
/// it is, 1 to 5, as in `p3`. Empty for step 0, or a number that is not finite.
fn class(value: f64, step: usize) -> String {
    match step {
        _ if step == 0 || !value.is_finite() => String::new(),
        step => format!("{}{step}", if value < 0.0 { 'n' } else { 'p' }),
    }
}

/// What the colours of cells of standard errors mean.
pub(crate) fn legend() -> Markup {
    html! {
        div.key {
            span.n5 { "≤ -4" } span.n4 { "-3" } span.n3 { "-2" } span.n1 { "-1" }
            span { "0" }
            span.p1 { "+1" } span.p3 { "+2" } span.p4 { "+3" } span.p5 { "≥ +4" }
            i { "standard errors" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_tell_sign_and_size() {
        let classes = [-9.0, -2.0, -1.0, 0.5, 2.5, 4.0, f64::NAN].map(difference_cell);
        assert_eq!(classes, ["n5", "n3", "n1", "", "p3", "p5", ""]);
        assert_eq!(class_of(-10.0, 10.0), "n5");
        assert_eq!(class_of(3.0, 0.0), "");
        assert_eq!(class_of(f64::NAN, 1.0), "");
    }

    #[test]
    fn bars_stay_in_their_pictures() {
        assert!(
            bar(-1e300, 1.0)
                .into_string()
                .contains(r#"x="0.0" y="1" width="100.0""#)
        );
        assert!(share(7.0).into_string().contains(r#"width="200.0""#));
    }
}
