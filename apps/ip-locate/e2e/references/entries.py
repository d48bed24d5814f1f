"""For each line, a file and an address, writes the record and the prefix length that maxminddb finds, as JSON."""

import json
import sys

import maxminddb

files = {}
for line in sys.stdin:
    name, address = line.rstrip("\n").split("\t")
    if name not in files:
        files[name] = maxminddb.open_database(name)
    print(json.dumps(files[name].get_with_prefix_len(address)))
