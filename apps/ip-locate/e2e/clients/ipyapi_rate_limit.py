"""The name of the exception ipyapi raises for the rate limit; prints JSON."""

import json
import sys

from ipyapi import IPyAPI, IPyAPIError

with IPyAPI(base_url=sys.argv[1], max_retries=0) as client:
    try:
        client.get_location("8.8.8.8")
        client.get_location("8.8.8.8")
        print(json.dumps([]))
    except IPyAPIError as error:
        print(json.dumps([type(error).__name__]))
