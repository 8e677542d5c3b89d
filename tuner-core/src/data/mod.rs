//! Reads labelled positions from files.
