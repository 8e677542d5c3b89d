//! Losses and derivatives by game: what the statistics of a fit rest on.
//!
//! Positions of one game share its result, so what is independent are games;
//! every variance is one of sums over games.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use super::block::Block;
use super::deterministic_reduce::{add_up, in_chunks};
use super::passes::{Pass, Passes, each, unreadable};
use super::products::{Line, WIDTH};
use super::regression::scale_by;
use super::{Loss, Part, PassResult, Regression, Sigmoid};
use tuner_base::{GOLDEN_GAMMA, add_alike, mix, phase};
use tuner_parallel as parallel;
use tuner_rows::{AHEAD, Linearised, Row, Table, TraceSet, Traces};
use tuner_solve::linalg::{InverseFactor, Symmetric, inner_products};

/// Rows that are sorted by cluster at a time. Chosen.
const SLAB: usize = 1 << 16;

/// Clusters of games of which standard errors are formed: they are off by
/// 1/√(2·4096), a hundredth, of themselves.
pub const CLUSTERS: usize = 4096;

/// Sums over the rows of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameLoss {
    /// Sum of the weights of its rows.
    pub weight: f64,
    /// Sum of their penalties, each times its weight.
    pub loss: f64,
}

tuner_base::add_fields! { GameLoss { weight, loss } }

/// Adds two numbers to the two sums of a game in `games`, which begin at 0. It is in this crate
/// because that is compiled for speed. *Cost*: a look-up in the tree of games.
pub fn add_to_game(games: &mut BTreeMap<u32, [f64; 2]>, game: u32, sums: [f64; 2]) {
    let total = games.entry(game).or_default();
    total[0] += sums[0];
    total[1] += sums[1];
}

/// A value for each of some games: number and value, ascending by the number of the game.
pub type ByGame<T> = Vec<(u32, T)>;

/// Adds the value of each row to the sum of its game in `games`, which is ascending and stays so;
/// games that are new are put in. `rows`: game and value of each row, in any order of games; the
/// values of one game are added in the order of the rows.
fn add_by_game<T: AddAssign + Copy>(games: &mut ByGame<T>, rows: &[(u32, T)]) {
    // Pairs of the game and the row's place in `rows`, by game and then by place: a look-up of the
    // game for each row would take longer than a pass.
    let sorted = parallel::sorted(rows.iter().map(|&(game, _)| game));
    let Some(&(first, _)) = sorted.first() else {
        return;
    };
    // Games before the first of these rows stay as they are: where the numbers of games ascend from
    // row to row that is all but one.
    let mut last = games.split_off(games.partition_point(|&(game, _)| game < first));
    let of_rows = sorted.iter();
    last.extend(of_rows.map(|&(game, row)| (game, rows[row as usize].1)));
    // Stable, so that rows stay in order; fast, as it merges two lists that are sorted already.
    last.sort_by_key(|&(game, _)| game);
    add_alike(&mut last);
    games.append(&mut last);
}

/// Returns, ascending by game and over all ranks, the sum of the values that `of_set` gives for the
/// rows of each game, as pairs of game and value. Ranks send each other sums as `N` numbers, which
/// `write` makes of a sum, and of which `read` makes it again.
pub(super) fn sum_by_game<T: AddAssign + Copy + Send, const N: usize>(
    traces: Traces<'_>,
    of_set: impl Fn(&TraceSet) -> Vec<(u32, T)> + Sync,
    write: fn(T) -> [f64; N],
    read: fn(&[f64]) -> T,
) -> PassResult<ByGame<T>> {
    let mut games = Vec::new();
    each(traces, AHEAD, of_set, |rows| {
        add_by_game(&mut games, &rows);
    })?;
    let ranks = traces.ranks();
    if ranks.is_alone() {
        return Ok(games);
    }
    // A message has the number of a game and the N numbers of its sum, game after game. The ranks'
    // messages are added up in their order, that of this rank among them.
    let numbers = |(game, sums)| [f64::from(game)].into_iter().chain(write(sums));
    let here: Vec<f64> = games.drain(..).flat_map(numbers).collect();
    for there in ranks.gather(&here) {
        let of_games = there.chunks_exact(N + 1);
        let of_games = of_games.map(|of| (of[0] as u32, read(&of[1..])));
        add_by_game(&mut games, &of_games.collect::<Vec<_>>());
    }
    Ok(games)
}

