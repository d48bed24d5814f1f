// history-checker judges a history of ops-intake: whether there is one order of all requests, each between its call and its
// return, in which every key is a register that is written at most once and every answer is true. Porcupine searches for it.
//
//	history-checker history.jsonl
//
// It prints a summary, and the events of each key for which there is no such order. Exit code 1: there is such a key, or the
// search took too long.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The search takes exponential time at worst; a key with some tens of requests takes milliseconds.
const patience = time.Minute

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: history-checker HISTORY.jsonl")
		os.Exit(2)
	}
	history, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !judge(history) {
		os.Exit(1)
	}
}

// read returns the events of each key, and fails on what it does not know: a misspelt name would make a check vacuous.
func read(path string) (map[string][]event, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	history := map[string][]event{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		var one event
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		isRequest := one.Op == "submit" || one.Op == "status"
		if one.Key == "" || (!isRequest && one.Op != "record") || (isRequest && one.Returned < one.Called) {
			return nil, fmt.Errorf("%s:%d: no event", path, number)
		}
		one.text = lines.Text()
		history[one.Key] = append(history[one.Key], one)
	}
	return history, lines.Err()
}

// judge prints what it finds and returns whether every key is legal.
func judge(history map[string][]event) bool {
	keys := make([]string, 0, len(history))
	requests, records, late := 0, 0, 0
	for key, events := range history {
		keys = append(keys, key)
		for _, one := range events {
			if one.Op == "record" {
				records++
			} else {
				requests++
			}
		}
	}
	slices.Sort(keys)
	var illegal, undecided []string
	for _, key := range keys {
		operations := operationsOf(history[key])
		result := porcupine.CheckOperationsTimeout(model(true), operations, patience)
		if result == porcupine.Illegal {
			if result = porcupine.CheckOperationsTimeout(model(false), operations, patience); result == porcupine.Ok {
				late++
			}
		}
		switch result {
		case porcupine.Illegal:
			illegal = append(illegal, key)
		case porcupine.Unknown:
			undecided = append(undecided, key)
		}
	}
	fmt.Printf("%d keys, %d requests, %d records\n", len(keys), requests, records)
	fmt.Printf("%d illegal, %d undecided\n", len(illegal), len(undecided))
	fmt.Printf("%d written by an attempt without an answer after \"not published\"\n", late)
	for _, key := range slices.Concat(illegal, undecided) {
		fmt.Printf("\n%s\n", key)
		events := history[key]
		slices.SortFunc(events, func(a, b event) int { return int(a.Called - b.Called) })
		for _, one := range events {
			fmt.Println(one.text)
		}
	}
	return len(illegal) == 0 && len(undecided) == 0
}
