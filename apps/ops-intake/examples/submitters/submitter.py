"""Submits operations to ops-intake, each exactly once whatever fails: python3 submitter.py http://localhost:3000 <submissions.tsv
Keep each key with its order before you send it: after a crash, the same line again is safe. The README of the examples says more."""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urljoin

from openapi import Problem, ProblemOutcome, SubmissionOutcome, SubmissionOutcomeOutcome

GIVE_UP_S, LONGEST_PAUSE_S = 600, 10


def ask(url, key=None, body=None):
    """Sends the submission, or asks what became of it: (status, headers, JSON); None when there is no answer."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key} if body else {}
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, data=body and body.encode(), headers=headers)
    try:
        try:
            answer = urllib.request.urlopen(request, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            said = json.load(answer) if "json" in answer.headers.get("Content-Type", "") else None
            return answer.status, answer.headers, said if isinstance(said, dict) else {"status": answer.status}
    except (OSError, http.client.HTTPException, ValueError):
        return None  # no connection, or cut off inside of the answer


def parse(status: int, said: Any) -> SubmissionOutcome | Problem | None:
    """The answer in its type; None when it is from a proxy, and says nothing."""
    try:
        return SubmissionOutcome.from_dict(said) if status == 200 else Problem.from_dict(said)
    except Exception:
        return None


def submit(service: str, key: str, body: str) -> tuple[str, Any]:
    """Returns what became of the submission, and the answer that says so."""
    status_url: str | None = None
    gives_up_at, pause = time.monotonic() + GIVE_UP_S, 0.1
    while time.monotonic() < gives_up_at:
        after, answer = 0, ask(status_url) if status_url else ask(f"{service}/operations", key, body)
        if answer:
            status, headers, said = answer
            typed = parse(status, said)
            if status == 202 or (typed and typed.outcome == SubmissionOutcomeOutcome.ACCEPTED):
                return "accepted", said
            seconds = headers.get("Retry-After", "")
            after = int(seconds) if seconds.isdecimal() and len(seconds) < 4 else 0  # others are from a proxy
            if status_url and status == 404:
                status_url = None  # it is not in the log: send it again, with the same key
            elif status in (401, 403):
                return "unknown", said  # not of this submission: an earlier attempt may have written it
            elif not status_url and status < 500 and not after and status not in (408, 429):
                return "rejected", said
            elif isinstance(typed, Problem) and typed.outcome == ProblemOutcome.UNKNOWN and typed.status_url:
                status_url = urljoin(service, typed.status_url)
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
