"""Lets schemathesis send NDJSON: a text as it is, anything else as one line of JSON."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()
