"""Every method of the PyPI client ipyapi against the base URL on the command line; prints JSON."""

import asyncio
import dataclasses
import json
import sys

from ipyapi import AsyncIPyAPI, IPLocation, IPyAPI, IPyAPIError

base_url = sys.argv[1]


def outcome(call):
    try:
        return call()
    except IPyAPIError as error:
        return [type(error).__name__, str(error)]


async def async_city():
    async with AsyncIPyAPI(base_url=base_url) as client:
        return (await client.get_location("8.8.8.8")).city


async def batch():
    async with AsyncIPyAPI(base_url=base_url) as client:
        return [place.ip for place in await client.get_batch(["8.8.8.8", "1.1.1.1"])]


def wrong_key():
    with IPyAPI(api_key="another-key", base_url=base_url, max_retries=0) as client:
        return client.get_location("8.8.8.8").ip


with IPyAPI(api_key="secret-key", base_url=base_url) as client:
    print(
        json.dumps(
            {
                "caller": dataclasses.asdict(client.get_location()),
                "object": dataclasses.asdict(client.get_location("8.8.8.8")),
                "ipv6": client.get_location("2001:4860:4860::8888").ip,
                "batch": asyncio.run(batch()),
                "async_city": asyncio.run(async_city()),
                "fields": {
                    "ip": client.get_ip(),
                    "city": client.get_city("8.8.8.8"),
                    "country": client.get_country("8.8.8.8"),
                    "country_name": client.get_country_name("8.8.8.8"),
                    "timezone": client.get_timezone("8.8.8.8"),
                    "currency": client.get_currency("8.8.8.8"),
                    "asn": client.get_asn("8.8.8.8"),
                    "org": client.get_org(),
                },
                "raw": {
                    name: client.get_location_raw("8.8.8.8", format=name)[:7].rstrip()
                    for name in ["json", "csv", "xml", "yaml", "jsonp"]
                },
                "reserved": outcome(lambda: client.get_location("10.0.0.1")),
                # The client rejects what Python rejects; only the service can reject this one.
                "invalid": outcome(lambda: client.get_location("fe80::1%25eth0")),
                "wrong_key": outcome(wrong_key),
                "not_found": outcome(lambda: client.get_field("no_such_field", "8.8.8.8")),
                "every_field": {
                    field.name: client.get_field(field.name, "8.8.8.8")
                    for field in dataclasses.fields(IPLocation)
                },
            }
        )
    )
