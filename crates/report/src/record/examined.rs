//! What the positions and rows of a fit say of it.

use serde::Deserialize;

/// What the positions and rows of a fit say of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ExaminedRecord {
    /// Whether scores are those of the ends of quiescence searches.
    pub resolved: bool,
    /// Whether positions are won as often as their scores say.
    pub calibration: Option<CalibrationRecord>,
    /// The positions explained worst.
    pub worst: Vec<WorstPositionRecord>,
    /// What the data are.
    pub profile: Option<DataProfileRecord>,
    /// Why there is nothing of single positions, if there is not.
    pub left_out: Option<String>,
}

/// Calibration on the same positions before and after.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CalibrationRecord {
    /// Whether they are of held-out games.
    pub held_out: Option<bool>,
    /// The positions.
    pub positions: Option<u64>,
    /// At the old weights.
    pub before: CalibrationAtRecord,
    /// At the new weights.
    pub after: CalibrationAtRecord,
}

/// Calibration at certain weights.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CalibrationAtRecord {
    /// The mean over bins by score of |mean result − mean expectation|.
    pub expected_error: Option<f64>,
    /// What chance alone would make of it.
    pub by_chance: Option<f64>,
    /// By score, then by features.
    pub tables: Vec<CalibrationTableRecord>,
}

/// Bins of one kind.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CalibrationTableRecord {
    /// What they are made by.
    pub by: String,
    /// The bins.
    pub bins: Vec<CalibrationBinRecord>,
}

/// One bin of positions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CalibrationBinRecord {
    /// What they have in common.
    pub label: String,
    /// The positions.
    pub positions: Option<u64>,
    /// Their games.
    pub games: Option<u64>,
    /// The mean expectation.
    pub expectation: Option<f64>,
    /// The mean result.
    pub outcome: Option<f64>,
    /// The mean result minus the mean expectation.
    pub residual: Option<f64>,
    /// Half the width of the 95 % interval of the mean result.
    pub reach: Option<f64>,
    /// Whether chance does not explain the residual.
    pub stands_out: bool,
}

/// A position that is explained badly; values are the first player's.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct WorstPositionRecord {
    /// The position in FEN, SFEN or another text.
    pub position: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: Option<u64>,
    /// The number of its game.
    pub game: Option<u64>,
    /// The result.
    pub outcome: Option<f64>,
    /// Its scores at the old and new weights.
    pub scores: [Option<f64>; 2],
    /// Its expectations at both.
    pub expectations: [Option<f64>; 2],
    /// The score of a search.
    pub search_score: Option<f64>,
    /// Its loss.
    pub loss: Option<f64>,
}

/// What the data are.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DataProfileRecord {
    /// Positions.
    pub positions: Option<u64>,
    /// Of games won by the first player.
    pub wins: Option<u64>,
    /// Of drawn games.
    pub draws: Option<u64>,
    /// Of games lost by the first player.
    pub losses: Option<u64>,
    /// Games.
    pub games: Option<u64>,
    /// Positions that name no game.
    pub without_game: Option<u64>,
    /// How many positions games have.
    pub positions_of_game: Option<PositionsOfGameRecord>,
    /// Positions that were there before.
    pub duplicates: Option<u64>,
    /// Positions that are there with different results.
    pub contradictions: Option<u64>,
    /// By the men on the board.
    pub by_phase: Vec<DataProfileBinRecord>,
    /// By the half-moves before.
    pub by_ply: Vec<DataProfileBinRecord>,
    /// By the side to move.
    pub by_side: Vec<DataProfileBinRecord>,
}

/// How many positions games have.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PositionsOfGameRecord {
    /// The fewest.
    pub fewest: Option<u64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The most.
    pub most: Option<u64>,
}

/// Positions of one bin.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DataProfileBinRecord {
    /// What they have in common.
    pub label: String,
    /// Positions.
    pub positions: Option<u64>,
    /// Of games won by the first player.
    pub wins: Option<u64>,
    /// Of drawn games.
    pub draws: Option<u64>,
    /// Of games lost by the first player.
    pub losses: Option<u64>,
}
