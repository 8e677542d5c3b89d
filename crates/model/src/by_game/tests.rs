use super::add_by_game;

/// Whatever blocks rows come in, and in whatever order games: sums of whole numbers are exact.
#[test]
fn sums_by_game_do_not_depend_on_blocks() {
    let rows: Vec<(u32, f64)> = (0..500_u32)
        .map(|row| (if row % 97 == 0 { 3 } else { row / 7 }, f64::from(row % 11)))
        .collect();
    let mut whole = Vec::new();
    add_by_game(&mut whole, &rows);
    assert!(whole.is_sorted_by(|(game, _), (next, _)| game < next));
    for size in [1, 5, 64, 499] {
        let mut games = Vec::new();
        add_by_game(&mut games, &[]);
        for block in rows.chunks(size) {
            add_by_game(&mut games, block);
        }
        assert!(games == whole, "{size}");
    }
}
