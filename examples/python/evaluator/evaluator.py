"""A small chess evaluation that answers `tuner` over a pipe; docs/evaluator.md describes the protocol.

Needs `pip install chess`. tuner.toml starts it; or start it, and type to it.
"""
import hashlib, sys
from collections import Counter
import chess

PHASE = (0, 1, 1, 2, 4, 0)  # pawn, knight, bishop, rook, queen, king
TABLES = [  # name, shape, values of the middlegame and endgame by turns; weights are numbered in this order
    ("TEMPO", "", [10, 10]),
    ("MATERIAL", " shape 6", [82, 94, 337, 281, 365, 297, 477, 512, 1025, 936, 0, 0]),
    ("PST", " shape 6,64", [0] * (6 * 64 * 2)),  # a1 = 0, from the piece's own side
]
SOURCE = [value for _, _, values in TABLES for value in values]
MATERIAL, PST = 2, 14  # the numbers of their first weights
BUILD = hashlib.sha256(open(__file__, "rb").read()).hexdigest()[:16]


def features(board):
    """The phase, 24 at first, and how often each pair of weights counts for the side to move, by the number of its first."""
    phase, counts = 0, Counter({0: 1})  # TEMPO
    for square, piece in board.piece_map().items():
        role, sign = piece.piece_type - 1, 1 if piece.color == board.turn else -1
        phase += PHASE[role]
        counts[MATERIAL + 2 * role] += sign
        counts[PST + 2 * (64 * role + (square if piece.color == chess.WHITE else square ^ 56))] += sign
    return min(phase, 24), [(number, count) for number, count in counts.items() if count]


def evaluate(board, weights):
    """The score for the side to move, in integers, as an engine computes it."""
    phase, counts = features(board)
    mg = sum(count * weights[number] for number, count in counts)
    eg = sum(count * weights[number + 1] for number, count in counts)
    return (mg * phase + eg * (24 - phase)) // 24


def row(board, weights):
    """How that depends on the weights; the division leaves up to 23/24 out."""
    phase, counts = features(board)
    mg = " ".join(f"{number}:{count}" for number, count in counts)
    eg = " ".join(f"{number + 1}:{count}" for number, count in counts)
    return f"row {evaluate(board, weights)} slack {23 / 24} form {phase / 24} {mg} form {1 - phase / 24} {eg}"


def answer(line, state):
    command, _, rest = line.strip().partition(" ")
    if command == "tuner":
        return f"version 1\nname python-example\ngame chess\nview side-to-move\nbuild {BUILD}\ncan trace\nok"
    if command == "weights":
        return "\n".join(f"parameter {name}{shape} lanes 2 values {' '.join(map(str, values))}" for name, shape, values in TABLES) + "\nok"
    if command == "set":
        weights = list(SOURCE if rest == "source" else state["weights"])
        for number, value in (word.split("=") for word in rest.split() if word != "source"):
            weights[int(number)] = round(float(value))
        state["weights"] = weights
        return "ok"
    if command == "position":
        state["board"] = None  # where the next line refuses it
        state["board"] = chess.Board(rest)
        return "position first" if state["board"].turn == chess.WHITE else "position second"
    if command in ("score", "trace"):
        if state["board"] is None:
            raise ValueError("found no position, expected `position FEN` before")
        return f"score {evaluate(**state)}" if command == "score" else row(**state)
    raise ValueError(f"found {command!r}, expected tuner, weights, set, position, score, trace or quit")


state, rest = {"board": None, "weights": SOURCE}, b""
while more := sys.stdin.buffer.read1(1 << 16):  # what is there, and waits for a byte at least
    *lines, rest = (rest + more).split(b"\n")
    for line in filter(bytes.strip, lines):
        if line.split() == [b"quit"]:
            sys.exit()
        try:
            print(answer(line.decode(), state))
        except Exception as error:
            print("error", " ".join(str(error).split()))
    sys.stdout.flush()  # once for all that was asked
