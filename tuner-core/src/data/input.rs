//! Where text comes from.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A source of labelled positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A file, plain or compressed.
    File(PathBuf),
    /// Standard input, plain or compressed.
    Stdin,
    /// Bytes in memory, plain or compressed: a data set within the program.
    Embedded {
        /// What messages call it.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
}

impl Input {
    /// Reads a command line argument: `-` is standard input.
    pub fn from_argument(argument: &Path) -> Self {
        if argument == Path::new("-") {
            Self::Stdin
        } else {
            Self::File(argument.to_path_buf())
        }
    }

    /// Returns what messages call the input.
    pub fn name(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Stdin => PathBuf::from("<standard input>"),
            Self::Embedded { name, .. } => PathBuf::from(name),
        }
    }

    /// Returns the size in bytes, compressed as it stands, where it is known.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::File(path) => path
                .metadata()
                .ok()
                .filter(std::fs::Metadata::is_file)
                .map(|m| m.len()),
            Self::Stdin => None,
            Self::Embedded { bytes, .. } => Some(bytes.len() as u64),
        }
    }

    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::File(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                Box::new(file)
            }
            Self::Stdin => Box::new(io::stdin()),
            Self::Embedded { bytes, .. } => Box::new(*bytes),
        })
    }
}
