//! The engine as the tuning binary sees it, and the agreement check.
