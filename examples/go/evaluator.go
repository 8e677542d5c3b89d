// A small chess evaluation that only scores, for tuner: docs/evaluator.md describes the protocol.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

var source = []int{82, 94, 337, 281, 365, 297, 477, 512, 1025, 936, 20, 40, 10, 0} // middlegame and endgame by turns
var names = []string{"PAWN", "KNIGHT", "BISHOP", "ROOK", "QUEEN", "BISHOP_PAIR", "TEMPO"}
var phases = []int{0, 1, 1, 2, 4}

// evaluate scores a position for the side to move.
func evaluate(board string, white bool, weights []int) int {
	counts, phase := make([]int, 7), 0
	for _, piece := range board {
		if role := strings.IndexRune("PNBRQ", piece&^32); role >= 0 && piece > '9' {
			phase += phases[role]
			if piece < 'a' == white {
				counts[role]++
			} else {
				counts[role]--
			}
		}
	}
	for side, bishop := range []string{"B", "b"} {
		if strings.Count(board, bishop) >= 2 {
			if (side == 0) == white {
				counts[5]++
			} else {
				counts[5]--
			}
		}
	}
	counts[6] = 1
	if phase > 24 {
		phase = 24
	}
	sum := 0
	for i, count := range counts {
		sum += count * (weights[2*i]*phase + weights[2*i+1]*(24-phase))
	}
	return sum / 24
}

func main() {
	weights, board, white := append([]int{}, source...), "", true
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		command, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		switch command {
		case "tuner":
			fmt.Print("version 1\nname go-score\ngame chess\nview side-to-move\nok\n")
		case "weights":
			for i, name := range names {
				fmt.Println("parameter", name, "lanes 2 values", source[2*i], source[2*i+1])
			}
			fmt.Println("ok")
		case "set":
			if rest == "source" {
				copy(weights, source)
				rest = ""
			}
			for _, pair := range strings.Fields(rest) {
				var number int
				var value float64
				fmt.Sscanf(pair, "%d=%g", &number, &value)
				weights[number] = int(value+1000000.5) - 1000000 // to the nearest
			}
			fmt.Println("ok")
		case "position":
			fields := strings.Fields(rest)
			board, white = fields[0], fields[1] == "w"
			fmt.Println("position", map[bool]string{true: "first", false: "second"}[white])
		case "score":
			fmt.Println("score", evaluate(board, white, weights))
		case "quit":
			return
		default:
			fmt.Println("error found", command)
		}
	}
}
