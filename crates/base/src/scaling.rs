//! The constants that give scores their meaning.

/// K, and of weights that `--loss wdl` fitted the draw width, without which their K means
/// another thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// K of σ(s) = 1/(1 + 10^(−K·s/400)).
    pub k: f64,
    /// The draw width a of P(win) = σ(z − a), P(loss) = σ(−z − a); without unit.
    pub draw_width: Option<f64>,
}
