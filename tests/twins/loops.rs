//! Tables that macros of the author's fill: loops of statements, as const
//! functions have them, in two copies that differ in a lint.

use crate::support::assert_derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
pub mod loops {
    use crate::weights::S;

    macro_rules! cfor {
        ($init:stmt; $condition:expr; $step:expr; $body:block) => {{
            $init
            #[allow(while_true)]
            while $condition {
                $body;
                $step;
            }
        }};
    }

    const HALF: [S; 3] = [S(61, 62), S(63, 64), S(-65, 66)];

    const fn mirrored() -> [S; 6] {
        let mut all = [S(0, 0); 6];
        cfor!(let mut side = 0; side < 2; side += 1; {
            let sign = if side == 0 { 1 } else { -1 };
            cfor!(let mut index = 0; index < 3; index += 1; {
                let S(mg, eg) = HALF[index];
                all[3 * side + index] = S(mg * sign, eg * sign);
            });
        });
        all
    }

    static ALL: [S; 6] = mirrored();

    pub fn evaluate(at: usize, other: usize) -> i32 {
        ALL[at].mg() * 3 + ALL[other].eg()
    }
}

mod copy {
    #[allow(unused_macros, reason = "each file of an engine has its own")]
    macro_rules! cfor {
        ($init:stmt; $condition:expr; $step:expr; $body:block) => {{
            $init
            while $condition {
                $body;
                $step;
            }
        }};
    }
}

#[test]
fn a_table_that_loops_fill_follows_its_weights() {
    assert_eq!(loops::evaluate(1, 5), 63 * 3 - 66);
    assert_derivatives(
        || loops::__traced::evaluate(1, 5),
        &[("HALF2", 3.0), ("HALF5", -1.0)],
    );
}
