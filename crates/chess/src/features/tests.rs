#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use shakmaty::attacks;
use shakmaty::{Bitboard, Chess, Color, File, Piece, Position, Rank, Role, Square};
use tuner_game::rules::Rules as _;
use tuner_game::{FeatureLanguage, PositionNotation as _};

use super::{ALL, counts, side, words};
use crate::Fen;

/// Openings, passed pawns and outposts, bare kings, pieces in danger.
const POSITIONS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r4rk1/ppp2p1p/2n3p1/3q4/3P1QN1/2P4R/PP3PPP/4R1K1 b - - 3 20",
    "8/5pk1/6p1/8/8/1R4P1/5PK1/3b4 b - - 3 41",
    "8/P4k2/8/1p1P4/2B1p3/4K3/3P2p1/R4b2 w - - 0 60",
    "2r3k1/1b3ppp/1p1Np3/p2nP3/P2P1P2/1P1R2P1/1B5P/6K1 b - - 0 30",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "6k1/pp3p1p/2p3pB/4q3/3n1P2/3Q3P/PPr3P1/3R1RK1 w - - 0 28",
];

/// The rank of a square as its player counts, from 0.
fn height(square: Square, us: Color) -> i32 {
    let rank = i32::from(square.rank());
    if us.is_white() { rank } else { 7 - rank }
}

fn squares_of(position: &Chess, us: Color, role: Role) -> Vec<Square> {
    let pieces = position.board().by_piece(Piece { color: us, role });
    pieces.into_iter().collect()
}

/// Whether a player attacks a square, by shakmaty.
fn attacked(position: &Chess, square: Square, by: Color) -> bool {
    let board = position.board();
    (board.attacks_to(square, by, board.occupied())).any()
}

fn file_distance(one: Square, other: Square) -> i32 {
    (i32::from(one.file()) - i32::from(other.file())).abs()
}

fn is_passed(position: &Chess, pawn: Square, us: Color) -> bool {
    let ahead = |other: &Square| height(*other, us) > height(pawn, us);
    let theirs = squares_of(position, us.other(), Role::Pawn);
    let own = squares_of(position, us, Role::Pawn);
    !(theirs.iter()).any(|other| ahead(other) && file_distance(pawn, *other) <= 1)
        && !(own.iter()).any(|other| ahead(other) && file_distance(pawn, *other) == 0)
}

/// What a slow count knows of one player.
struct Slow<'p> {
    position: &'p Chess,
    us: Color,
    their_king: Square,
    pawns: Vec<Square>,
    their_pawns: Vec<Square>,
}

fn one(is: bool) -> i32 {
    i32::from(is)
}

fn on_file(pawns: &[Square], file: File) -> bool {
    pawns.iter().any(|pawn| pawn.file() == file)
}

