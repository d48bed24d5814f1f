module strict-json

go 1.26.0
