//! The hash that splits, shuffles and samples depend on: the same for ever.

/// The golden gamma, 2⁶⁴ divided by the golden ratio, made odd.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the number that the generator SplitMix64 gives next if it is in this state, which is any
/// number.
///
/// Each state has another number. Which games are held out, and the order of
/// shuffled data, depend on it: it must never change.
///
/// *Source*: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number
/// Generators, OOPSLA 2014, section 5 (constants of D. Stafford's mix 13).
#[inline]
pub const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of seed 1234567, as in Rosetta Code's "Pseudo-random numbers/Splitmix64".
    #[test]
    fn agrees_with_the_published_numbers() {
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        for (step, expected) in (0..).zip(published) {
            let state = 1_234_567_u64.wrapping_add(GOLDEN_GAMMA.wrapping_mul(step));
            assert_eq!(mix(state), expected);
        }
    }
}
