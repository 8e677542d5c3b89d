//! Fits that are interrupted in any way, and resumed.

#![cfg(unix)] // signals

mod killed;
mod names;
mod refused;
mod support;
