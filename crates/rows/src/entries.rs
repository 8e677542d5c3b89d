//! Entries of a segment on their way into the stream.

use super::distinct::Distinct;
use super::draft::Segment;
use super::tokens::Token;
use tuner_base::Slot;

/// Computes the numbers of the tokens (distinct entries) of a segment, which replace what is in
/// `numbers`: ordered by slot, entries of one slot added up, those that count for nothing left out.
/// Two entries whose sum does not fit into 16 bits stay two. `tokens`: all of the set, to which new
/// ones are added; `sorted`: a buffer.
pub(crate) fn tokens(
    segment: &Segment,
    sorted: &mut Vec<(Slot, [i16; 2])>,
    tokens: &mut Distinct<Token>,
    numbers: &mut Vec<u32>,
) {
    sorted.clear();
    sorted.extend(segment.entries.iter().filter(|entry| entry.1 != [0; 2]));
    if !sorted.is_sorted_by(|a, b| a.0 < b.0) {
        // Entries of one slot become neighbours, which are added up if the sum fits.
        sorted.sort_unstable();
        sorted.dedup_by(|next, entry| {
            if next.0 != entry.0 {
                return false;
            }
            let [first, second] = [0, 1].map(|lane| entry.1[lane].checked_add(next.1[lane]));
            if let (Some(first), Some(second)) = (first, second) {
                entry.1 = [first, second];
                true
            } else {
                false
            }
        });
        // A sum may be 0.
        sorted.retain(|entry| entry.1 != [0; 2]);
    }
    numbers.clear();
    let number = |&(slot, coefficients): &(Slot, [i16; 2])| {
        tokens.number(Token {
            slot: slot.0,
            coefficients,
        })
    };
    numbers.extend(sorted.iter().map(number));
}
