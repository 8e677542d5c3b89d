//! A descent on many rows sets out on a sample of them.

use super::resume::resumes;
use super::*;

#[test]
fn a_start_on_a_sample_leads_near_the_same_optimum() {
    // The weight of the last slot is seen in too few rows of a sample.
    let mut row = 0;
    let traces = traces(4, 120_000, |rng| {
        row += 1;
        let mut entries = three(rng);
        if row % 4000 == 0 {
            entries.push((Slot(3), 1));
        }
        entries
    });
    let reduction = Reduction::of_lanes(8);
    let f = Regression::new(&traces, &reduction, Loss::Squared, SIGMOID, Part::All).unwrap();
    let (start, bounds) = ([0.0; 8], [(-1e3, 1e3); 8]);
    let problem = Problem {
        objective: &f,
        held_out: None,
        bounds: &bounds,
        constraints: &[],
        prior: None,
        needs_retrace: None,
    };
    let options = Options::of(Solver::GaussNewton);
    let all = minimise(&problem, &start, &options, &mut |_| {
        ControlFlow::Continue(())
    });
    for (solver, method) in [
        (Solver::Auto, Method::Newton),
        (Solver::NewtonCg, Method::NewtonCg),
    ] {
        let found = resumes(&solver.to_string(), &problem, &start, &Options::of(solver));
        let first = &found.summary.records[1];
        assert_eq!(
            (first.method, first.cost.curvature_evaluations),
            (method, 0)
        );
        let near = first.error / all.summary.error - 1.0;
        assert!(near < 2e-4, "{solver:?}: {near}");
        let same = found.x.iter().zip(&all.x);
        let apart = same.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-3, "{solver:?}: {apart}");
    }
    // Nothing is gained by a start at the optimum.
    let again = minimise(&problem, &all.x, &Options::default(), &mut |_| {
        ControlFlow::Continue(())
    });
    let steps = &again.summary.records[1..];
    assert!(steps.iter().all(|step| step.cost.curvature_evaluations > 0));
}

#[test]
fn a_sample_that_was_learnt_by_heart_is_no_start() {
    // Few games, many times: a sample has about six of them for a weight.
    const SLOTS: u32 = 20;
    let few = traces(SLOTS as usize, 2_000, |rng| {
        (0..SLOTS).map(|slot| (Slot(slot), small(rng))).collect()
    });
    let mut many = few.clone();
    for _ in 1..60 {
        many.append(&few);
    }
    many.finish();
    let size = 2 * SLOTS as usize;
    let (start, bounds) = (vec![0.0; size], vec![(-1e3, 1e3); size]);
    let [once, often] = [&few, &many].map(|traces| {
        let options = Options::of(Solver::Auto);
        fit(traces, Loss::Squared, &start, &bounds, &options).0
    });
    let first = &often.summary.records[1];
    assert!(first.cost.curvature_evaluations > 0, "{first:?}");
    let apart = once.summary.error - often.summary.error;
    assert!(apart.abs() < 1e-12, "{apart}");
}
