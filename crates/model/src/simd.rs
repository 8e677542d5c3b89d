//! Kernels compiled for what the processor has.
//!
//! A kernel is ordinary code that the compiler vectorises; here it is compiled
//! once more for AVX2, which is taken where the machine has it.
//! No operation is fused or reordered by that, so the bits are the same on all
//! machines; a kernel that fuses does so by `mul_add`.

/// A computation, all of whose functions are `#[inline(always)]`: what is not
/// inlined is compiled for the oldest processor.
pub(super) trait Kernel {
    type Output;

    fn run(self) -> Self::Output;
}

/// Asks for a set of instructions.
struct Asking<K>(K);

/// Runs with them.
struct Running<K>(K);

impl<K: Kernel> pulp::WithSimd for Asking<K> {
    type Output = K::Output;

    #[inline(always)] // as pulp asks for
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Self::Output {
        simd.vectorize(Running(self.0))
    }
}

impl<K: Kernel> pulp::NullaryFnOnce for Running<K> {
    type Output = K::Output;

    #[inline(always)] // as pulp asks for
    fn call(self) -> Self::Output {
        self.0.run()
    }
}

/// Runs a kernel as this processor does it best.
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(Asking(kernel))
}

/// Tells whether this processor multiplies and adds in one operation, so that
/// `mul_add` is not a function call.
pub(super) fn fuses() -> bool {
    !matches!(pulp::Arch::new(), pulp::Arch::Scalar)
}
