"""A German address as the PyPI client ipyapi reads it, from the base URL on the command line; prints JSON."""

import dataclasses
import json
import sys

from ipyapi import IPyAPI

with IPyAPI(base_url=sys.argv[1]) as client:
    print(json.dumps(dataclasses.asdict(client.get_location("5.9.0.1"))))
