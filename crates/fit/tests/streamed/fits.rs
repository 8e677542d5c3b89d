//! Passes and fits on a file against those in memory.

use std::ops::ControlFlow;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use tuner_fit::integers::SearchEnd;
use tuner_fit::model::{
    Loss, Part, Regression, SampleWeighting, Sigmoid, Split, TargetBlend, effective_games, fit_k,
};
use tuner_fit::run::{FitRun, RowFacts, RowSource, RunConfig, Variables};
use tuner_fit::{Fit, FitError, FitInputs, FitTask, Search, Settings, Targets, fit};
use tuner_rows::file::TraceFile;
use tuner_rows::{Blocks, Token, TraceSet, Traces};
use tuner_solve::linalg::Symmetric;
use tuner_solve::{Curvature, Objective, PassError, PriorSpec, Reduction};
use tuner_solve::{Method, Options, Problem, Solver, minimise};

use super::data::{Kind, SLOTS, drawn, opened};

pub(crate) const START: [f64; 2 * SLOTS] = [
    50.0, 40.0, 30.0, 20.0, -10.0, 5.0, 3.0, 2.0, 1.0, 30.0, 0.5, 9.0,
];

pub(crate) fn settings(solver: Solver) -> Settings {
    Settings {
        least_gain: 0.0,
        k: None,
        loss: Loss::Squared,
        held_out: 0.2,
        prior: Some(20.0),
        prior_unit: None,
        anchor: None,
        solver: Options::of(solver),
        integers: true,
        search: Search::Promising,
        memory: None,
        max_changed_branches: None,
    }
}

pub(crate) fn given() -> FitInputs<'static> {
    static NONE: PriorSpec = PriorSpec {
        laplace: std::collections::BTreeMap::new(),
        deviations: BTreeMap::new(),
        neighbours: Vec::new(),
        pools: Vec::new(),
    };
    FitInputs {
        anchor: &START,
        start: &START,
        prior_mean: &START,
        prior: &NONE,
        pinned: &[],
        saved: None,
        beginning: None,
    }
}

