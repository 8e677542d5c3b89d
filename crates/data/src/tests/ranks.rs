//! What many processes read together.

use super::*;

/// Games of other ranks end no batch; a position without a game knows how many are before it.
#[test]
fn ranks_ask_of_many_positions_at_a_time_and_number_those_without_a_game() {
    let row = |row: u64, games: u64| -> String {
        let none = tuner_game::GameKey::none(row);
        match (row % 4, row % 1500) {
            _ if games == 3 => format!("w{row}\t1\tg{}", row / 3),
            // Not a position, which counts as one of those before others.
            (0, 0) => format!("?\t1\t{none}"),
            (0, _) => format!("w{row}\t1\t{none}"),
            _ => format!("w{row}\t1\tg{}", row / games),
        }
    };
    let [games, mixed] = [3, 4].map(|games| -> String {
        let rows: Vec<String> = (0..6000).map(|number| row(number, games)).collect();
        rows.join("\n") + "\n"
    });
    let read = |rows: String, ranks| {
        let text = "word\tresult\tgame\n".to_owned() + &rows;
        let (_folder, inputs) = files(&[text.as_bytes()]);
        let (mut batches, mut read) = (0, Vec::new());
        let elsewhere = &|block: &mut (u64, Vec<Vec<(String, u64)>>)| block.0 += 1;
        let each = |block: &mut (u64, Vec<Vec<(String, u64)>>),
                    samples: &mut Vec<Sample>,
                    found: &mut SampleResults| {
            let first = block.0;
            block.0 += samples.len() as u64;
            let of_batch = samples.iter().zip(first..).map(|(sample, number)| {
                let number = sample.labelled.game.map_or(number, |_| 0);
                (written(sample).to_owned(), number)
            });
            block.1.push(of_batch.collect());
            found.extend(samples.iter().map(|_| Ok(())));
        };
        let gather = |(_, of_block): (u64, Vec<Vec<_>>)| {
            batches += of_block.len();
            read.extend(of_block.concat());
            std::ops::ControlFlow::Continue(())
        };
        let share = &RankShare { ranks, elsewhere };
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        read_batches_among(
            &inputs,
            &options,
            words(),
            share,
            Default::default,
            each,
            gather,
        )
        .unwrap();
        (batches, read)
    };
    for (rank, ranks) in thread_ranks::thread_ranks(2).into_iter().enumerate() {
        let (batches, here) = read(games.clone(), ranks);
        assert!(
            here.len() > 2500 && batches < 12,
            "{} {batches}",
            here.len()
        );
        let (_, here) = read(mixed.clone(), ranks);
        let alone = here.iter().filter(|(word, _)| is_alone(word));
        let expected = |word: &str| word[1..].parse::<u64>().unwrap();
        for (word, number) in alone.clone() {
            assert_eq!(*number, expected(word), "rank {rank}");
        }
        assert!(alone.count() > 300);
    }
}

/// Tells whether a word of the mixed file is of a position without a game.
fn is_alone(word: &str) -> bool {
    word[1..].parse::<u64>().unwrap().is_multiple_of(4)
}

/// Each rank finds all bad lines of the files, of which some are in one place.
#[test]
fn a_bad_line_that_all_ranks_find_is_listed_once() {
    let at = |line, column, message: &str| BadLine {
        location: tuner_base::Location {
            file: "f".into(),
            line,
            column,
        },
        message: message.to_owned(),
    };
    let bad_lines = vec![at(3, 1, "b"), at(3, 1, "a"), at(3, 2, "a"), at(4, 1, "a")];
    let report = ReadReport {
        files: vec![FileReport {
            file: "f".into(),
            rejected: 4,
            ..FileReport::default()
        }],
        bad_lines,
    };
    let threads: Vec<_> = (thread_ranks::thread_ranks(2).into_iter())
        .map(|ranks| {
            let report = report.clone();
            std::thread::spawn(move || report.among(ranks))
        })
        .collect();
    for thread in threads {
        let found = thread.join().unwrap();
        assert_eq!(found.bad_lines.len(), 4, "{:?}", found.bad_lines);
        assert_eq!(found.bad_line_words().count(), 4);
    }
}
