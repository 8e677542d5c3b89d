//! Whether there is memory for a fit, asked before any large part is taken.

use std::fmt;

/// A fit for which there is not enough memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TooLarge {
    /// The variables that positions read.
    pub variables: Vec<usize>,
    /// What they ask for, in bytes.
    pub bytes: u64,
    /// What there is, in bytes, if that is known.
    pub available: Option<u64>,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = |bytes: u64| bytes as f64 / 1e9;
        write!(
            f,
            "the curvature of {} weights that positions read asks for {:.1} GB of memory",
            self.variables.len(),
            giga(self.bytes)
        )?;
        match self.available {
            Some(available) => write!(f, ", and {:.1} GB are free", giga(available))?,
            None => write!(f, ", more than there is")?,
        }
        write!(
            f,
            "; take `auto` or `newton-cg`, which do without it, freeze large tables \
             (`frozen = true` in the spec) or tie their entries (`[[tie]]`): half the weights \
             take a quarter of the memory"
        )
    }
}

/// Asks for `bytes` without touching them, and gives them back.
pub(super) fn ask(
    variables: Vec<usize>,
    bytes: u64,
    available: Option<u64>,
) -> Result<(), TooLarge> {
    let beyond = available.is_some_and(|available| bytes > available);
    let granted =
        usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if beyond || !granted {
        return Err(TooLarge {
            variables,
            bytes,
            available: available.filter(|_| beyond),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_system_grants_is_refused_though_none_tells_how_much_there_is() {
        let refused = ask(vec![0, 1], u64::MAX / 2, None);
        assert!(refused.is_err_and(|error| error.to_string().contains("more than there is")));
        assert_eq!(ask(Vec::new(), 1 << 20, None), Ok(()));
    }
}