/// Compares the losses of games before and after a change of weights; both lists are ascending by
/// game, and only games in both count. Returns three numbers, the mean loss `before`, that `after`,
/// and the second minus the first; the standard error of that difference, paired by games; and how
/// many games have weight. `None` if no game has.
///
/// E is a ratio of sums over games, and so is its difference; the weights of games are those in
/// `before`. It is in this crate because that is compiled for speed. *Cost*: a look at each game.
pub fn paired_errors(
    before: &[(u32, GameLoss)],
    after: &[(u32, GameLoss)],
) -> Option<([f64; 3], f64, usize)> {
    let mut others = after.iter().peekable();
    let paired = before.iter().filter_map(|(game, old)| {
        while others.next_if(|(other, _)| other < game).is_some() {}
        let (_, new) = others.next_if(|(other, _)| other == game)?;
        Some([old.weight, old.loss, new.loss, new.loss - old.loss])
    });
    let paired: Vec<[f64; 4]> = paired.collect();
    let mut sums = [0.0; 4];
    for game in &paired {
        add_up(&mut sums, *game);
    }
    let [weight, old, new, difference] = sums;
    let means = [old, new, difference].map(|sum| sum / weight);
    let changes = paired.iter().map(|&[weight, .., change]| [weight, change]);
    let (games, standard_error) = ratio_error(changes, means[2], weight);
    (weight > 0.0).then_some((means, standard_error, games))
}

/// Returns how many games have weight, G, and the standard error of the ratio `mean` = Σ v/Σ w of
/// sums over games: √(G/(G − 1)·Σ (v − mean·w)²)/Σ w. *Shapes*: `games` has `[w, v]` of each game,
/// its weight and value; `weight` is Σ w. With weight 0 the standard error is NaN.
///
/// *Source*: W. Cochran, Sampling Techniques, 3rd ed., 1977, §6.
pub fn ratio_error(
    games: impl Iterator<Item = [f64; 2]> + Clone,
    mean: f64,
    weight: f64,
) -> (usize, f64) {
    let count = games.clone().filter(|sums| sums[0] > 0.0).count();
    let rests = games.map(|[weight, value]| value - mean * weight);
    let squares: f64 = rests.map(|rest| rest * rest).sum();
    // G/(G − 1), but 1 of a single game, whose square is 0 but for rounding.
    let correction = count as f64 / (count.max(2) - 1) as f64;
    (count, (correction * squares).sqrt() / weight)
}

/// Returns, for every game of a part, the sum of the weights of its rows and that of their weighted
/// penalties, at the values of lanes in `lanes`. The list is ascending by game, and of all ranks.
///
/// *Shapes*: `lanes` has two values per slot. *Cost*: a pass; 24 bytes a row meanwhile.
///
/// # Errors
/// If rows cannot be read.
pub fn losses_by_game(
    traces: Traces<'_>,
    part: Part,
    loss: Loss,
    sigmoid: Sigmoid,
    lanes: &[f64],
) -> PassResult<ByGame<GameLoss>> {
    let passes = Passes {
        traces,
        part,
        sample: None,
        loss,
        beta: sigmoid.beta(),
    };
    let of_set = |set: &TraceSet| {
        let (pass, table) = (passes.over(set), set.table(lanes));
        let of_rows = |(): &mut (), rows| {
            let losses = pass.losses(rows, &table).into_iter();
            let losses = losses.map(|of| {
                let (weight, loss) = (of.weight, of.loss);
                (set.game(of.row as usize), GameLoss { weight, loss })
            });
            losses.collect::<Vec<(u32, GameLoss)>>()
        };
        // Reserved at once: while a list grows, its old copy takes memory as well.
        let mut all = Vec::with_capacity(set.len());
        in_chunks(set.len(), || (), of_rows, |part| all.extend(part));
        all
    };
    let write = |of: GameLoss| [of.weight, of.loss];
    let read = |of: &[f64]| GameLoss {
        weight: of[0],
        loss: of[1],
    };
    sum_by_game(traces, of_set, write, read)
}

/// The derivatives of E by the variables, added up over clusters of games.
///
/// A cluster is a game; where there are more games than clusters allowed, games
/// are put together by a hash of their numbers. Sums of independent games are
/// independent as well, so this costs precision of the variance and no validity:
/// with `c` clusters a standard error is off by about 1/√(2c) of itself.
#[derive(Clone, Debug)]
pub struct ClusterScores {
    variables: usize,
    /// The number of clusters.
    pub clusters: usize,
    /// Cluster after cluster, a value for each variable.
    values: Vec<f64>,
    /// The number of games.
    pub games: usize,
}

impl ClusterScores {
    /// Returns what the games of one cluster contribute to the derivatives of E: a number for each
    /// variable.
    pub fn cluster(&self, cluster: usize) -> &[f64] {
        &self.values[cluster * self.variables..(cluster + 1) * self.variables]
    }

