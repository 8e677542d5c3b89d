//! What a descent does near the optimum: a matrix serves several steps, and a
//! function that no longer resembles the one it stands for is not fitted to the end.

use std::cell::Cell;

use super::*;

#[test]
fn a_matrix_serves_as_long_as_it_leads_to_the_end_as_soon_as_a_new_one() {
    let traces = traces(3, 3000, three);
    let options = Options::default();
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let (solution, gradient) = fit(&traces, loss, &[0.0; 6], &[FREE; 6], &options);
        let summary = &solution.summary;
        assert_eq!(summary.termination, Termination::GradientAtRounding);
        assert!(max_abs(&gradient) < 1e-15);
        let steps = |method| {
            let of = |record: &&Record| record.method == method;
            summary.records.iter().filter(of).count()
        };
        let second = steps(Method::GaussNewton) + steps(Method::Newton);
        assert!(
            summary.cost.curvature_evaluations < second,
            "{loss:?}: {} matrices for {second} steps",
            summary.cost.curvature_evaluations
        );
    }
}

#[test]
fn a_function_that_needs_a_retrace_is_left_near_its_optimum_and_asked_about_once() {
    let traces = traces(3, 3000, three);
    let reduction = Reduction::of_lanes(6);
    let objective =
        Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let options = Options::default();
    for needed in [true, false] {
        let asked = Cell::new(0);
        let needs_retrace = |x: &[f64]| {
            assert!(
                (x[0] - 60.0).abs() < 10.0,
                "asked at {x:?}, far from the end"
            );
            asked.set(asked.get() + 1);
            Ok(needed)
        };
        let problem = Problem {
            objective: &objective,
            held_out: None,
            bounds: &[FREE; 6],
            constraints: &[],
            prior: None,
            needs_retrace: Some(&needs_retrace),
        };
        let solution = minimise(&problem, &[0.0; 6], &options, &mut |_| {
            ControlFlow::Continue(())
        });
        assert_eq!(asked.get(), 1);
        let termination = solution.summary.termination;
        if needed {
            assert_eq!(termination, Termination::NeedsRetrace);
            assert!(!termination.is_optimum());
        } else {
            assert_eq!(termination, Termination::GradientAtRounding);
        }
    }
}
