//! Dense symmetric systems: factorise, solve, never invert.
