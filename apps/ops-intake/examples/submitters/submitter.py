"""Submits operations to ops-intake, each exactly once whatever fails, with Python's standard library.

    python submitter.py http://localhost:3000 <submissions.tsv

Each line of the input is an Idempotency-Key, a tab and the array of operations. Keep the key with the order before you send it: a
program that starts again sends the same line again. Prints the key, `accepted`, `rejected` or `unknown`, and the answer. TOKEN is sent as a
bearer token.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urljoin

GIVE_UP_S = 600
LONGEST_PAUSE_S = 10


def ask(url, key=None, body=None):
    """Sends the submission, or asks what became of it: (status, headers, JSON); None when there is no answer."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key} if body else {}
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, data=body and body.encode(), headers=headers)
    try:
        answer = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        answer = error
    except (OSError, http.client.HTTPException):
        return None  # no connection
    try:
        with answer:
            said = json.load(answer) if "json" in answer.headers.get("Content-Type", "") else None
            return answer.status, answer.headers, said if isinstance(said, dict) else {"status": answer.status}
    except (OSError, http.client.HTTPException, ValueError):
        return None  # cut off inside of the answer


def submit(service, key, body):
    """Returns what became of the submission, and the answer that says so."""
    status_url = None
    gives_up_at = time.monotonic() + GIVE_UP_S
    pause = 0.1
    while time.monotonic() < gives_up_at:
        answer = ask(status_url) if status_url else ask(f"{service}/operations", key, body)
        after = 0
        if answer:
            status, headers, said = answer
            if status == 202 or (status == 200 and said.get("outcome") == "accepted"):
                return "accepted", said
            seconds = headers.get("Retry-After", "")
            after = int(seconds) if seconds.isdecimal() and len(seconds) < 4 else 0  # others are from a proxy
            if status_url and status == 404:
                status_url = None  # it is not in the log: send it again, with the same key
            elif status in (401, 403):
                return "unknown", said  # not of this submission: an earlier attempt may have written it
            elif not status_url and status < 500 and not after and status not in (408, 429):
                return "rejected", said
            elif said.get("outcome") == "unknown" and said.get("statusUrl"):
                status_url = urljoin(service, said["statusUrl"])
        # No answer says nothing of the submission. With the same key it is safe to send it again.
        time.sleep(max(after, pause * random.uniform(0.5, 1)))
        pause = min(pause * 2, LONGEST_PAUSE_S)
    raise TimeoutError(f"{key}: not known after {GIVE_UP_S} s; run this again with the same line")


all_accepted = True
for line in sys.stdin:
    key, body = line.rstrip("\n").split("\t", 1)
    outcome, said = submit(sys.argv[1], key, body)
    all_accepted = all_accepted and outcome == "accepted"
    print(key, outcome, json.dumps(said), sep="\t", flush=True)
sys.exit(0 if all_accepted else 1)
