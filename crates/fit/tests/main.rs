//! Fits of all kinds, in one program: each of several would compile the same loops again.

mod choices;
mod closure;
mod fit;
mod local_search;
mod nonlinear;
mod pools;
mod solvers;
mod sources;
#[cfg(feature = "arrow")]
mod streamed;
