"""For each line, a text in hexadecimal, writes the canonical address that Python's ipaddress reads, or an empty line."""

import ipaddress
import sys

for line in sys.stdin:
    try:
        text = bytes.fromhex(line.strip()).decode("ascii")
        address = ipaddress.ip_address(text)
        mapped = getattr(address, "ipv4_mapped", None)
        # A zone is no part of an address on the Internet.
        print("" if "%" in text else mapped or address)
    except ValueError:
        print()
