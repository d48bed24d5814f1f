// What the service is compared with in Go: net/http and franz-go, as an engineer would write it in an hour. Each body is decoded and
// checked, written with acks=all and idempotence, and answered when Kafka has acknowledged it. Prints its address.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
)

type operation struct {
	Operation string      `json:"operation"`
	UnitCost  json.Number `json:"unit-cost"`
	Quantity  int64       `json:"quantity"`
}

var price = regexp.MustCompile(`^\d{1,13}(\.\d{1,2})?$`)

func (one operation) isValid() bool {
	return (one.Operation == "buy" || one.Operation == "sell") && one.Quantity > 0 && price.MatchString(one.UnitCost.String())
}

func main() {
	topic := os.Getenv("KAFKA_TOPIC")
	// The answer is waited for, so nothing lingers for more records.
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Getenv("KAFKA_BOOTSTRAP_SERVERS"), ",")...),
		kgo.DefaultProduceTopic(topic), kgo.RequiredAcks(kgo.AllISRAcks()), kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /operations", func(response http.ResponseWriter, request *http.Request) {
		body := make([]byte, request.ContentLength)
		if _, err := io.ReadFull(request.Body, body); err != nil {
			http.Error(response, "incomplete", http.StatusBadRequest)
			return
		}
		var operations []operation
		if err := json.Unmarshal(body, &operations); err != nil || len(operations) == 0 {
			http.Error(response, "no operations", http.StatusBadRequest)
			return
		}
		for _, one := range operations {
			if !one.isValid() {
				http.Error(response, "invalid operation", http.StatusUnprocessableEntity)
				return
			}
		}
		id := uuid.Must(uuid.NewV7()).String()
		record := &kgo.Record{Key: []byte(id), Value: body, Headers: []kgo.RecordHeader{
			{Key: "ce_id", Value: []byte(id)}, {Key: "ce_type", Value: []byte("operations.submitted.v1")}}}
		if err := client.ProduceSync(request.Context(), record).FirstErr(); err != nil {
			http.Error(response, "unknown", http.StatusServiceUnavailable)
			return
		}
		answer, _ := json.Marshal(map[string]any{
			"message": fmt.Sprintf("%d operations accepted", len(operations)), "submissionId": id, "operations": len(operations),
			"topic": topic, "partition": record.Partition, "offset": record.Offset, "statusUrl": "/operations/" + id})
		response.Header().Set("Content-Type", "application/json; charset=utf-8")
		response.WriteHeader(http.StatusAccepted)
		_, _ = response.Write(answer)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
