"""For each line of JSON, a name and a record, writes the UUIDv5 of the name and the record's attributes as a CloudEvent."""

import base64
import json
import sys
import uuid

from cloudevents.core.bindings.kafka import KafkaMessage, from_binary_event

NAMESPACE = uuid.UUID("5f0c2f6e-9c1d-4f6b-8a7e-3d2c1b0a9f8e")

for line in sys.stdin:
    given = json.loads(line)
    headers = {header: value.encode() for header, value in given["headers"].items()}
    message = KafkaMessage(headers=headers, key=given["key"].encode(), value=base64.b64decode(given["value"]))
    event = from_binary_event(message)
    attributes = {name: str(value) for name, value in event.get_attributes().items()}
    attributes["time"] = event.get_time().isoformat()
    print(json.dumps({"id": str(uuid.uuid5(NAMESPACE, given["name"])), "attributes": attributes}))
