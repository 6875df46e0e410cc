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

// What each account of a bank is opened with.
const opening = 100

func balance(text string) int {
	if text == "" {
		return opening
	}
	amount, _ := strconv.Atoi(text)
	return amount
}

// Returns what is left on the account that money is taken from, and the balances of the bank afterwards.
func transfer(state, what string) (string, string) {
	before := state
	if state == none {
		state = ",,,"
	}
	balances := strings.Split(state, ",")
	part := strings.Split(what, ",")
	from, _ := strconv.Atoi(part[0])
	to, _ := strconv.Atoi(part[1])
	amount, _ := strconv.Atoi(part[2])
	left := balance(balances[from]) - amount
	if left < 0 {
		return none, before
	}
	balances[from] = strconv.Itoa(left)
	balances[to] = strconv.Itoa(balance(balances[to]) + amount)
	return balances[from], strings.Join(balances, ",")
}

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
	case "TRANSFER":
		left := none
		left, after = transfer(state, in.value)
		right = out.seen == left && out.applied == (left != none)
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
