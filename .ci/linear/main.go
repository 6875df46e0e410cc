// Command linear looks at histories written by io.georep.linear.ExportedHistories with Porcupine, a checker that shares nothing with
// ours, and says where the two disagree.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"
)

type input struct {
	kind, value, expected string
	open                  bool
}

type output struct {
	applied bool
	seen    string
}

const none = "-"

// An operation without answer may also have no effect: Porcupine knows no such operations, so the model allows both.
func step(state string, in input, out output) []any {
	after := state
	right := true
	switch in.kind {
	case "READ":
		right = out.seen == state
	case "PUT":
		after = in.value
	case "REMOVE":
		after, right = none, out.applied == (state != none)
	case "EXPIRE":
		if state == in.value {
			after = none
		}
	case "PUT_IF_ABSENT":
		right = out.seen == state
		if state == none {
			after = in.value
		}
	case "REPLACE":
		right = out.applied == (state == in.expected)
		if state == in.expected {
			after = in.value
		}
	}
	if in.open {
		return []any{state, after}
	}
	if right {
		return []any{after}
	}
	return nil
}

func check(operations []porcupine.Operation) bool {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{none} },
		Step: func(state, in, out any) []any { return step(state.(string), in.(input), out.(output)) },
	}
	return porcupine.CheckOperations(model.ToModel(), operations)
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	defer file.Close()
	var operations []porcupine.Operation
	name, said := "", ""
	count, wrong, unlike := 0, 0, 0
	finish := func() {
		if name == "" {
			return
		}
		count++
		holds := check(operations)
		if !holds {
			wrong++
		}
		if holds != (said == "right") {
			unlike++
			fmt.Println("history", name, "is", said, "to GeoRep and not to Porcupine")
		}
		operations = nil
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		field := strings.Split(lines.Text(), "\t")
		if field[0] == "history" {
			finish()
			name, said = field[1], field[2]
			continue
		}
		from, _ := strconv.ParseInt(field[4], 10, 64)
		to, err := strconv.ParseInt(field[5], 10, 64)
		open := err != nil
		if open {
			to = 1 << 62
		}
		operations = append(operations, porcupine.Operation{
			ClientId: len(operations),
			Input:    input{field[1], field[2], field[3], open},
			Call:     from,
			Output:   output{field[6] == "1", field[7]},
			Return:   to,
		})
	}
	finish()
	fmt.Println(count, "histories,", wrong, "wrong to Porcupine,", unlike, "disagreements")
	if unlike > 0 || count == 0 {
		os.Exit(1)
	}
}
