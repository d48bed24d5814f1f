// Tells for each line, a text in hexadecimal, whether it is JSON (RFC 8259).
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"unicode/utf8"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, err := hex.DecodeString(lines.Text())
		if err == nil && utf8.Valid(text) && json.Valid(text) {
			fmt.Println(1)
		} else {
			fmt.Println(0)
		}
	}
}
