//! The declarative spec, and the layout of the weights that it declares.