fn run(traces: Traces<'_>, settings: &Settings) -> Result<Fit, FitError> {
    let reduction = Reduction::of_lanes(2 * SLOTS);
    fit(traces, &reduction, &given(), settings, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// Value, gradient, product, diagonal, matrix and a point of a line.
pub(crate) fn numbers(traces: Traces<'_>, loss: Loss, part: Part) -> Vec<f64> {
    let reduction = Reduction::of_lanes(2 * SLOTS);
    let f = Regression::new(traces, &reduction, loss, Sigmoid::new(1.1), part).unwrap();
    let count = f.len();
    let mut all = vec![f.value(&START).unwrap(), f.total_weight()];
    let mut vector = vec![0.0; count];
    all.push(f.gradient(&START, &mut vector).unwrap());
    all.extend(&vector);
    for kind in [Curvature::GaussNewton, Curvature::Newton] {
        all.extend(f.curvature_product(&START, kind, &START).unwrap());
        all.extend(f.diagonal(&START, kind).unwrap());
        let mut matrix = Symmetric::zeros(count);
        f.curvature(&START, kind, &mut matrix).unwrap();
        all.extend(
            (0..count)
                .flat_map(|i| (0..count).map(move |j| (i, j)))
                .map(|(i, j)| matrix.get(i, j)),
        );
    }
    let along = f.line(&START, &START).unwrap().at(0.1).unwrap();
    all.extend([along.value, along.slope]);
    all
}

pub(crate) fn assert_near(left: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(left.len(), right.len());
    let scale = left.iter().fold(1e-9_f64, |scale, x| scale.max(x.abs()));
    for (number, (l, r)) in left.iter().zip(right).enumerate() {
        assert!(
            (l - r).abs() <= tolerance * (l.abs() + 1e-4 * scale),
            "{number}: {l} {r}"
        );
    }
}

#[test]
fn passes_give_the_numbers_of_rows_in_memory() {
    for kind in [Kind::Plain, Kind::Everything] {
        let mut set = drawn(kind, 3000);
        let (_folder, file) = opened(&set, 700);
        set.finish();
        for part in [Part::All, Part::Train(Split::new(0.3, 1))] {
            for loss in [
                Loss::Squared,
                Loss::CrossEntropy,
                "power:1.5".parse().unwrap(),
            ] {
                let whole = numbers((&set).into(), loss, part);
                let streamed = numbers(Traces::from(&file as &dyn Blocks), loss, part);
                assert_near(&whole, &streamed, 1e-11);
            }
            let k = |traces: Traces<'_>| fit_k(traces, &START, Loss::Squared, part).unwrap();
            let (whole, streamed) = (k((&set).into()), k(Traces::from(&file as &dyn Blocks)));
            assert_near(
                &[whole.k, whole.error],
                &[streamed.k, streamed.error],
                1e-10,
            );
            let games = |traces: Traces<'_>| effective_games(traces, part).unwrap();
            assert_near(
                &[games((&set).into())],
                &[games(Traces::from(&file as &dyn Blocks))],
                1e-12,
            );
        }
        assert_eq!(Traces::from(&file as &dyn Blocks).games(), set.games());
    }
}

#[test]
fn passes_are_the_same_bits_on_any_number_of_threads() {
    let (_folder, file) = opened(&drawn(Kind::Everything, 3000), 250);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let numbers = || numbers(Traces::from(&file as &dyn Blocks), Loss::Squared, Part::All);
        let found = pool.build().unwrap().install(numbers);
        found.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        assert_eq!(on(threads), one, "{threads}");
    }
}

#[test]
fn fits_end_where_they_end_in_memory() {
    for kind in [Kind::Plain, Kind::Everything] {
        let mut set = drawn(kind, 3000);
        let (_folder, file) = opened(&set, 700);
        set.finish();
        for solver in [Solver::Auto, Solver::NewtonCg, Solver::Cg, Solver::Lbfgs] {
            let settings = settings(solver);
            let whole = run((&set).into(), &settings).unwrap();
            let streamed = run(Traces::from(&file as &dyn Blocks), &settings).unwrap();
            // Methods of first order stop a little before the optimum.
            assert_near(&whole.weights, &streamed.weights, 1e-4);
            assert_eq!(
                whole.rounding.unwrap().x,
                streamed.rounding.unwrap().x,
                "{solver:?}"
            );
            assert_eq!((whole.rows, whole.games), (streamed.rows, streamed.games));
            assert_eq!(whole.changed_branches, streamed.changed_branches);
            assert_eq!(whole.summary.unseen, streamed.summary.unseen);
            let searched = streamed.searched.unwrap();
            assert_eq!((searched.end, searched.taken()), (SearchEnd::Streamed, 0));
        }
    }
}

#[test]
fn a_search_over_all_rows_is_refused() {
    let (_folder, file) = opened(&drawn(Kind::Plain, 300), 100);
    for search in [Search::All, Search::Alone] {
        let settings = Settings {
            search,
            ..settings(Solver::Auto)
        };
        let error = run(Traces::from(&file as &dyn Blocks), &settings).unwrap_err();
        assert_eq!(error, FitError::Search(SearchEnd::Streamed));
        assert!(error.to_string().contains("fit from positions"), "{error}");
    }
}

#[test]
fn targets_and_weights_are_chosen_as_in_memory() {
    let mut set = drawn(Kind::Everything, 3000);
    let (_folder, file) = opened(&set, 700);
    set.finish();
    let reduction = Reduction::of_lanes(2 * SLOTS);
    let settings = settings(Solver::Auto);
    for weighing in [
        SampleWeighting::Positions,
        SampleWeighting::Games,
        SampleWeighting::Sqrt,
    ] {
        let mix = |traces: Traces<'_>| TargetBlend::new(0.4, None, traces, Part::All).unwrap().0;
        let (whole, streamed) = (mix((&set).into()), mix(Traces::from(&file as &dyn Blocks)));
        assert_near(&[whole.sigmoid.k()], &[streamed.sigmoid.k()], 1e-10);
        let targets = Targets {
            mix: Some(whole),
            weighing,
        };
        let fit = |traces: Traces<'_>| {
            let given = given();
            let task = FitTask::new(traces, &reduction, &given, &settings);
            (targets.fit(&task, &mut |_| ControlFlow::Continue(()))).unwrap()
        };
        let streamed = fit(Traces::from(&file as &dyn Blocks));
        let whole = fit((&set).into());
        assert_near(&whole.weights, &streamed.weights, 1e-6);
        let (whole, streamed) = (
            whole.against_results.unwrap(),
            streamed.against_results.unwrap(),
        );
        assert_near(&[whole.error], &[streamed.error], 1e-9);
    }
}

/// A file that can be read so many times.
#[derive(Debug)]
struct Failing<'a> {
    file: &'a TraceFile,
    left: AtomicUsize,
    failed: AtomicUsize,
}

