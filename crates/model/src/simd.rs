//! Kernels compiled for what the processor has.
//!
//! A kernel is ordinary code that the compiler vectorises; here it is compiled
//! once more for AVX2, which is taken where the machine has it.
//! No operation is fused or reordered by that, so the bits are the same on all
//! machines; a kernel that fuses does so by `mul_add`.

use tuner_rows::TraceSet;
use tuner_rows::kernel::{Code, GROUP, Groups};

/// A computation that is compiled for several sets of instructions: so all functions that it calls
/// are `#[inline(always)]`, as what is not inlined is compiled for the oldest processor only.
/// (Nonlinear operations other than products are, on purpose.) It does one block of rows and is
/// small, so that it is compiled once and serves all passes.
pub(super) trait Kernel {
    /// Does the computation.
    fn run(self);
}

/// A [`Kernel`] that reads tokens, compiled for either width of them.
pub(super) trait TokenKernel {
    /// Does the computation on the groups of tokens of a set.
    fn run<C: Code>(self, groups: &[[C; GROUP]]);
}

/// A kernel for tokens of one width, with the groups that it reads.
struct OfWidth<'a, K, C>(K, &'a [[C; GROUP]]);

impl<K: TokenKernel, C: Code> Kernel for OfWidth<'_, K, C> {
    /// Runs the kernel on its groups of tokens.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        self.0.run(self.1);
    }
}

/// A kernel that is to run with the best set of instructions of this processor.
struct Asking<K>(K);

/// A kernel that runs within a function compiled for a set of instructions.
struct Running<K>(K);

impl<K: Kernel> pulp::WithSimd for Asking<K> {
    type Output = ();

    #[inline(always)] // as pulp asks for
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Self::Output {
        // Runs the kernel within a function that is compiled for the instructions of `simd`.
        simd.vectorize(Running(self.0));
    }
}

impl<K: Kernel> pulp::NullaryFnOnce for Running<K> {
    type Output = ();

    #[inline(always)] // as pulp asks for
    fn call(self) -> Self::Output {
        self.0.run();
    }
}

/// Runs a kernel as it was compiled for the best instructions that this processor has.
#[inline(never)] // so that it is compiled once
pub(super) fn dispatch<K: Kernel>(kernel: K) {
    pulp::Arch::new().dispatch(Asking(kernel));
}

/// Runs a kernel on the tokens of a set, which are of 16 or 32 bits each, as it was compiled for
/// their width and for the best instructions that this processor has.
pub(super) fn dispatch_tokens<K: TokenKernel>(set: &TraceSet, kernel: K) {
    match set.groups() {
        Groups::Narrow(groups) => dispatch(OfWidth(kernel, groups)),
        Groups::Wide(groups) => dispatch(OfWidth(kernel, groups)),
    }
}

/// Tells whether this processor multiplies and adds in one operation, so that `mul_add` is not a
/// function call; else the kernels that need it are not used.
pub(super) fn fuses() -> bool {
    !matches!(pulp::Arch::new(), pulp::Arch::Scalar)
}
