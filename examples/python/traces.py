"""Traces of a small chess evaluation, for `tuner fit --spec engine.toml`; docs/traces.md has the format.

Needs `pip install pyarrow`. Reads a table with the columns fen, result, game and score_cp, as `data` and `selfplay` write it:
    python3 traces.py positions.tsv traces.arrow
"""
import csv, itertools, json, sys
import pyarrow as pa

ROLES, PHASE, RESULT = "pnbrqk", (0, 1, 1, 2, 4, 0), {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
TEMPO, MATERIAL = 10, ((82, 94), (337, 281), (365, 297), (477, 512), (1025, 936), (0, 0))  # as in engine.toml; PST is 0 there
NAMES = ["TEMPO"] + [f"MATERIAL[{r}]" for r in ROLES] + [f"PST[{r}][{s}]" for r in ROLES for s in range(64)]
SCHEMA = pa.schema(
    [("outcome", pa.float32()), ("game", pa.string()), ("phase", pa.float64()), ("search_score", pa.int32()),
     ("score", pa.int32()), ("feature", pa.list_(pa.uint16())), ("coefficient", pa.list_(pa.int8()))],
    metadata={"tuner.version": "1", "tuner.features": json.dumps(NAMES)})


def evaluate(fen):
    """The score for White, the phase from 0 to 24, and how often each feature counts for White."""
    board, side = fen.split()[:2]
    tempo = 1 if side == "w" else -1
    mg, eg, phase, counts = 0, 0, 0, {0: tempo}
    for y, rank in enumerate(board.split("/")):
        x = 0
        for c in rank:
            if c.isdigit():
                x += int(c)
                continue
            role, sign, square = ROLES.index(c.lower()), 1 if c.isupper() else -1, 8 * (7 - y if c.isupper() else y) + x
            x, phase = x + 1, phase + PHASE[role]
            mg, eg = mg + sign * MATERIAL[role][0], eg + sign * MATERIAL[role][1]
            for feature in (1 + role, 7 + 64 * role + square):
                counts[feature] = counts.get(feature, 0) + sign
    phase = min(phase, 24)
    return int((mg * phase + eg * (24 - phase)) / 24) + tempo * TEMPO, phase, {j: c for j, c in counts.items() if c}


def batch(rows):
    return pa.RecordBatch.from_arrays([pa.array(column, field.type) for column, field in zip(zip(*rows), SCHEMA)], schema=SCHEMA)


with open(sys.argv[1]) as table, pa.OSFile(sys.argv[2], "wb") as out, pa.ipc.new_file(out, SCHEMA) as file:
    lines = csv.DictReader(table, delimiter="\t")
    while some := list(itertools.islice(lines, 100_000)):  # a batch of the file
        scores = [(line, *evaluate(line["fen"])) for line in some]
        file.write_batch(batch([(RESULT[line["result"]], line["game"], phase / 24, int(line["score_cp"]) if line["score_cp"] else None, score, list(counts), list(counts.values()))
                                for line, score, phase, counts in scores]))