impl Slow<'_> {
    fn sum(&self, role: Role, of: &dyn Fn(Square) -> i32) -> i32 {
        let squares = squares_of(self.position, self.us, role);
        squares.into_iter().map(of).sum()
    }

    fn by_pawn(&self, square: Square, by: Color) -> bool {
        let pawns = self.position.board().by_piece(by.pawn());
        (attacks::pawn_attacks(by.other(), square) & pawns).any()
    }

    fn reached(&self, role: Role, square: Square) -> Bitboard {
        attacks::attacks(square, role.of(self.us), self.position.board().occupied())
    }

    /// Counts of one player, square by square.
    fn count(&self, words: &str) -> Option<i32> {
        self.of_pawns(words).or_else(|| self.of_pieces(words))
    }

    fn of_pawns(&self, words: &str) -> Option<i32> {
        let Self {
            position,
            us,
            their_king,
            pawns,
            ..
        } = self;
        let (position, us, their_king) = (*position, *us, *their_king);
        let (them, of) = (us.other(), |role| squares_of(position, us, role));
        Some(match words {
            "passed pawns" => self.sum(Role::Pawn, &|pawn| one(is_passed(position, pawn, us))),
            "passed pawns on rank 6" => self.sum(Role::Pawn, &|pawn| {
                one(height(pawn, us) == 5 && is_passed(position, pawn, us))
            }),
            "isolated pawns" => self.sum(Role::Pawn, &|pawn| {
                one(!pawns.iter().any(|other| file_distance(pawn, *other) == 1))
            }),
            "doubled pawns" => self.sum(Role::Pawn, &|pawn| {
                let below = |other: &&Square| height(**other, us) < height(pawn, us);
                one((pawns.iter().filter(below)).any(|other| file_distance(pawn, *other) == 0))
            }),
            "backward pawns" => self.sum(Role::Pawn, &|pawn| {
                let rank = if us.is_white() { 8 } else { -8 };
                let stop = Square::new((i32::from(pawn) + rank) as u32);
                let helps = |other: &Square| {
                    file_distance(pawn, *other) == 1 && height(*other, us) <= height(pawn, us)
                };
                let neighbour = |other: &Square| file_distance(pawn, *other) == 1;
                one(self.by_pawn(stop, them)
                    && !pawns.iter().any(helps)
                    && pawns.iter().any(neighbour))
            }),
            "pawns beside pawns" => self.sum(Role::Pawn, &|pawn| {
                let near = |other: &Square| {
                    other.rank() == pawn.rank() && file_distance(pawn, *other) == 1
                };
                one(pawns.iter().any(near))
            }),
            "distances of passed pawns to their king" => self.sum(Role::Pawn, &|pawn| {
                let distance = pawn.distance(their_king) as i32;
                one(is_passed(position, pawn, us)) * distance
            }),
            "pawns on the colour of own bishops" => {
                let bishops = of(Role::Bishop);
                self.sum(Role::Pawn, &|pawn| {
                    one(bishops
                        .iter()
                        .any(|bishop| bishop.is_light() == pawn.is_light()))
                })
            }
            "pawns times knights of theirs" => {
                (pawns.len() * squares_of(position, them, Role::Knight).len()) as i32
            }
            _ => return None,
        })
    }

    fn of_pieces(&self, words: &str) -> Option<i32> {
        let Self {
            position,
            us,
            their_king,
            pawns,
            their_pawns,
        } = self;
        let (position, us, their_king) = (*position, *us, *their_king);
        let (board, them) = (position.board(), us.other());
        let of = |role| squares_of(position, us, role);
        Some(match words {
            "rooks on open files" => self.sum(Role::Rook, &|rook| {
                one(!on_file(pawns, rook.file()) && !on_file(their_pawns, rook.file()))
            }),
            "rooks on half-open files" => self.sum(Role::Rook, &|rook| {
                one(!on_file(pawns, rook.file()) && on_file(their_pawns, rook.file()))
            }),
            "rooks on rank 7" => self.sum(Role::Rook, &|rook| one(height(rook, us) == 6)),
            "knights on outposts" => self.sum(Role::Knight, &|knight| {
                let chased = |pawn: &Square| {
                    file_distance(*pawn, knight) == 1 && height(*pawn, us) > height(knight, us)
                };
                let ranks = (3..6).contains(&height(knight, us));
                one(ranks && self.by_pawn(knight, us) && !their_pawns.iter().any(chased))
            }),
            "bishops behind own pawns" => self.sum(Role::Bishop, &|bishop| {
                let ahead = |pawn: &Square| {
                    pawn.file() == bishop.file() && height(*pawn, us) == height(bishop, us) + 1
                };
                one(pawns.iter().any(ahead))
            }),
            "queens attacked and not defended" => self.sum(Role::Queen, &|queen| {
                one(attacked(position, queen, them) && !attacked(position, queen, us))
            }),
            "squares safe from pawns attacked by knights" => self.sum(Role::Knight, &|knight| {
                let free = self.reached(Role::Knight, knight) & !board.by_color(us);
                free.into_iter()
                    .filter(|square| !self.by_pawn(*square, them))
                    .count() as i32
            }),
            "squares safe from pawns attacked by queens" => self.sum(Role::Queen, &|queen| {
                let free = self.reached(Role::Queen, queen) & !board.by_color(us);
                free.into_iter()
                    .filter(|square| !self.by_pawn(*square, them))
                    .count() as i32
            }),
            "squares near their king attacked by bishops" => self.sum(Role::Bishop, &|bishop| {
                let near = self.reached(Role::Bishop, bishop).into_iter();
                near.filter(|square| square.distance(their_king) <= 1)
                    .count() as i32
            }),
            "queens of theirs attacked by rooks" => {
                let queens = squares_of(position, them, Role::Queen).into_iter();
                let rooks = of(Role::Rook);
                let hit = |queen: &Square| {
                    rooks
                        .iter()
                        .any(|r| self.reached(Role::Rook, *r).contains(*queen))
                };
                queens.filter(hit).count() as i32
            }
            "two bishops or more" => one(of(Role::Bishop).len() > 1),
            "safe checks by rooks" => {
                let from = attacks::rook_attacks(their_king, board.occupied());
                let rooks = of(Role::Rook);
                let by_rooks = rooks
                    .iter()
                    .fold(Bitboard::EMPTY, |all, r| all | self.reached(Role::Rook, *r));
                let squares = (from & by_rooks & !board.by_color(us)).into_iter();
                squares
                    .filter(|square| !attacked(position, *square, them))
                    .count() as i32
            }
            "files near the own king without own pawns" => {
                let king = board.king_of(us)?;
                let near =
                    |file: &File| file_distance(Square::from_coords(*file, Rank::First), king) <= 1;
                let files = File::ALL.into_iter().filter(near);
                files.filter(|file| !on_file(pawns, *file)).count() as i32
            }

            _ => return None,
        })
    }
}

