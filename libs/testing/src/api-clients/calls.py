"""Sends calls with a client of openapi-python-client (the package api) and prints the answers.

Arguments: the service's URL and the calls as JSON.
"""

import importlib
import json
import re
import sys
import typing

from api import Client

url, calls = sys.argv[1], json.loads(sys.argv[2])
client = Client(base_url=url, raise_on_unexpected_status=True)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W", "_", name).lower()


def typed(hint, value):
    """The value as the classes of the client."""
    if isinstance(value, list):
        return [typed(typing.get_args(hint)[0], one) for one in value]
    return hint.from_dict(value) if hasattr(hint, "from_dict") else value


def plain(value):
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def send(call):
    module = importlib.import_module(f"api.api.{snake(call['tag'])}.{snake(call['operationId'])}")
    given = call["path"] | call.get("query", {}) | call["parameterHeaders"]
    arguments = {snake(name): value for name, value in given.items()}
    if "body" in call:
        arguments["body"] = typed(typing.get_type_hints(module.sync_detailed)["body"], call["body"])
    answer = module.sync_detailed(client=client.with_headers(call["headers"]), **arguments)
    return {"status": answer.status_code, "data": plain(answer.parsed)}


def send_directly(call):
    answer = client.get_httpx_client().request(
        call["method"], call["pathname"], content=call.get("body"), headers=call["sentHeaders"]
    )
    return {"status": answer.status_code, "data": answer.json() if call["isJson"] else answer.text}


answers = {call["name"]: (send_directly if call["direct"] else send)(call) for call in calls}
print(json.dumps(answers))