    /// Returns the gradient of E, the sum of all clusters.
    pub fn sum(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.variables];
        for cluster in 0..self.clusters {
            let scores = self.cluster(cluster).iter();
            sum.iter_mut().zip(scores).for_each(|(sum, s)| *sum += s);
        }
        sum
    }

    /// Returns the derivatives of E along some directions, which have a value for each variable:
    /// for one cluster of games after the other, a number for each direction. *Cost*:
    /// clusters·variables multiplications for each direction.
    pub fn along(&self, directions: &[Vec<f64>]) -> Vec<f64> {
        inner_products(&self.values, directions)
    }

    /// Returns the trace of A⁻¹J without forming J: A is a symmetric matrix, `inverse` the inverse
    /// of its factor, and J the covariance of the gradient of E by its spread between the c
    /// clusters of games. With s what a cluster contributes to the gradient, and S the sum of all
    /// s, it is c/(c − 1)·(Σ sᵀA⁻¹s − SᵀA⁻¹S/c); 0 of a single cluster, but for rounding. *Cost*:
    /// ½·clusters·variables² multiplications.
    pub fn covariance_trace(&self, inverse: &InverseFactor) -> f64 {
        let clusters = self.clusters as f64;
        let of_sum = inverse.quadratic(&self.sum());
        (inverse.quadratic(&self.values) - of_sum / clusters) * clusters / (clusters - 1.0).max(1.0)
    }

    /// Returns the covariance of the gradient of E, by the spread of the derivatives s between the
    /// c clusters: c/(c − 1)·Σ (s − s̄)(s − s̄)ᵀ. Zeros for a single cluster.
    ///
    /// *Cost*: clusters·variables² multiplications. *Source*: K.-Y. Liang, S. Zeger, Longitudinal
    /// data analysis using generalized linear models, Biometrika 73, 1986.
    pub fn covariance(&self) -> Symmetric {
        let clusters = self.clusters;
        if clusters < 2 {
            return Symmetric::zeros(self.variables);
        }
        let mut mean = self.sum();
        for mean in &mut mean {
            *mean /= clusters as f64;
        }
        let mut covariance = Symmetric::gram(&self.values, &mean);
        covariance.scale(clusters as f64 / (clusters - 1) as f64);
        covariance
    }
}