/// Counts of one player, square by square.
fn slow(words: &str, position: &Chess, us: Color) -> Option<i32> {
    Slow {
        position,
        us,
        their_king: position.board().king_of(us.other())?,
        pawns: squares_of(position, us, Role::Pawn),
        their_pawns: squares_of(position, us.other(), Role::Pawn),
    }
    .count(words)
}

/// Positions of games of moves by a linear generator.
fn positions(count: usize) -> Vec<Chess> {
    let mut all: Vec<Chess> = POSITIONS.map(|fen| Fen.parse(fen).unwrap()).to_vec();
    let (mut state, mut next) = (7_u64, Chess::default());
    while all.len() < count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let moves = next.legal_moves();
        if moves.is_empty() || next.is_insufficient_material() {
            next = Chess::default();
            continue;
        }
        Fen.play(&mut next, moves[(state >> 33) as usize % moves.len()]);
        all.push(next.clone());
    }
    all
}

#[test]
fn features_are_many_and_each_has_a_name_of_its_own() {
    let words = words();
    assert!(words.len() >= 150, "{}", words.len());
    // Each expression is read; equal ones, and those that cancel, are one.
    let mut forest = super::Forest::default();
    for (name, text) in super::list::SETS {
        assert!(forest.name(name, text).is_some(), "{name}: {text}");
    }
    for (words, text) in super::list::texts() {
        assert!(forest.read(&text).is_some(), "{words}: {text}");
    }
    let names: BTreeSet<String> = words.iter().map(|words| super::name(words)).collect();
    assert_eq!(names.len(), words.len());
}

#[test]
fn features_count_as_a_count_square_by_square_does() {
    let words = words();
    let mut compared = BTreeSet::new();
    let mut counted = BTreeSet::new();
    for position in positions(400) {
        let counts = counts(&position);
        for (words, &found) in words.iter().zip(&counts) {
            let both = [Color::White, Color::Black].map(|us| slow(words, &position, us));
            let [Some(white), Some(black)] = both else {
                continue;
            };
            compared.insert(words);
            if white != black {
                counted.insert(words);
            }
            let text = Fen.describe(&position);
            assert_eq!(i32::from(found), white - black, "{words}: {text}");
        }
    }
    // Each is a case of the slow count, and counts in some position.
    assert_eq!(
        (compared.len(), counted.len()),
        (22, 22),
        "{compared:?} {counted:?}"
    );
}

