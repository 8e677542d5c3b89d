//! Newton's steps with the curvature of a sample, by conjugate gradients.

use super::feasible::{cut, free, point};
use super::frequent_block::{FrequentBlock, SLOW};
use super::steihaug_cg::Model;
use crate::sampled_start::{SampleStep, SampleSteps};
use crate::{Curvature, Objective as _, PassResult, Problem};

/// Part of the gradient that a step may leave in the model: the curvature of a sample is wrong
/// by as much.
const FORCING: f64 = 0.1;

/// Most products of one step.
const ROUNDS: usize = 200;

/// Returns a function that computes a step from a point with the gradient of all rows, by
/// minimising the quadratic model whose curvature is Newton's of the sample at `x`, cut off at
/// bounds. `problem` is that of the sample. *Cost*: a pass over the sample, and one for each
/// product of conjugate gradients.
pub(crate) fn steps_of_sample<'a>(
    problem: &Problem<'a>,
    x: &[f64],
) -> PassResult<Box<SampleSteps<'a>>> {
    let function = problem.penalised();
    let (bounds, formed_at) = (problem.bounds, x.to_vec());
    let diagonal = function.diagonal(x, Curvature::GaussNewton)?;
    let in_play = diagonal.iter().zip(bounds);
    let in_play = in_play.map(|(&scale, (low, high))| scale > 0.0 && low < high);
    let in_play: Vec<bool> = in_play.collect();
    let mut block = FrequentBlock::default();
    Ok(Box::new(move |at| {
        let free = free(&at.x, &at.gradient, bounds, &in_play);
        let inverse = free.iter().zip(&diagonal);
        let inverse = inverse.map(|(&free, scale)| if free { scale.recip() } else { 0.0 });
        let mut preconditioner = block.preconditioner(inverse.collect());
        let mut passes = 0;
        let product = &mut |vector: &[f64]| {
            passes += 1;
            function.curvature_product(&formed_at, Curvature::Newton, vector)
        };
        let mut model = Model::new(&at.gradient);
        let mut formed = 0;
        // The first model that takes many products has the block formed, and is continued with it.
        if block.formed_at.is_none() && !model.minimise(&preconditioner, FORCING, SLOW, product)? {
            block.form(&function, &formed_at, &diagonal)?;
            formed = 1;
            let inverse = preconditioner.inverse.clone();
            preconditioner = block.preconditioner(inverse);
        }
        model.minimise(&preconditioner, FORCING, ROUNDS, product)?;
        cut(&at.x, &mut model.d, bounds);
        Ok(Some(SampleStep {
            x: point(&at.x, 1.0, &model.d, bounds),
            predicted: model.predicted,
            passes: passes + formed,
        }))
    }))
}
