//! The objective: losses, the scaling constant, free variables.
