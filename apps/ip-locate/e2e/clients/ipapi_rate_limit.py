"""What ipapi raises for the rate limit; prints JSON."""

import json
import sys

import ipapi

from base_url import send_to

send_to(sys.argv[1])
try:
    ipapi.location("8.8.8.8")
    ipapi.location("8.8.8.8")
    print(json.dumps([]))
except Exception as error:
    print(json.dumps([type(error).__name__, error.args[0]]))
