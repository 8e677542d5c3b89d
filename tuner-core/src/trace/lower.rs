//! From the nodes that are not linear to an [`Expression`] over forms.

use super::expression::{Expression, Step};
use super::linear::{Linear, Sweep};
use super::sweep::{Form, Trace};
use super::tape::{Op, Ref, Tape};

/// No step yet.
const NONE: u32 = u32::MAX;

/// Adds the expression `Σ factor·curve`, and the guards, to a trace whose
/// linear part is there.
///
/// Forms that the linear part has already are shared, others are added with
/// factor 0.
pub(super) fn lower(tape: &Tape, sweep: &mut Sweep, curves: &[(usize, f64)], trace: &mut Trace) {
    for form in &mut trace.forms {
        form.terms.sort_unstable();
    }
    let mut lowering = Lowering {
        tape,
        sweep,
        step_of: vec![NONE; tape.nodes.len()],
        steps: Vec::new(),
        constants: Vec::new(),
        slack: Vec::new(),
        trace,
    };
    for &(difference, relation, held) in &tape.guards {
        let step = lowering.operand(difference);
        lowering.push(Step::Guard(step, relation, held), 0.0);
    }
    let parts: Vec<(u32, f64)> = curves
        .iter()
        .map(|&(node, factor)| (lowering.node(node), factor))
        .collect();
    let result = lowering.sum(&parts, 0.0, 0.0);
    // The value of an expression is that of its last step.
    if result as usize + 1 < lowering.steps.len() {
        let zero = lowering.constant(0.0);
        lowering.push(Step::Add(result, zero), 0.0);
    }
    let Lowering {
        steps,
        constants,
        slack,
        ..
    } = lowering;
    trace.expression = Some(Expression { steps, constants });
    trace.step_slack = slack;
}

struct Lowering<'a> {
    tape: &'a Tape,
    sweep: &'a mut Sweep,
    step_of: Vec<u32>,
    steps: Vec<Step>,
    constants: Vec<f64>,
    slack: Vec<f64>,
    trace: &'a mut Trace,
}

impl Lowering<'_> {
    fn push(&mut self, step: Step, slack: f64) -> u32 {
        self.steps.push(step);
        self.slack.push(slack);
        self.steps.len() as u32 - 1
    }

    fn constant(&mut self, value: f64) -> u32 {
        self.constants.push(value);
        self.push(Step::Constant(self.constants.len() as u32 - 1), 0.0)
    }

    /// The step of a node.
    fn node(&mut self, node: usize) -> u32 {
        if self.step_of[node] == NONE {
            self.step_of[node] = match self.tape.nodes[node].op {
                Op::Curve(curve, truncates) => {
                    let curve = curve.map(|operand| self.operand(operand));
                    let slack = if truncates { 1.0 } else { 0.0 };
                    self.push(Step::Curve(curve), slack)
                }
                _ => self.linear(Ref::node(node)),
            };
        }
        self.step_of[node]
    }

    /// The step of anything that a curve is made of.
    fn operand(&mut self, r: Ref) -> u32 {
        match r.as_node() {
            Some(node) => self.node(node),
            None => self.linear(r),
        }
    }

    /// A linear combination of forms and curves.
    fn linear(&mut self, r: Ref) -> u32 {
        let mut linear = Linear::default();
        self.sweep.run(self.tape, r, &mut linear);
        let mut parts: Vec<(u32, f64)> = Vec::new();
        for form in linear.forms {
            let factor = form.factor;
            let input = self.form(form);
            parts.push((self.push(Step::Input(input), 0.0), factor));
        }
        for (node, factor) in linear.curves {
            parts.push((self.node(node), factor));
        }
        self.trace.sites.extend(linear.sites);
        self.sum(&parts, linear.constant, linear.slack)
    }

    /// The number of a form, shared with an equal one.
    fn form(&mut self, mut form: Form) -> u32 {
        form.terms.sort_unstable();
        form.factor = 0.0;
        let forms = &mut self.trace.forms;
        let known = forms.iter().position(|other| other.terms == form.terms);
        known.unwrap_or_else(|| {
            forms.push(form);
            forms.len() - 1
        }) as u32
    }

    /// Σ factor·part + constant.
    fn sum(&mut self, parts: &[(u32, f64)], constant: f64, slack: f64) -> u32 {
        let mut sum = None;
        for &(part, factor) in parts {
            let term = self.scaled(part, factor);
            sum = Some(match sum {
                None => term,
                Some(before) => self.push(Step::Add(before, term), 0.0),
            });
        }
        if constant != 0.0 || sum.is_none() {
            let constant = self.constant(constant);
            sum = Some(match sum {
                None => constant,
                Some(before) => self.push(Step::Add(before, constant), 0.0),
            });
        }
        let sum = sum.unwrap_or_default();
        self.slack[sum as usize] += slack;
        sum
    }

    fn scaled(&mut self, part: u32, factor: f64) -> u32 {
        if factor.to_bits() == 1.0_f64.to_bits() {
            part
        } else if factor.to_bits() == (-1.0_f64).to_bits() {
            self.push(Step::Neg(part), 0.0)
        } else {
            let factor = self.constant(factor);
            self.push(Step::Curve(super::curve::Curve::Mul(part, factor)), 0.0)
        }
    }
}
