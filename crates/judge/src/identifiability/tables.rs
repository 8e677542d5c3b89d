//! Which weights are one table, or one row of a table, so that they can be named
//! together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use tuner_base::WeightId;
use tuner_fit::WeightGroup;
use tuner_solve::Reduction;

/// From so many weights on, weights of a table that are not all of it are counted
/// and not listed. Chosen.
const MANY: usize = 4;

/// Coefficients are the same up to this part of them.
const SAME: f64 = 1e-6;

/// Weights with one coefficient, under one name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct NamedTerm {
    /// Their common name: `PST[knight]`.
    pub name: String,
    /// Their phase, `mg` or `eg`, if it is one of two.
    pub phase: Option<String>,
    /// Which of the weights of that name they are.
    pub members: TermMembers,
    /// Their coefficient.
    pub coefficient: f64,
}

/// Which weights of a name are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermMembers {
    /// The name is that of a single weight.
    One,
    /// The two phases of a single value.
    Phases,
    /// All of a table or a row.
    All,
    /// All but those that are frozen or fixed otherwise.
    AllFitted,
    /// Some.
    Some {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
}

impl NamedTerm {
    /// Returns the term in words, such as `each PST[knight]`, without its phase.
    pub(super) fn words_of_all_phases(&self) -> String {
        let name = &self.name;
        match self.members {
            TermMembers::One => name.clone(),
            TermMembers::Phases => format!("both phases of {name}"),
            TermMembers::All => format!("each {name}"),
            TermMembers::AllFitted => format!("each fitted {name}"),
            TermMembers::Some { count, of } => format!("{count} of the {of} {name}"),
        }
    }
}

tuner_base::impl_fmt! { Display for NamedTerm, |self, f| {
    f.write_str(&self.words_of_all_phases())?;
    match &self.phase {
        Some(phase) => write!(f, ".{phase}"),
        None => Ok(()),
    }
} }

/// The behaviour of a weight when variables move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Behaviour {
    /// The weight moves with a variable of this number, so many times as far.
    Moves(usize, f64),
    /// The weight would move with this variable, but no row reads it.
    Unread(usize),
    /// The weight does not move.
    Fixed,
}

/// A name cut into its parts: `PST[knight][0].mg` is `PST`, `PST[knight]`,
/// `PST[knight][0]`, and the phase `mg`.
#[derive(Debug)]
struct NameParts {
    prefixes: Vec<String>,
    phase: Option<String>,
}

impl NameParts {
    /// Cuts a name before each bracket, and a phase off its end: what follows the last point,
    /// unless that is within brackets. `PST[knight][0].mg` becomes `PST`, `PST[knight]`,
    /// `PST[knight][0]`, and the phase `mg`.
    fn of(name: &str) -> Self {
        let (stem, phase) = match name.rsplit_once('.') {
            Some((stem, phase)) if !phase.contains(']') => (stem, Some(phase.to_owned())),
            _ => (name, None),
        };
        let brackets = stem.match_indices('[').map(|(at, _)| stem[..at].to_owned());
        let mut prefixes: Vec<String> = brackets.collect();
        prefixes.push(stem.to_owned());
        Self { prefixes, phase }
    }
}

/// The weights of a table or of one row of it, in one phase or in all.
#[derive(Debug)]
struct Table {
    name: String,
    phase: Option<String>,
    members: Vec<usize>,
    /// Whether they are the phases of a single value.
    is_value: bool,
}

/// A table or a row of one, in one phase.
#[derive(Debug)]
pub(crate) struct PhaseTable {
    /// Its name: `PST[knight].mg`.
    pub(crate) name: String,
    /// Numbers of its weights that move, and the variable of each.
    pub(crate) entries: Vec<(usize, usize)>,
    /// The variables of its entries, ascending, each once.
    pub(crate) variables: Vec<usize>,
}

/// All tables and rows, the largest first.
#[derive(Debug)]
pub(crate) struct Tables {
    parts: Vec<NameParts>,
    largest_first: Vec<Table>,
    /// How each weight moves.
    behaviour: Vec<Behaviour>,
    /// The root of each variable.
    roots: Vec<WeightId>,
}

