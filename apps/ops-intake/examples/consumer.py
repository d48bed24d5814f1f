"""Consumes the topic and computes the capital-gains tax of each submission, once, however often its record comes.

    pip install confluent-kafka cloudevents
    python consumer.py taxes.db

Prints one JSON line for each submission. Environment: KAFKA_BOOTSTRAP_SERVERS, KAFKA_TOPIC, KAFKA_GROUP.
"""

import json
import os
import signal
import sqlite3
import sys
from decimal import ROUND_HALF_UP, Decimal

from cloudevents.core.bindings.kafka import KafkaMessage, from_binary_event
from confluent_kafka import Consumer

CENT = Decimal("0.01")
TAX_FREE = Decimal(20_000)


def taxes_of(operations):
    """Tax of each operation: 20 % of the profit on the weighted average cost, after carried losses.

    A sale of at most 20,000.00 in total pays nothing and uses no loss; its own loss is carried.
    """
    shares, average, loss = 0, Decimal(0), Decimal(0)
    taxes = []
    for operation in operations:
        cost, quantity = Decimal(operation["unit-cost"]), operation["quantity"]
        tax = Decimal(0)
        if operation["operation"] == "buy":
            average = (average * shares + cost * quantity) / (shares + quantity)
            shares += quantity
        else:
            shares -= quantity
            profit = (cost - average) * quantity
            if profit < 0:
                loss -= profit
            elif cost * quantity > TAX_FREE:
                used = min(loss, profit)
                loss -= used
                tax = (profit - used) / 5
        taxes.append(float(tax.quantize(CENT, ROUND_HALF_UP)))
    return taxes


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
