//! The command line: what was typed, what to do.
