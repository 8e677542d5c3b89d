//! Every reason to stop, produced, with what is said of it.

use super::*;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{Curvature, NeedsRetrace, PassError, PassResult};

/// A function of one variable, as value, slope and curvature.
struct Toy(fn(f64) -> [f64; 3]);

impl Objective for Toy {
    fn len(&self) -> usize {
        1
    }
    fn value(&self, x: &[f64]) -> Result<f64, PassError> {
        Ok((self.0)(x[0])[0])
    }
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, PassError> {
        let [value, slope, _] = (self.0)(x[0]);
        gradient[0] = slope;
        // What stands for data that cannot be read.
        if x[0] > 1e12 {
            return Err(PassError::new("rows.arrow is gone"));
        }
        Ok(value)
    }
    fn curvature(&self, x: &[f64], _: Curvature, matrix: &mut Symmetric) -> Result<(), PassError> {
        *matrix = Symmetric::zeros(1);
        matrix.add(0, 0, (self.0)(x[0])[2]);
        Ok(())
    }
    fn diagonal(&self, x: &[f64], _: Curvature) -> PassResult<Vec<f64>> {
        Ok(vec![(self.0)(x[0])[2]])
    }
    fn curvature_product(&self, x: &[f64], _: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
        Ok(vec![(self.0)(x[0])[2] * v[0]])
    }
}

fn end(toy: fn(f64) -> [f64; 3], start: f64, options: &Options) -> Termination {
    of(
        &Toy(toy),
        start,
        options,
        FREE,
        None,
        ControlFlow::Continue(()),
    )
}

fn of(
    toy: &Toy,
    start: f64,
    options: &Options,
    bounds: (f64, f64),
    needs_retrace: Option<NeedsRetrace<'_>>,
    flow: ControlFlow<()>,
) -> Termination {
    let problem = Problem {
        objective: toy,
        held_out: None,
        bounds: &[bounds],
        constraints: &[],
        prior: None,
        needs_retrace,
    };
    let solution = minimise(&problem, &[start], options, &mut |_| flow);
    solution.summary.termination
}

fn parabola(x: f64) -> [f64; 3] {
    [1.0 + x * x, 2.0 * x, 2.0]
}

#[test]
fn a_decrease_that_tells_nothing_ends_a_descent() {
    let early = Options {
        worth: 1e-3,
        ..Options::default()
    };
    let quartic = |x: f64| [1.0 + x.powi(4), 4.0 * x.powi(3), 12.0 * x * x + 1e-9];
    let found = end(quartic, 9.0, &early);
    assert_eq!(found, Termination::WithinStandardError);
    assert!(found.to_string().contains("as far as the data tell"));
    assert!(found.is_optimum());
}

#[test]
fn what_is_said_of_an_end_is_true() {
    use Termination as T;
    let auto = Options::default();
    let newton = Options::of(Solver::Newton);
    let few = Options {
        iterations: 1,
        ..Options::default()
    };
    let quartic = |x: f64| [1.0 + x.powi(4), 4.0 * x.powi(3), 12.0 * x * x + 1e-9];
    let with = |bounds, flow| of(&Toy(parabola), 9.0, &auto, bounds, None, flow);
    let go = ControlFlow::Continue(());
    let stale = of(&Toy(quartic), 9.0, &auto, FREE, Some(&|_| Ok(true)), go);
    for (found, expected, words) in [
        (
            end(parabola, 9.0, &auto),
            T::GradientAtRounding,
            "gradient is at rounding",
        ),
        // A slope that is none of the value: rounding, at its worst.
        (
            end(|x| [1.0 + x * x, -1e-3, 1.0], 0.0, &auto),
            T::NoFurtherDecrease,
            "no step lowers",
        ),
        // Linear rows, |p − R|: no `max` far and wide.
        (
            end(
                |x| [1.0 + x.abs() + 1e-12 * x * x, x.signum(), 1.0],
                1.0 / 3.0,
                &auto,
            ),
            T::Kink,
            "the last step had to be damped, and lowered the error by less than a billionth",
        ),
        (
            end(
                |x| {
                    [
                        1.0 + 1.0 / (1.0 + x),
                        -(1.0 + x).powi(-2),
                        2.0 * (1.0 + x).powi(-3),
                    ]
                },
                0.0,
                &newton,
            ),
            T::Tail,
            "below 1e-9",
        ),
        (stale, T::NeedsRetrace, "trace them again"),
        (
            end(
                |x| [1.0 + x * x, 2.0 * x, if x < 9.0 { f64::NAN } else { 1.0 }],
                9.0,
                &auto,
            ),
            T::NumericalFailure,
            "no step can be computed",
        ),
        (
            end(quartic, 9.0, &few),
            T::IterationLimit,
            "iteration limit",
        ),
        (
            end(|x| [-x, -1.0, 1e-15], 0.0, &auto),
            T::PassFailed(PassError::new("rows.arrow is gone")),
            "data could not be read; the weights are the best so far: rows.arrow is gone",
        ),
        (
            with(FREE, ControlFlow::Break(())),
            T::Interrupted,
            "interrupted",
        ),
        (
            with((9.0, 9.0), go),
            T::NothingToFit,
            "no weight is free and seen",
        ),
        (
            end(|_| [1.0, 0.0, 0.0], 9.0, &auto),
            T::NothingToFit,
            "no weight is free and seen",
        ),
        (
            end(|_| [f64::NAN; 3], 9.0, &auto),
            T::NotFinite,
            "not finite",
        ),
    ] {
        assert_eq!(found, expected);
        let said = found.to_string();
        assert!(said.contains(words), "{found:?}: {said}");
        let kinds = ["`max`", "`min`", "`clamp`"];
        assert!(
            !kinds.iter().any(|kind| said.contains(kind)),
            "no row is known: {said}"
        );
    }
}
