//! Pairs whose numbers are written as those of lists, with a layout that is the same.

use tuner_core::trace::{Recorder, Trace};
use tuner_core::tunable;

#[tunable]
mod pairs {
    use std::mem::transmute;

    #[derive(Clone, Copy)]
    #[repr(C)]
    pub struct Pair {
        pub mg: Unit,
        pub eg: Unit,
    }

    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub struct Unit(i16);

    pub type Table = [[Pair; 3]; 2];

    pub const TABLE: Table = unsafe {
        transmute([
            [[64i16, -65], [66, 67], [68, 69]],
            [[-70, 71], [72, 73], [74, 75]],
        ])
    };

    #[rustfmt::skip]
    static SINGLE: [Unit; 4] = unsafe { std::mem::transmute([1i16, 2, 3, 4]) };

    pub fn evaluate(row: usize, phase: i32) -> i32 {
        let mut score = 0;
        for pair in &TABLE[row] {
            score += i32::from(pair.mg.0) * phase + pair.eg.0 as i32 * (24 - phase);
        }
        score / 24 + i32::from(SINGLE[row].0)
    }
}

fn main() {
    let parameters = tuner_core::registry!().parameters;
    let of = |name| parameters.iter().find(|p| p.name == name).map(|p| (p.dims, p.lanes));
    assert_eq!(of("TABLE"), Some((&[2, 3][..], 2)));
    assert_eq!(of("SINGLE"), Some((&[4][..], 1)));
    for (row, phase) in [(0, 24), (1, 0), (1, 10)] {
        let mut trace = Trace::default();
        Recorder::new().record(|| pairs::__traced::evaluate(row, phase), &mut trace);
        assert_eq!(trace.score, f64::from(pairs::evaluate(row, phase)));
        let terms = trace.forms.iter().map(|form| form.terms.len()).sum::<usize>();
        assert_eq!(terms, if phase % 24 == 0 { 4 } else { 7 });
    }
}
