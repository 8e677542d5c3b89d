//! Nothing: its manifest asks for what all packages ask of crates from elsewhere, together.
