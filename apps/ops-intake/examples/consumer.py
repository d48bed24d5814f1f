"""Consumes the topic and computes the capital-gains tax of each submission, once, however often its record comes.

    pip install confluent-kafka cloudevents
    python consumer.py taxes.db

Prints one JSON line for each submission; stops, without committing it, at a kind of operation that it does not know.
Environment: KAFKA_BOOTSTRAP_SERVERS, KAFKA_TOPIC, KAFKA_GROUP.
"""

import json
import os
import signal
import sqlite3
import sys
from decimal import Decimal

from cloudevents.core.bindings.kafka import KafkaMessage, from_binary_event
from confluent_kafka import Consumer

from capital_gains import taxes_of


def main():
    database = sqlite3.connect(sys.argv[1] if len(sys.argv) > 1 else "taxes.db")
    database.execute("CREATE TABLE IF NOT EXISTS submission (id TEXT PRIMARY KEY, taxes TEXT NOT NULL)")
    consumer = Consumer(
        {
            "bootstrap.servers": os.environ.get("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"),
            "group.id": os.environ.get("KAFKA_GROUP", "capital-gains-python"),
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([os.environ.get("KAFKA_TOPIC", "operations")])
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    while running:
        record = consumer.poll(0.5)
        if record is None or record.error():
            continue
        event = from_binary_event(KafkaMessage(dict(record.headers() or []), record.key(), record.value()))
        if event.get_type() == "operations.submitted.v1":
            # From the bytes and not from the event's data: decimals stay exact.
            taxes = taxes_of(json.loads(record.value(), parse_float=Decimal))
            # The id decides: a record that was written twice, or is read again after a crash, changes nothing.
            with database:
                inserted = database.execute(
                    "INSERT OR IGNORE INTO submission (id, taxes) VALUES (?, ?)",
                    (event.get_id(), json.dumps(taxes)),
                ).rowcount
            if inserted:
                print(json.dumps({"id": event.get_id(), "taxes": taxes}), flush=True)
        consumer.commit(record, asynchronous=False)
    consumer.close()


main()
