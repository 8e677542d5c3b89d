//! Values of all weights, together with the layout that gives them meaning.

use super::layout::Layout;
use super::parameter::Phases;
use super::path::PathError;

/// One value per weight, in the order of the layout.
#[derive(Clone, Debug)]
pub struct Weights {
    layout: Layout,
    values: Vec<f64>,
}

/// A list of values that has not one value per weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {found} values; expected {expected}, one per weight of the spec; \
     pass values that were made with this spec"
)]
pub struct LengthError {
    /// How many values were given.
    pub found: usize,
    /// How many weights there are.
    pub expected: usize,
}

impl LengthError {
    pub(crate) fn check(values: usize, layout: &Layout) -> Result<(), Self> {
        let (found, expected) = (values, layout.weights());
        if found == expected {
            Ok(())
        } else {
            Err(Self { found, expected })
        }
    }
}

impl Weights {
    /// The initial values of the spec.
    pub fn initial(layout: &Layout) -> Self {
        Self {
            layout: layout.clone(),
            values: layout.initial(),
        }
    }

    /// Values from elsewhere, in the unit of the spec.
    ///
    /// # Errors
    ///
    /// If there is not one value per weight.
    pub fn new(layout: &Layout, values: Vec<f64>) -> Result<Self, LengthError> {
        LengthError::check(values.len(), layout)?;
        Ok(Self {
            layout: layout.clone(),
            values,
        })
    }

    /// The layout that the values belong to.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The values, one per weight.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values below a path, in the order of the weights.
    ///
    /// # Errors
    ///
    /// If the path names no weight.
    pub fn get(&self, path: &str) -> Result<Vec<f64>, PathError> {
        let weights = self.layout.find(path)?;
        let values = weights.iter().map(|weight| self.values[weight.index()]);
        Ok(values.collect())
    }

    /// The values spread over lanes: two for each slot, dead lanes 0.
    pub fn lanes(&self) -> Vec<f64> {
        let mut lanes = vec![0.0; 2 * self.layout.slots()];
        for parameter in self.layout.parameters() {
            let step = match parameter.phases() {
                Phases::Untapered => 2,
                Phases::Tapered => 1,
            };
            let targets = lanes[2 * parameter.first_slot..].iter_mut().step_by(step);
            for (lane, value) in targets.zip(&self.values[parameter.weight_range()]) {
                *lane = *value;
            }
        }
        lanes
    }
}