impl Regression<'_> {
    /// Returns the standard error of E at `x`, in units of E, by its spread between up to
    /// [`CLUSTERS`] clusters of games. E is the ratio Σ l/Σ w of the sums of weighted penalties l
    /// and weights w of the clusters; with c the number of clusters that have weight its standard
    /// error is √(c/(c − 1)·Σ (l − E·w)²)/Σ w. 0 of a single cluster.
    ///
    /// *Cost*: a pass.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn standard_error(&self, x: &[f64]) -> PassResult<f64> {
        let lanes = self.reduction().lanes(x);
        // Two sums for each cluster, one after the other: weights and losses.
        let mut sums = vec![0.0; 2 * CLUSTERS];
        self.passes.vector(&mut sums, |pass, sums| {
            let table = pass.traces.table(&lanes);
            let of_rows = |(): &mut (), rows| {
                let mut sums = vec![0.0; 2 * CLUSTERS];
                for of in pass.losses(rows, &table) {
                    let cluster = 2 * cluster(pass.traces.game(of.row as usize), CLUSTERS);
                    sums[cluster] += of.weight;
                    sums[cluster + 1] += of.loss;
                }
                sums
            };
            let add = |part| add_up(sums, part);
            in_chunks(pass.traces.len(), || (), of_rows, add);
            0.0 // the sum of numbers that is returned besides is not needed
        })?;
        let (clusters, _) = sums.as_chunks::<2>();
        let add = |[w, l]: [f64; 2], [weight, loss]: &[f64; 2]| [w + weight, l + loss];
        let [weight, loss] = clusters.iter().fold([0.0; 2], add);
        let count = clusters.iter().filter(|[weight, _]| *weight > 0.0).count() as f64;
        let squares = clusters.iter();
        let squares = squares.map(|[w, l]| (l - loss / weight * w).powi(2));
        let variance = squares.sum::<f64>() * count / (count - 1.0).max(1.0);
        Ok(variance.sqrt() / weight)
    }

    /// Returns, for each cluster of games, what it contributes to the derivatives of E by the
    /// variables at `x`. There are at most `most` clusters: each game is one if they are no more,
    /// else games are put together by a hash of their numbers.
    ///
    /// *Cost*: two passes; 8 bytes a cluster and variable.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn scores_by_cluster(&self, x: &[f64], most: usize) -> PassResult<ClusterScores> {
        let (traces, part) = (self.passes.traces, self.passes.part);
        let games = games_of(traces, part)?;
        let clusters = games.len().min(most);
        let variables = self.reduction().variables();
        let mut values = vec![0.0; clusters * variables];
        let cluster_of = |game: u32| {
            if games.len() > most {
                cluster(game, most)
            } else {
                // Always found: `games` are all games of the part, and only its rows are read.
                games.binary_search(&game).unwrap_or(0)
            }
        };
        let lanes = self.reduction().lanes(x);
        for_each_set(traces, |set| {
            let (pass, table) = (self.passes.over(set), set.table(&lanes));
            for start in (0..set.len()).step_by(SLAB) {
                let rows = pass.rows(start..(start + SLAB).min(set.len()));
                let rows: Vec<Row<'_>> = rows.collect();
                // Pairs of the cluster and the row's place in `rows`, sorted, so that each thread
                // adds up clusters that are its alone.
                let of_clusters = rows.iter().map(|row| cluster_of(row.game()) as u32);
                let sorted = parallel::sorted(of_clusters);
                // Adds the rows of a cluster in this slab to the cluster's sums.
                let add = |linearised: &mut Linearised, cluster: usize, sums: &mut [f64]| {
                    let start = sorted.partition_point(|(of, _)| (*of as usize) < cluster);
                    let places = sorted[start..].iter();
                    for &(_, row) in places.take_while(|(of, _)| *of as usize == cluster) {
                        self.add_score(&pass, &rows[row as usize], &table, linearised, sums);
                    }
                };
                // A chunk has the values of one cluster. It must have at least 1, although without
                // variables there are no values at all.
                let size = variables.max(1);
                parallel::for_each_chunk(&mut values, size, Linearised::default, add);
            }
        })?;
        traces.ranks().sum(&mut values);
        scale_by(&mut values, self.first());
        Ok(ClusterScores {
            variables,
            clusters,
            values,
            games: games.len(),
        })
    }

    /// Adds one row's weight·dℓ/dz·∂s/∂x to `sums`, which has a number for each variable x; ℓ is
    /// the penalty, z the log-odds, s the score. β over the sum of weights makes derivatives of E
    /// of such sums. `linearised` is scratch.
    fn add_score(
        &self,
        pass: &Pass<'_>,
        row: &Row<'_>,
        table: &Table,
        linearised: &mut Linearised,
        sums: &mut [f64],
    ) {
        let z = pass.beta * linearised.at(row, table);
        let slope = row.weight() * pass.loss.penalty(z, row.outcome()).slope;
        let terms = self.reduction().lane_terms();
        for segment in linearised.segments(row) {
            let amounts = segment.factors.map(|factor| slope * factor);
            for (slot, coefficients) in segment.entries() {
                for lane in 0..2 {
                    let term = &terms[2 * slot.index() + lane];
                    if let Some(variable) = term.variable {
                        let count = f64::from(coefficients[lane]);
                        sums[variable.index()] += amounts[lane] * count * term.factor;
                    }
                }
            }
        }
    }

    /// Returns, game by game, the derivatives of E at `x` along some directions:
    /// a value for each direction, game after game in the order of their numbers.
    ///
    /// *Shapes*: a direction has one value per variable. *Cost*: a pass, and one for each eight
    /// directions; 8 bytes a game and direction, and 64 bytes a token (a distinct entry of a set: a
    /// slot with a coefficient for each of its two lanes).
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn slopes_by_game(&self, x: &[f64], directions: &[Vec<f64>]) -> PassResult<Vec<f64>> {
        let _phase = phase("slopes by game");
        let (traces, part) = (self.passes.traces, self.passes.part);
        let games = games_of(traces, part)?;
        let count = directions.len();
        let mut totals = vec![0.0; games.len() * count];
        let lanes = self.reduction().lanes(x);
        let mut by_token = Vec::new();
        for_each_set(traces, |set| {
            let (pass, table) = (self.passes.over(set), set.table(&lanes));
            // Eight directions are done side by side, the last group may have fewer.
            for (group, directions) in directions.chunks(WIDTH).enumerate() {
                let along = self.along(set, directions, &mut by_token);
                let of_rows = |(block, changes): &mut (Block, Vec<Line>), rows| {
                    // Rows of one game mostly follow each other: one sum for each such run.
                    let mut runs: Vec<(u32, Line)> = Vec::new();
                    pass.each_block(block, rows, &table, |block| {
                        // Fills in the slopes of the penalties by the log-odds: times the change of
                        // its score along a direction, each is what a row adds to the derivative.
                        block.penalties(pass.loss);
                        along.changes(&pass, block, changes);
                        let rows = block.rows.iter().zip(&block.slopes).zip(&*changes);
                        for ((&row, slope), changes) in rows {
                            let game = set.game(row as usize);
                            if runs.last().is_none_or(|(of, _)| *of != game) {
                                runs.push((game, Line::default()));
                            }
                            if let Some((_, sums)) = runs.last_mut() {
                                add_up(sums, changes.map(|change| slope * change));
                            }
                        }
                    });
                    runs
                };
                let add = |runs: Vec<(u32, Line)>| {
                    for (game, sums) in runs {
                        // Always found: `games` are all games of the part, and only its rows are
                        // read.
                        let game = games.binary_search(&game).unwrap_or(0);
                        let first = game * count + group * WIDTH;
                        add_up(&mut totals[first..first + directions.len()], sums);
                    }
                };
                in_chunks(set.len(), || (Block::new(), Vec::new()), of_rows, add);
            }
        })?;
        traces.ranks().sum(&mut totals);
        scale_by(&mut totals, self.first());
        Ok(totals)
    }
}

