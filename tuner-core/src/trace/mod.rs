//! How one position's score depends on the weights.
