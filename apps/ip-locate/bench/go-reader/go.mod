module go-reader

go 1.21

require github.com/oschwald/maxminddb-golang v1.13.1

require golang.org/x/sys v0.21.0 // indirect
