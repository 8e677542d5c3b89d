//! Ranks that are threads of one process: what many processes come to is tested with them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::{Ranks, Topic, Transport};

type Message = Vec<u8>;

/// A message that is asked for, and who sent it.
type Post = (usize, Topic, Message);

/// Those that have come, and those that have not been asked for.
#[derive(Debug)]
struct Posts {
    from: Receiver<Post>,
    waiting: Vec<Post>,
}

/// One thread's ends of the channels.
#[derive(Debug)]
struct Threads {
    rank: usize,
    to: Vec<Sender<Message>>,
    from: Vec<Mutex<Receiver<Message>>>,
    posts_to: Vec<Sender<Post>>,
    posts: Mutex<Posts>,
}

/// Makes so many ranks, in their order, each for a thread of its own; channels join them.
pub(crate) fn thread_ranks(size: usize) -> Vec<Ranks> {
    // By sender, then by receiver.
    let mut to: Vec<Vec<Sender<Message>>> = vec![Vec::new(); size];
    let mut from: Vec<Vec<Mutex<Receiver<Message>>>> = (0..size).map(|_| Vec::new()).collect();
    for to in &mut to {
        for from in &mut from {
            let (sender, receiver) = channel();
            to.push(sender);
            from.push(Mutex::new(receiver));
        }
    }
    let (posts_to, posts): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let ends = to.into_iter().zip(from).zip(posts).enumerate();
    ends.map(|(rank, ((to, from), posts))| {
        Ranks::new(Threads {
            rank,
            to,
            from,
            posts_to: posts_to.clone(),
            posts: Mutex::new(Posts {
                from: posts,
                waiting: Vec::new(),
            }),
        })
    })
    .collect()
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn machine(&self) -> String {
        "this process".to_owned()
    }

    fn send(&self, to: usize, message: &[u8]) {
        // A rank that has ended needs nothing any more.
        let _ = self.to[to].send(message.to_vec());
    }

    fn receive(&self, from: usize) -> Message {
        let from = self.from[from].lock();
        let received = from.unwrap_or_else(PoisonError::into_inner).recv();
        received.unwrap_or_default()
    }

    fn swap(&self, with: usize, message: &[u8]) -> Message {
        self.send(with, message);
        self.receive(with)
    }

    fn post(&self, to: usize, topic: Topic, message: &[u8]) {
        let _ = self.posts_to[to].send((self.rank, topic, message.to_vec()));
    }

    fn poll(&self, topic: Topic) -> Option<(usize, Message)> {
        let mut posts = self.posts.lock().unwrap_or_else(PoisonError::into_inner);
        let Posts { from, waiting } = &mut *posts;
        waiting.extend(from.try_iter());
        let at = waiting.iter().position(|(_, of, _)| *of == topic)?;
        let (from, _, message) = waiting.remove(at);
        Some((from, message))
    }

    /// All threads end with their process.
    fn abort(&self, status: u8) -> ! {
        std::process::exit(status.into())
    }
}