/// Returns, for each lane, how many games have a position that reads it. A game that
/// is in several blocks of a stream, or on several ranks, counts once for each.
///
/// *Cost*: a pass, and 32 bytes a row of a set.
///
/// # Errors
/// If rows cannot be read.
pub fn games_by_lane(traces: Traces<'_>) -> PassResult<Vec<u32>> {
    let mut counts = vec![0_u32; 2 * traces.slots()];
    let of_set = |set: &TraceSet| {
        let rows: Vec<Row<'_>> = set.rows(0..set.len()).collect();
        let sorted = parallel::sorted(rows.iter().map(Row::game));
        // Where a part of the sorted rows starts: always where a game does, so that each game is in
        // one part.
        let parts = parallel::threads();
        let start = |part: usize| {
            let row = part * sorted.len() / parts;
            sorted.get(row).map_or(sorted.len(), |(game, _)| {
                sorted.partition_point(|(other, _)| other < game)
            })
        };
        let of_part = |part: usize| {
            let mut counts = vec![0_u32; 2 * set.slots()];
            let mut last = vec![None; counts.len()];
            for &(game, row) in &sorted[start(part)..start(part + 1)] {
                let game = Some(game);
                let segments = rows[row as usize].segments();
                for (slot, coefficients) in segments.flat_map(|segment| segment.entries()) {
                    for (lane, coefficient) in (2 * slot.index()..).zip(coefficients) {
                        if coefficient != 0 && last[lane] != game {
                            last[lane] = game;
                            counts[lane] += 1;
                        }
                    }
                }
            }
            counts
        };
        let counts = parallel::map(0..parts, of_part);
        let mut total = vec![0_u32; 2 * set.slots()];
        for counts in counts {
            total.iter_mut().zip(counts).for_each(|(t, c)| *t += c);
        }
        total
    };
    each(traces, AHEAD, of_set, |more| {
        counts.iter_mut().zip(more).for_each(|(c, m)| *c += m);
    })?;
    let ranks = traces.ranks();
    if !ranks.is_alone() {
        let mut sums: Vec<f64> = counts.into_iter().map(f64::from).collect();
        ranks.sum(&mut sums);
        counts = sums.into_iter().map(|sum| sum as u32).collect();
    }
    Ok(counts)
}

/// Returns the number of a game's cluster, below `clusters`, by a hash of the game's number.
pub fn cluster(game: u32, clusters: usize) -> usize {
    (mix(u64::from(game).wrapping_mul(GOLDEN_GAMMA)) % clusters as u64) as usize
}

/// Returns the numbers of the games of a part, ascending, of all ranks.
pub(super) fn games_of(traces: Traces<'_>, part: Part) -> PassResult<Vec<u32>> {
    let games = traces.numbers_of_games(|game| part.contains(game));
    games.ok_or_else(|| unreadable(traces))
}

/// Runs `work` on the set in memory or, where rows are streamed, on one block of this rank after
/// the other. Fails if a block cannot be read; `work` has then seen the blocks before it.
pub(super) fn for_each_set(traces: Traces<'_>, mut work: impl FnMut(&TraceSet)) -> PassResult<()> {
    if let Some(set) = traces.in_memory() {
        work(set);
    }
    if let Some(blocks) = traces.blocks() {
        for block in 0..blocks.count() {
            let set = blocks.load(block).ok_or_else(|| unreadable(traces))?;
            work(&set);
            blocks.done(set);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