#[test]
fn colours_swapped_negate_all_counts() {
    for position in positions(100) {
        let text = Fen.mirrored(&Fen.describe(&position)).unwrap();
        let negated: Vec<i16> = counts(&Fen.parse(&text).unwrap())
            .iter()
            .map(|c| -c)
            .collect();
        assert_eq!(counts(&position), negated, "{text}");
    }
}

/// Runs a program on the boards of positions; it prints the counts of each in a line.
fn counts_of_program(program: &Path, positions: &[Chess]) -> Vec<Vec<i16>> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    for position in positions {
        for side in [Color::White, Color::Black].map(|us| side(position, us)) {
            for set in [
                side.pawns,
                side.knights,
                side.bishops,
                side.rooks,
                side.queens,
                side.king,
            ] {
                text += &set.to_string();
                text.push(' ');
            }
        }
        text += "\n";
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        line.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    };
    text.lines().map(line).collect()
}

fn compare(
    language: FeatureLanguage,
    file: &str,
    head: &str,
    compile: &[&str],
    main: &str,
    call: &str,
) {
    let all: Vec<usize> = (0..ALL.1.len()).collect();
    let code = Fen.feature_code(&all, language).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join(file), folder.path().join("counts"));
    let mut text = format!("{head}{}\n", code.helpers);
    let mut calls = String::new();
    for (name, function) in &code.functions {
        text += function;
        let count = code.difference.replacen("f(", &format!("{name}("), 1);
        calls += &call.replace("COUNT", &count.replacen("- f(", &format!("- {name}("), 1));
    }
    text += &main.replace("CALLS", &calls);
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(compile[0]);
    let built = command
        .args(&compile[1..])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output();
    // Where there is no such compiler, others have compared.
    let Ok(built) = built else { return };
    let words = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && words.is_empty(), "{words}");
    let positions = positions(300);
    let found = counts_of_program(&program, &positions);
    assert_eq!(found.len(), positions.len());
    for (found, position) in found.iter().zip(&positions) {
        assert_eq!(found, &counts(position), "{}", Fen.describe(position));
    }
}

#[test]
fn rust_code_counts_as_the_trees_do() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let main = "fn main() {
    for line in std::io::stdin().lines() {
        let sets: Vec<u64> = line.unwrap().split_whitespace().map(|w| w.parse().unwrap()).collect();
        let side = |s: &[u64]| Side {
            pawns: s[0], knights: s[1], bishops: s[2], rooks: s[3], queens: s[4], king: s[5],
        };
        let (white, black) = (side(&sets[..6]), side(&sets[6..]));
        CALLS
        println!();
    }
}";
    let compile = [&*rustc, "--edition=2021", "-Cdebuginfo=0"];
    let call = "show(COUNT);\n";
    let head = "fn show(count: i32) { print!(\"{count} \"); }\n";
    compare(
        FeatureLanguage::Rust,
        "counts.rs",
        head,
        &compile,
        main,
        call,
    );
}

#[test]
fn cpp_code_counts_as_the_trees_do() {
    let main = "int main() {
    Side white, black;
    auto read = [](Side& s) {
        return bool(std::cin >> s.pawns >> s.knights >> s.bishops >> s.rooks >> s.queens >> s.king);
    };
    while (read(white) && read(black)) {
        CALLS
        std::cout << '\\n';
    }
}";
    let compile = ["g++", "-std=c++11", "-Wall", "-Wextra"];
    let call = "std::cout << COUNT << ' ';\n";
    let head = "#include <iostream>\n";
    compare(
        FeatureLanguage::Cpp,
        "counts.cpp",
        head,
        &compile,
        main,
        call,
    );
}

#[test]
fn a_number_that_no_feature_has_has_no_code() {
    let code = |feature| Fen.feature_code(&[feature], FeatureLanguage::Rust);
    assert!(code(ALL.1.len() - 1).is_some());
    assert!(code(ALL.1.len()).is_none());
}
