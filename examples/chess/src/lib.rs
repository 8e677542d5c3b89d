//! A small chess engine.