impl Tables {
    /// Finds the tables and rows of tables by the names of weights, `PST[knight][0].mg`: all
    /// weights with the prefix `PST` are a table, those with the prefix `PST[knight]` are a row of
    /// it; each is taken once in all phases, and once in each phase. `groups`: parameters; the name
    /// of one of several weights becomes their shortest prefix, if the name of a weight begins with
    /// it. `movable`: of each variable whether a row reads it, `None` if it has no room to move.
    pub(crate) fn new(
        reduction: &Reduction,
        names: &[String],
        groups: &[WeightGroup],
        movable: &[Option<bool>],
    ) -> Self {
        let mut parts: Vec<NameParts> = names.iter().map(|name| NameParts::of(name)).collect();
        // Features of rows made elsewhere are a group, whose name theirs do not begin with.
        let is_table = |group: &&WeightGroup| {
            let mut weights = group.weights.iter();
            let is_named = |weight: &WeightId| names[weight.index()].starts_with(&group.name);
            group.weights.len() > 1 && weights.any(is_named)
        };
        for group in groups.iter().filter(is_table) {
            for weight in &group.weights {
                let prefixes = &mut parts[weight.index()].prefixes;
                if prefixes.len() > 1 {
                    prefixes[0].clone_from(&group.name);
                } else {
                    prefixes.insert(0, group.name.clone());
                }
            }
        }
        // By depth of the name, whether it is of one phase, name, and phase: in the order of these,
        // tables come before their rows, and all phases before one.
        let mut tables: BTreeMap<(usize, bool, &str, Option<&str>), Vec<usize>> = BTreeMap::new();
        for (weight, parts) in parts.iter().enumerate() {
            for (depth, prefix) in parts.prefixes.iter().enumerate() {
                let phase = parts.phase.as_deref().map(Some);
                for phase in [None].into_iter().chain(phase) {
                    let key = (depth, phase.is_some(), &**prefix, phase);
                    tables.entry(key).or_default().push(weight);
                }
            }
        }
        // Whether weights are the phases of a single value: their names differ by the phase alone.
        let is_value = |members: &[usize]| {
            let first = parts[members[0]].prefixes.last();
            let mut members = members.iter();
            members.all(|&weight| parts[weight].prefixes.last() == first)
        };
        let tables = tables.into_iter().filter(|(_, members)| members.len() > 1);
        let tables = tables.map(|((_, _, name, phase), members)| Table {
            name: name.to_owned(),
            phase: phase.map(str::to_owned),
            is_value: is_value(&members),
            members,
        });
        let behaviour = reduction.weight_terms().map(|(variable, factor, _)| {
            let Some(variable) = variable.filter(|_| factor.abs() > 0.0) else {
                return Behaviour::Fixed;
            };
            let variable = variable.index();
            match movable[variable] {
                Some(true) => Behaviour::Moves(variable, factor),
                Some(false) => Behaviour::Unread(variable),
                None => Behaviour::Fixed,
            }
        });
        Self {
            largest_first: tables.collect(),
            behaviour: behaviour.collect(),
            parts,
            roots: reduction.roots().to_vec(),
        }
    }

    /// Returns, for each table or row that moves as a whole where its variables move by equal
    /// steps, these variables, ascending; tables of one variable are left out.
    pub(super) fn variables(&self) -> impl Iterator<Item = Vec<usize>> {
        let tables = self.largest_first.iter();
        tables.filter_map(|table| Some(distinct(&self.moving(table)?)).filter(|all| all.len() > 1))
    }

    /// Returns the weights of a table that move, with the variable of each; `None` where one moves
    /// by another amount than its variable, so that the table is not moved as a whole by equal
    /// steps.
    fn moving(&self, table: &Table) -> Option<Vec<(usize, usize)>> {
        let mut entries = Vec::new();
        for &weight in &table.members {
            if let Behaviour::Moves(variable, factor) = self.behaviour[weight] {
                // A weight tied with the other sign falls where its variable rises.
                if (factor - 1.0).abs() > SAME {
                    return None;
                }
                entries.push((weight, variable));
            }
        }
        Some(entries)
    }

    /// Returns the tables and rows of one phase, or without phases, the largest first, with their
    /// weights that move and the variable of each. They are those of at least three variables in
    /// which each weight moves by as much as its variable.
    pub(crate) fn of_one_phase(&self) -> impl Iterator<Item = PhaseTable> {
        self.largest_first.iter().filter_map(|table| {
            let has_phases =
                (table.members.iter()).any(|&weight| self.parts[weight].phase.is_some());
            if table.is_value || (table.phase.is_none() && has_phases) {
                return None;
            }
            let entries = self.moving(table)?;
            let variables = distinct(&entries);
            let name = match &table.phase {
                Some(phase) => format!("{}.{phase}", table.name),
                None => table.name.clone(),
            };
            (variables.len() >= 3).then_some(PhaseTable {
                name,
                entries,
                variables,
            })
        })
    }

