//! Numbers of the search that options of the engine change, so that games can tune them.

/// Numbers of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// Centipawns a ply by which a position must be better than the window to be left out.
    pub futility: i32,
    /// Quiet moves of a shallow node that are searched, beside those of its depth.
    pub late_moves: i32,
    /// Hundredths of a ply by which late moves are reduced, by the logarithms of depth and number.
    pub reduction: i32,
    /// Centipawns that a capture of quiescence may gain beyond the captured piece.
    pub capture: i32,
}

/// A number of the search, as an option.
#[derive(Debug)]
pub struct ConstantOption {
    /// Its name.
    pub name: &'static str,
    /// The least and the largest value.
    pub range: (i32, i32),
    place: fn(&mut Constants) -> &mut i32,
}

impl Default for Constants {
    fn default() -> Constants {
        Constants {
            futility: 80,
            late_moves: 3,
            reduction: 25,
            capture: 200,
        }
    }
}

impl Constants {
    /// The options, one for each number.
    pub const OPTIONS: [ConstantOption; 4] = [
        ConstantOption {
            name: "FutilityMargin",
            range: (0, 1_000),
            place: |constants| &mut constants.futility,
        },
        ConstantOption {
            name: "LateMoves",
            range: (0, 60),
            place: |constants| &mut constants.late_moves,
        },
        ConstantOption {
            name: "Reduction",
            range: (0, 100),
            place: |constants| &mut constants.reduction,
        },
        ConstantOption {
            name: "CaptureMargin",
            range: (-1_000, 1_000),
            place: |constants| &mut constants.capture,
        },
    ];
}

impl ConstantOption {
    /// Sets the number.
    pub fn set(&self, constants: &mut Constants, value: i32) {
        *(self.place)(constants) = value;
    }

    /// The line by which the engine offers it.
    pub fn line(&self) -> String {
        let default = *(self.place)(&mut Constants::default());
        let (name, (low, high)) = (self.name, self.range);
        format!("option name {name} type spin default {default} min {low} max {high}")
    }
}
