//! The solvers.
