// Looks up each address of standard input and writes its record as a line of JSON: what mmdbinspect does, by the library
// that mmdbinspect is made of.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"net"
	"os"

	"github.com/oschwald/maxminddb-golang"
)

func main() {
	reader, err := maxminddb.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var record any
		if err := reader.Lookup(net.ParseIP(lines.Text()), &record); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(map[string]any{"ip": lines.Text(), "record": record}); err != nil {
			log.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}
