"""Tells for each line, a text in hexadecimal, whether it is JSON (RFC 8259)."""

import json
import sys


def reject(name):
    raise ValueError(name)


sys.setrecursionlimit(10_000)
sys.set_int_max_str_digits(0)
for line in sys.stdin:
    try:
        json.loads(bytes.fromhex(line.strip()).decode("utf-8"), parse_constant=reject)
        print(1)
    except ValueError:
        print(0)
