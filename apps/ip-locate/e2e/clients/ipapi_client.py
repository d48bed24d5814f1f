"""Every use of the PyPI client ipapi against the base URL on the command line; prints JSON."""

import json
import sys

import ipapi
from ipapi.ipapi import field_list

from base_url import send_to

send_to(sys.argv[1])


def outcome(**arguments):
    try:
        return ipapi.location(**arguments)
    except Exception as error:
        return [type(error).__name__, error.args[0]]


print(
    json.dumps(
        {
            "caller": outcome(),
            "address": outcome(ip="8.8.8.8"),
            "key": outcome(ip="8.8.8.8", key="secret-key"),
            "wrong_key": outcome(ip="8.8.8.8", key="another-key"),
            "city": outcome(ip="8.8.8.8", output="city"),
            "csv": outcome(ip="8.8.8.8", output="csv"),
            "invalid": outcome(ip="nonsense"),
            "reserved": outcome(ip="127.0.0.1"),
            "not_found": outcome(ip="8.8.8.8", output="no_such_field"),
            "fields": {name: outcome(ip="8.8.8.8", output=name) for name in field_list},
        }
    )
)
