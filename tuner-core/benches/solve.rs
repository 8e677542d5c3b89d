fn main() {
    let Ok(folder) = std::env::var("TUNER_DATA") else {
        return;
    };
    for (file, passes) in [
        ("engine_quiet_150.arrow", 10),
        ("wukong_selfplay_150.arrow", 14),
    ] {
        let t = std::time::Instant::now();
        let read = tuner_core::trace::arrow::read(
            &std::path::Path::new(&folder).join("traces").join(file),
        )
        .unwrap();
        println!(
            "{file} read {:?} rows {} slots {} bytes/row {:.1} lane",
            t.elapsed(),
            read.traces.len(),
            read.traces.slots(),
            read.traces.bytes() as f64 / read.traces.len() as f64
        );
        use tuner_core::model::*;
        use tuner_core::solve::*;
        let red = Reduction::of_lanes(2 * read.traces.slots());
        let f = Regression::new(
            &read.traces,
            &red,
            Loss::Squared,
            Sigmoid::new(0.912018412),
            Part::All,
        )
        .unwrap();
        for near in [0.0, 0.01, 0.03, 0.1, 0.3, 1.0] {
            let options = Options {
                near,
                ..Options::default()
            };
            let s = minimise(
                &Problem {
                    objective: &f,
                    held_out: None,
                    bounds: red.bounds(),
                },
                &vec![0.0; f.len()],
                &options,
                &mut |_| Flow::Continue,
            );
            println!(
                "near {near}: {} E {:.13} -> {:.15} grad {:e} curv {} passes {} {:.2}s {:?} unseen {} undet {} run {}",
                s.summary.termination,
                s.summary.initial_error,
                s.summary.error,
                s.summary.gradient,
                s.summary.curvature_evaluations,
                s.summary.passes,
                s.summary.seconds,
                s.summary.fallbacks,
                s.summary.unseen.len(),
                s.summary.undetermined,
                s.summary.runaway.len()
            );
            for r in &s.summary.records {
                println!(
                    "  {} {:?} E {:.14} step {:.3e} g {:.2e} mu {:.1e} c {} p {} {:.2}",
                    r.iteration,
                    r.method,
                    r.error,
                    r.step,
                    r.gradient,
                    r.damping,
                    r.curvature_evaluations,
                    r.passes,
                    r.seconds
                );
            }
        }
        let _ = passes;
    }
}