    /// Names the weights of a direction, which has a coefficient for each variable: a table or row
    /// whose weights have one coefficient is one term. Returns the terms in the order of the
    /// weights; and each weight of a table so named that no row reads, with the coefficient of the
    /// table. Of tied weights only the root counts, the one that the others are tied to.
    pub(super) fn name(&self, direction: &[f64]) -> (Vec<NamedTerm>, Vec<(WeightId, f64)>) {
        // Variables whose weights are still to be named.
        let mut open: Vec<bool> = direction.iter().map(|c| c.abs() > 0.0).collect();
        let mut named: Vec<(usize, NamedTerm)> = Vec::new();
        let mut unread = Vec::new();
        // What a table has named is not open any more for its rows, which come later in the order.
        for table in &self.largest_first {
            let Some(coefficient) = self.coefficient(table, direction) else {
                continue;
            };
            let roots = table.members.iter();
            let roots = roots.filter_map(|&weight| self.open_root(weight, &open));
            let roots: Vec<usize> = roots.collect();
            if roots.is_empty() {
                continue;
            }
            for variable in roots {
                open[variable] = false;
            }
            let is_fixed = |weight: &usize| self.behaviour[*weight] == Behaviour::Fixed;
            let members = if table.is_value {
                TermMembers::Phases
            } else if table.members.iter().any(is_fixed) {
                TermMembers::AllFitted
            } else {
                TermMembers::All
            };
            for &weight in &table.members {
                if let Behaviour::Unread(variable) = self.behaviour[weight]
                    && self.roots[variable].index() == weight
                {
                    unread.push((WeightId(weight), coefficient));
                }
            }
            let term = NamedTerm {
                name: table.name.clone(),
                phase: table.phase.clone(),
                members,
                coefficient,
            };
            named.push((table.members[0], term));
        }
        named.extend(self.name_others(direction, &open));
        named.sort_by_key(|(first, _)| *first);
        (named.into_iter().map(|(_, term)| term).collect(), unread)
    }

    /// Returns the coefficient that all moving weights of a table have in a direction; `None`
    /// unless these are two or more, have the same one, and it is not 0. A table in all phases
    /// whose moving weights have one phase has none: the table in that phase names them.
    fn coefficient(&self, table: &Table, direction: &[f64]) -> Option<f64> {
        let moving = || {
            (table.members.iter()).filter_map(|&weight| match self.behaviour[weight] {
                Behaviour::Moves(variable, factor) => Some((weight, factor * direction[variable])),
                _ => None,
            })
        };
        let (first, coefficient) = moving().next()?;
        let same = |other: f64| (other - coefficient).abs() <= SAME * coefficient.abs();
        let in_one_phase = || moving().all(|(w, _)| self.parts[w].phase == self.parts[first].phase);
        let phases_fit =
            table.phase.is_some() || self.parts[first].phase.is_none() || !in_one_phase();
        let is_one = moving().nth(1).is_none();
        let fits = coefficient.abs() > 0.0 && !is_one && phases_fit;
        (fits && moving().all(|(_, other)| same(other))).then_some(coefficient)
    }

    /// Returns the variable of a weight that moves, if it is not named yet, as `open` says by
    /// variable. `None` for a weight that is tied to another, as that one names the variable, or
    /// that does not move.
    fn open_root(&self, weight: usize, open: &[bool]) -> Option<usize> {
        match self.behaviour[weight] {
            Behaviour::Moves(v, _) if open[v] && self.roots[v].index() == weight => Some(v),
            _ => None,
        }
    }

    /// Names the weights that are not a whole table: [`MANY`] or more of one row with one
    /// coefficient by their number, others one by one. `open`: of each variable whether it is still
    /// to be named. Each term comes with its first weight, by which terms are sorted.
    fn name_others(&self, direction: &[f64], open: &[bool]) -> Vec<(usize, NamedTerm)> {
        // By row, phase, and the bits of the coefficient: the variables to be named.
        let mut rows: BTreeMap<(&str, Option<&str>, u64), Vec<usize>> = BTreeMap::new();
        for (variable, root) in self.roots.iter().enumerate().filter(|(v, _)| open[*v]) {
            let parts = &self.parts[root.index()];
            // The table or row that the weight is an entry of: its name without the last index.
            let row = &parts.prefixes[parts.prefixes.len().saturating_sub(2)];
            let (phase, bits) = (parts.phase.as_deref(), direction[variable].to_bits());
            rows.entry((row, phase, bits)).or_default().push(variable);
        }
        let mut named = Vec::new();
        for ((row, phase, _), variables) in rows {
            let table = (self.largest_first.iter())
                .find(|table| table.name == row && table.phase.as_deref() == phase);
            let mut add = |name: &str, variable: usize, members| {
                let term = NamedTerm {
                    name: name.to_owned(),
                    phase: phase.map(str::to_owned),
                    members,
                    coefficient: direction[variable],
                };
                named.push((self.roots[variable].index(), term));
            };
            if let Some(table) = table.filter(|_| variables.len() >= MANY) {
                let (count, of) = (variables.len(), table.members.len());
                add(row, variables[0], TermMembers::Some { count, of });
                continue;
            }
            for variable in variables {
                let name = self.parts[self.roots[variable].index()].prefixes.last();
                let name = name.map_or("", String::as_str);
                add(name, variable, TermMembers::One);
            }
        }
        named
    }
}

/// Returns the variables of entries (weight, variable), ascending, each once.
fn distinct(entries: &[(usize, usize)]) -> Vec<usize> {
    let mut variables: Vec<usize> = entries.iter().map(|&(_, variable)| variable).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}
