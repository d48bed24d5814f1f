module ip-locate-anchor

go 1.22

require github.com/oschwald/maxminddb-golang v1.13.1

require golang.org/x/sys v0.21.0 // indirect
