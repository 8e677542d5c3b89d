"""A small chess evaluation that only scores, which is all that `tuner fit` needs: docs/evaluator.md describes the protocol.

tuner.toml starts it; or start it, and type to it.
"""
import sys

ROLES = "PNBRQ"
PHASE = (0, 1, 1, 2, 4)
TABLES = {  # name: shape, values of the middlegame and endgame by turns; weights are numbered in this order
    "MATERIAL": ("shape 5", [82, 94, 337, 281, 365, 297, 477, 512, 1025, 936]),
    "PAWN_RANK": ("shape 6", [0] * 12),  # from the second rank, seen by its own side
    "BISHOP_PAIR": ("", [20, 40]),
    "TEMPO": ("", [10, 0]),
}
SOURCE = [value for _, values in TABLES.values() for value in values]


def features(fen):
    """The phase, 24 at first, and how often each pair of weights counts for the side to move."""
    board, turn = fen.split()[:2]
    counts, phase = [0] * (len(SOURCE) // 2), 0
    for rank, row in enumerate(board.split("/")):
        for piece in row:
            role = ROLES.find(piece.upper())
            if role >= 0:
                sign = 1 if piece.isupper() == (turn == "w") else -1
                counts[role] += sign
                phase += PHASE[role]
                if role == 0:
                    counts[5 + (6 - rank if piece.isupper() else rank - 1)] += sign
    pairs = (board.count("B") >= 2) - (board.count("b") >= 2)
    return min(phase, 24), counts[:11] + [pairs if turn == "w" else -pairs, 1]


def evaluate(fen, weights):
    phase, counts = features(fen)
    mg, eg = (sum(count * weight for count, weight in zip(counts, weights[lane::2])) for lane in (0, 1))
    return (mg * phase + eg * (24 - phase)) // 24


def answer(command, rest, state):
    if command == "tuner":
        return "version 1\nname python-score\ngame chess\nview side-to-move\nok"
    if command == "weights":
        return "\n".join(f"parameter {name} {shape} lanes 2 values {' '.join(map(str, values))}" for name, (shape, values) in TABLES.items()) + "\nok"
    if command == "set":
        state["weights"] = list(SOURCE if rest == "source" else state["weights"])
        for number, value in (word.split("=") for word in rest.split() if word != "source"):
            state["weights"][int(number)] = round(float(value))
        return "ok"
    if command == "position":
        state["fen"] = rest
        return "position first" if rest.split()[1] == "w" else "position second"
    return f"score {evaluate(**state)}" if command == "score" else f"error found {command}, expected tuner, weights, set, position, score or quit"


if __name__ == "__main__":
    state = {"fen": "8/8/8/8/8/8/8/8 w", "weights": SOURCE}
    while (line := sys.stdin.readline()) not in ("", "quit\n"):
        print(answer(*line.strip().partition(" ")[::2], state), flush=True)
