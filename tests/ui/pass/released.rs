//! The tuner's macros in bodies, in a crate whose dependency on `tuner_core` is
//! optional: the crate itself takes its name where it is not there.
#![deny(warnings)]

#[cfg(not(feature = "tune"))]
extern crate self as tuner_core;

#[cfg(not(feature = "tune"))]
mod without_tuner {
    #[macro_export]
    macro_rules! freeze {
        ($score:expr) => {
            $score
        };
    }

    #[macro_export]
    macro_rules! interpolated {
        ($table:expr, $score:expr) => {
            $table[($score) as usize]
        };
    }

    #[macro_export]
    macro_rules! traced_as {
        ($production:expr => $twin:expr) => {
            $production
        };
    }

    #[macro_export]
    macro_rules! untraced {
        ($($statements:tt)*) => {
            $($statements)*
        };
    }

    #[macro_export]
    macro_rules! weight {
        ($name:ident: $value:expr) => {
            $value
        };
    }
}

mod eval {
    const SAFETY: [i32; 4] = [0, 2, 9, 30];

    pub fn from_scratch(men: i32) -> i32 {
        tuner_core::weight!(MAN: 90) * men
    }

    pub fn evaluate(men: i32, kept: i32, known: Option<i32>) -> i32 {
        debug_assert_eq!(kept, from_scratch(men));
        tuner_core::untraced! {
            if let Some(score) = known {
                return score;
            }
        }
        let kept = tuner_core::traced_as!(kept => from_scratch(men));
        let tempo = tuner_core::weight!(TEMPO: 10);
        let large = tuner_core::freeze!(tempo) > 5;
        kept + tuner_core::interpolated!(SAFETY, tempo / 5) + if large { tempo } else { 0 }
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(nonlinear);
}

fn main() {
    assert_eq!(eval::evaluate(2, 180, None), 180 + 9 + 10);
    #[cfg(feature = "tune")]
    {
        use tuner_core::trace::{Recorder, Trace};
        let mut trace = Trace::default();
        Recorder::new().record(|| eval::__traced::evaluate(2, 180, Some(1)), &mut trace);
        assert!((trace.score - 199.0).abs() < 1e-9);
        let names = tuner_core::registry!().parameters.iter().map(|p| p.name);
        assert_eq!(names.collect::<Vec<_>>(), ["SAFETY", "MAN", "TEMPO"]);
    }
}
