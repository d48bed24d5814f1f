// What the service is compared with in Go: net/http and maxminddb-golang, as an engineer would write it in an hour. Answers
// /<ip>/json with the eight fields and prints its address. The argument is the database.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/oschwald/maxminddb-golang"
)

type names struct {
	English string `maxminddb:"en"`
}

type record struct {
	City struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"city"`
	Subdivisions []struct {
		Names names `maxminddb:"names"`
	} `maxminddb:"subdivisions"`
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Postal struct {
		Code string `maxminddb:"code"`
	} `maxminddb:"postal"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
		Timezone  string   `maxminddb:"time_zone"`
	} `maxminddb:"location"`
}

type answer struct {
	IP        string   `json:"ip"`
	City      *string  `json:"city"`
	Region    *string  `json:"region"`
	Country   *string  `json:"country"`
	Postal    *string  `json:"postal"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Timezone  *string  `json:"timezone"`
}

func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func main() {
	reader, err := maxminddb.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /{ip}/json", func(response http.ResponseWriter, request *http.Request) {
		ip := net.ParseIP(request.PathValue("ip"))
		if ip == nil {
			http.Error(response, "not an address", http.StatusBadRequest)
			return
		}
		var found record
		if err := reader.Lookup(ip, &found); err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		place := answer{IP: ip.String(), City: known(found.City.Names.English), Country: known(found.Country.Code),
			Postal: known(found.Postal.Code), Latitude: found.Location.Latitude, Longitude: found.Location.Longitude,
			Timezone: known(found.Location.Timezone)}
		if len(found.Subdivisions) > 0 {
			place.Region = known(found.Subdivisions[0].Names.English)
		}
		response.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(response).Encode(place)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
