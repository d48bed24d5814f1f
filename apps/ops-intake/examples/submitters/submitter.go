// Submits operations to ops-intake, each exactly once whatever fails: go run submitter.go openapi.go http://localhost:3000 <submissions.tsv
// Keep each key with its order before you send it: after a crash, the same line again is safe. The README of the examples says more.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const giveUp, longestPause = 10 * time.Minute, 10 * time.Second

var client = &http.Client{Timeout: longestPause}

// ask sends the submission, or asks what became of it.
func ask(method, url, key, body string) (answer *http.Response, text []byte, err error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {key}}
	if token := os.Getenv("TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if answer, err = client.Do(request); err == nil {
		defer answer.Body.Close()
		text, err = io.ReadAll(answer.Body)
	}
	return
}

// submit returns what became of the submission, and the answer that says so.
func submit(service, key, body string) (string, string) {
	pause, method, path, sent := 100*time.Millisecond, "POST", "/operations", body
	for began := time.Now(); time.Since(began) < giveUp; pause = min(2*pause, longestPause) {
		var after time.Duration
		if answer, text, err := ask(method, service+path, key, sent); err == nil {
			if after, _ = time.ParseDuration(answer.Header.Get("Retry-After") + "s"); after > giveUp {
				after = 0 // from a proxy, as a date is
			}
			var found SubmissionOutcome
			var said Problem // what is not JSON is from a proxy, and says nothing
			_, _ = json.Unmarshal(text, &found), json.Unmarshal(text, &said)
			switch status := answer.StatusCode; {
			case status == 202, status == 200 && found.Outcome == "accepted":
				return "accepted", string(text)
			case method == "GET" && status == 404: // it is not in the log: send it again, with the same key
				method, path, sent = "POST", "/operations", body
			case status == 401, status == 403: // not of this submission: an earlier attempt may have written it
				return "unknown", string(text)
			case method == "POST" && status < 500 && after == 0 && status != 408 && status != 429:
				return "rejected", string(text)
			case said.Outcome != nil && *said.Outcome == "unknown" && said.StatusURL != nil:
				method, path, sent = "GET", *said.StatusURL, ""
			}
		}
		// No answer says nothing of the submission. With the same key it is safe to send it again.
		time.Sleep(max(after, pause))
	}
	panic(key + ": not known; run this again with the same line")
}

func main() {
	exit, lines := 0, bufio.NewScanner(os.Stdin)
	for lines.Buffer(nil, 2<<20); lines.Scan(); {
		key, body, _ := strings.Cut(lines.Text(), "\t")
		outcome, answer := submit(os.Args[1], key, body)
		if outcome != "accepted" {
			exit = 1
		}
		fmt.Printf("%s\t%s\t%s\n", key, outcome, answer)
	}
	os.Exit(exit)
}
