use std::fmt::{Display, Formatter};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct PhasedPoints(pub i16, pub i16);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Points16(i16);

pub enum Points16Kind {
    Points(i16),
    Mate(u8),
}

macro_rules! operators {
    ($($trait:ident::$fn:ident),*) => {
        $(impl std::ops::$trait for PhasedPoints {
            fn $fn(&mut self, other: Self) {
                std::ops::$trait::$fn(&mut self.0, other.0);
                std::ops::$trait::$fn(&mut self.1, other.1);
            }
        })*
    };
}
operators!(AddAssign::add_assign, SubAssign::sub_assign);

impl Points16 {
    const VERDICT_MATE: Self = Self(i16::MAX - 100);

    pub const fn points(points: i16) -> Self {
        Self(points)
    }

    pub fn number(self) -> i16 {
        self.0
    }

    pub const fn kind(self) -> Points16Kind {
        match self.0 {
            v if v >= Self::VERDICT_MATE.0 => Points16Kind::Mate((i16::MAX - v) as u8),
            v => Points16Kind::Points(v),
        }
    }
}

// The evaluation calls `saturating_sub` of a count, but none of these.
macro_rules! saturating {
    ($($fn:ident),*) => {
        impl Points16 {$(
            pub fn $fn(self, other: Self) -> Self {
                Self(self.0.$fn(other.0).clamp(-Self::VERDICT_MATE.0, Self::VERDICT_MATE.0))
            }
        )*}
    };
}
saturating!(saturating_add, saturating_sub);

// And nothing calls these.
macro_rules! euclidean {
    ($($fn:ident),*) => {
        impl Points16 {$(
            pub fn $fn(self, other: Self) -> Self {
                Self(self.0.$fn(other.0).min(Self::VERDICT_MATE.0))
            }
        )*}
    };
}
euclidean!(div_euclid, rem_euclid);

impl Display for Points16 {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            Points16Kind::Points(points) => write!(f, "{points}"),
            Points16Kind::Mate(plies) => write!(f, "M{plies}"),
        }
    }
}

tuner_core::traced!(untraced(kind, saturating));
