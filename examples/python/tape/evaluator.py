"""A small chess evaluation whose numbers note their operations: docs/evaluator.md calls that a tape.

tuner.toml starts it; or start it, and type to it.
"""
import sys

TABLES = {  # name: shape, values of the middlegame and endgame by turns; weights are numbered in this order
    "MATERIAL": ("shape 5", [82, 94, 337, 281, 365, 297, 477, 512, 1025, 936]),
    "BISHOP_PAIR": ("", [20, 40]),
    "CROWD": ("", [3, 2]),  # of minor pieces: its square counts
}
SOURCE = [value for _, values in TABLES.values() for value in values]
PHASE = (0, 1, 1, 2, 4)
TAPE = []


def note(value, operation):
    TAPE.append("step " + operation)
    return Number(value, len(SOURCE) + len(TAPE))


class Number:
    """A number, and what it is on the tape: a weight or an operation."""

    def __init__(self, value, at):
        self.value, self.at = value, at

    @staticmethod
    def of(x):
        return x if isinstance(x, Number) else note(x, f"value {x + 0}")

    def __add__(self, other):
        other = Number.of(other)
        return note(self.value + other.value, f"add {self.at} {other.at}")

    def __sub__(self, other):
        other = Number.of(other)
        return note(self.value - other.value, f"sum {self.at} {other.at} -1")

    def __mul__(self, other):
        other = Number.of(other)
        return note(self.value * other.value, f"mul {self.at} {other.at}")

    def __floordiv__(self, other):
        other = Number.of(other)
        return note(self.value // other.value, f"quotient {self.at} {other.at}")

    def __gt__(self, other):
        over = self - other
        note(0, f"guard {over.at} positive {'yes' if over.value > 0 else 'no'}")
        return over.value > 0


def evaluate(fen, weights):
    """The score for the side to move: nothing in it is for tuning."""
    board, turn = fen.split()[:2]
    phase, halves = 0, []
    for lane in (0, 1):
        score = weights[12 + lane] * 0
        for side in ("white", "black"):
            pieces = [p for p in board if p.isupper() == (side == "white") and p.lower() in "pnbrq"]
            sum = weights[10 + lane] * (2 <= [p.lower() for p in pieces].count("b"))
            for piece in pieces:
                sum = sum + weights[2 * "pnbrq".index(piece.lower()) + lane]
                phase += PHASE["pnbrq".index(piece.lower())] * (lane == 0)
            crowd = weights[12 + lane] * len([p for p in pieces if p.lower() in "nb"])
            if crowd > 4:
                sum = sum + crowd * crowd // 8
            score = score + sum if (side == "white") == (turn == "w") else score - sum
        halves.append(score)
    phase = min(phase, 24)
    return (halves[0] * phase + halves[1] * (24 - phase)) // 24


def answer(command, rest, state):
    if command == "tuner":
        return "version 1\nname python-tape\ngame chess\nview side-to-move\ncan trace\nok"
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
    if command == "score":
        return f"score {evaluate(**state)}"
    if command == "trace":
        TAPE.clear()
        score = evaluate(state["fen"], [Number(value, at + 1) for at, value in enumerate(state["weights"])])
        return " ".join([f"tape {score.value} result {score.at}", *TAPE])
    return f"error found {command}, expected tuner, weights, set, position, score, trace or quit"


if __name__ == "__main__":
    state = {"fen": "8/8/8/8/8/8/8/8 w", "weights": SOURCE}
    while (line := sys.stdin.readline()) not in ("", "quit\n"):
        print(answer(*line.strip().partition(" ")[::2], state), flush=True)
