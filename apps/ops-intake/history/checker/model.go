package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// A place is where a record is in the topic.
type place struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
}

// An event is one line of a history: a request with its answer, or a record that was in the topic at the end.
type event struct {
	Key string `json:"key"`
	// "submit", "status" or "record"
	Op string `json:"op"`
	// Microseconds since the history began. A request without an answer has Returned where its client gave up.
	Called   int64 `json:"called"`
	Returned int64 `json:"returned"`
	// What the service said: "accepted" with a place, "not-published", "not-found", "unknown"; "in-flight" and
	// "store-unavailable" where this request published nothing and another one may have; "none" where no answer came. Anything
	// else is illegal.
	Answer string `json:"answer"`
	place
	// Of a record: its bytes are not those that were submitted.
	Altered bool `json:"altered,omitempty"`
	// The line itself.
	text string
}

// A register is the state of one key: empty until it is written, once and for ever.
type register struct {
	written bool
	at      place
	// When the latest request that was told that nothing is written began. No attempt that had ended before may write any more.
	absentSince int64
}

// The read of the whole topic at the end.
type finalRead struct{ records []event }

// What an attempt may have done that was not told "accepted" or "not-published": its record, if there is one, is somewhere in
// the topic.
type attempt struct {
	event
	records []event
}

// fenced says whether an attempt that brought no answer keeps to "will never be published", which a later request was told.
// The service cannot know of a request that is still on its way to it, so both are of interest.
func model(fenced bool) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{register{absentSince: math.MinInt64}} },
		Step: func(state, input, _ any) []any {
			return step(state.(register), input, fenced)
		},
		DescribeOperation: func(input, _ any) string { return describe(input) },
		DescribeState: func(state any) string {
			if one := state.(register); one.written {
				return fmt.Sprintf("written at %d/%d", one.at.Partition, one.at.Offset)
			}
			return "empty"
		},
	}
	return nondeterministic.ToModel()
}

// step returns the states that the register can be in after an operation; none when the operation is illegal.
func step(now register, input any, fenced bool) []any {
	switch input := input.(type) {
	case finalRead:
		return only(now, input.isOf(now))
	case attempt:
		next := []any{now}
		isOver := input.Returned < now.absentSince && (fenced || input.Answer != "none")
		if !now.written && !isOver {
			for _, record := range input.records {
				next = append(next, register{true, record.place, now.absentSince})
			}
		}
		return next
	case event:
		switch input.Answer {
		case "accepted":
			// An answer to a submission may be the moment at which it is written; to a question it is not.
			if !now.written && input.Op == "submit" {
				return only(register{true, input.place, now.absentSince}, true)
			}
			return only(now, now.written && now.at == input.place)
		case "not-published", "not-found":
			return only(register{false, place{}, max(now.absentSince, input.Called)}, !now.written)
		case "unknown", "in-flight", "store-unavailable", "none":
			return only(now, true)
		}
	}
	return nil
}

func (read finalRead) isOf(now register) bool {
	if !now.written {
		return len(read.records) == 0
	}
	return len(read.records) == 1 && read.records[0].place == now.at && !read.records[0].Altered
}

func only(state register, isLegal bool) []any {
	if !isLegal {
		return nil
	}
	return []any{state}
}

// operationsOf makes Porcupine's operations of the events of one key: the requests, then the read of the topic.
func operationsOf(events []event) []porcupine.Operation {
	var records []event
	for _, one := range events {
		if one.Op == "record" {
			records = append(records, one)
		}
	}
	var operations []porcupine.Operation
	for client, one := range events {
		if one.Op == "record" {
			continue
		}
		operation := porcupine.Operation{ClientId: client, Input: one, Call: one.Called, Return: one.Returned}
		// Nobody knows when it ends: perhaps after all answers.
		if one.Op == "submit" && (one.Answer == "unknown" || one.Answer == "none") {
			operation.Input, operation.Return = attempt{one, records}, math.MaxInt64-1
		}
		operations = append(operations, operation)
	}
	end := porcupine.Operation{ClientId: len(events), Input: finalRead{records}, Call: math.MaxInt64, Return: math.MaxInt64}
	return append(operations, end)
}

func describe(input any) string {
	switch input := input.(type) {
	case finalRead:
		return fmt.Sprintf("%d records", len(input.records))
	case attempt:
		return describe(input.event)
	case event:
		if input.Answer == "accepted" {
			return fmt.Sprintf("%s: accepted at %d/%d", input.Op, input.Partition, input.Offset)
		}
		return fmt.Sprintf("%s: %s", input.Op, input.Answer)
	}
	return ""
}