impl Blocks for Failing<'_> {
    fn slots(&self) -> usize {
        self.file.slots()
    }

    fn rows(&self) -> usize {
        self.file.rows()
    }

    fn count(&self) -> usize {
        self.file.count()
    }

    fn tokens(&self) -> &[Token] {
        self.file.tokens()
    }

    fn load(&self, block: usize) -> Option<TraceSet> {
        let less = |left: usize| left.checked_sub(1);
        let order = Ordering::SeqCst;
        if self.left.try_update(order, order, less).is_err() {
            self.failed.fetch_add(1, order);
            return None;
        }
        self.file.load(block)
    }

    fn failure(&self) -> Option<String> {
        (self.failed.load(Ordering::SeqCst) > 0).then(|| "the disk is gone".to_owned())
    }
}

#[test]
fn rows_that_cannot_be_read_any_more_end_a_fit_at_any_time() {
    let (_folder, file) = opened(&drawn(Kind::Everything, 1200), 400);
    let reduction = Reduction::of_lanes(2 * SLOTS);
    for solver in [
        Solver::Auto,
        Solver::NewtonCg,
        Solver::Lbfgs,
        Solver::Cg,
        Solver::Adam,
    ] {
        let mut settings = settings(solver);
        settings.solver.iterations = 8;
        let mut ended = false;
        for reads in (0..400).step_by(3) {
            let failing = Failing {
                file: &file,
                left: AtomicUsize::new(reads),
                failed: AtomicUsize::new(0),
            };
            let found = run(Traces::from(&failing as &dyn Blocks), &settings);
            if failing.failure().is_none() {
                ended = found.is_ok();
                break;
            }
            assert_eq!(
                found.unwrap_err(),
                FitError::Traces(PassError::new("the disk is gone"))
            );
        }
        assert!(ended, "{solver:?}: more reads than the test allows");
    }
    let failing = Failing {
        file: &file,
        left: AtomicUsize::new(60),
        failed: AtomicUsize::new(0),
    };
    let (rows, inputs) = (Traces::from(&failing as &dyn Blocks), given());
    let settings = settings(Solver::Auto);
    let task = FitTask::new(rows, &reduction, &inputs, &settings);
    let tried = task.choose(&mut |_| ControlFlow::Continue(()));
    assert_eq!(
        tried.unwrap_err(),
        FitError::Traces(PassError::new("the disk is gone"))
    );
}

/// Rows that can be read so many times, for a run.
struct FailingRows<'a>(Failing<'a>, RowFacts);

impl RowSource for FailingRows<'_> {
    fn facts(&self) -> &RowFacts {
        &self.1
    }

    fn rows(&self) -> Traces<'_> {
        Traces::from(&self.0 as &dyn Blocks)
    }
}

#[test]
fn search_scores_that_cannot_be_read_are_not_taken_for_none() {
    let (_folder, file) = opened(&drawn(Kind::Everything, 1200), 400);
    let variables = Variables::of_features(SLOTS);
    // One pass counts search scores, the next fits their K.
    for reads in 0..6 {
        let mut config = RunConfig::default();
        config.settings.k = Some(1.0);
        config.targets.lambda = Some(0.5);
        let failing = Failing {
            file: &file,
            left: AtomicUsize::new(reads),
            failed: AtomicUsize::new(0),
        };
        let run = FitRun::new(&variables, config, &mut ()).unwrap();
        let found = run.run(&mut FailingRows(failing, RowFacts::default()), &mut ());
        assert_eq!(
            found.unwrap_err().to_string(),
            "the disk is gone",
            "{reads}"
        );
    }
}

#[test]
fn a_descent_over_a_file_sets_out_on_a_sample_in_memory() {
    for kind in [Kind::Plain, Kind::Everything] {
        let mut set = drawn(kind, 110_000);
        set.finish();
        let (_folder, file) = opened(&set, 7_000);
        let reduction = Reduction::of_lanes(2 * SLOTS);
        let descend = |traces: Traces<'_>| {
            let sigmoid = Sigmoid::new(1.1);
            let f = Regression::new(traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
            let problem = Problem {
                objective: &f,
                held_out: None,
                bounds: reduction.bounds(),
                constraints: &[],
                prior: None,
                needs_retrace: None,
            };
            let zero = [0.0; 2 * SLOTS];
            minimise(&problem, &zero, &Options::default(), &mut |_| {
                ControlFlow::Continue(())
            })
        };
        let [inside, outside] = [(&set).into(), Traces::from(&file as &dyn Blocks)].map(descend);
        let [first, expected] = [&outside, &inside].map(|found| &found.summary.records[1]);
        assert_eq!(
            (first.cost.curvature_evaluations, first.method),
            (0, Method::Newton)
        );
        assert_eq!(first.cost.passes, expected.cost.passes, "a sample as large");
        let apart = (outside.x.iter().zip(&inside.x)).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 1e-6, "{kind:?}: {apart}");
    }
}
