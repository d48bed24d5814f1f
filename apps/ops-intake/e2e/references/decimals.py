"""Tells for each line, a text in hexadecimal, whether it is a unit cost and whether it is a quantity, by decimal.Decimal."""

import re
import sys
from decimal import MAX_PREC, Decimal, getcontext

# `normalize` rounds to it.
getcontext().prec = MAX_PREC

FRACTION_DIGITS = 8
MOST_DIGITS = 15


def is_unit_cost(text):
    match = re.fullmatch(r"(\d+)(?:\.\d+)?(?:[eE]([+-]?)(\d+))?", text, re.ASCII)
    if not match:
        return False
    whole, _, exponent = match.groups()
    if exponent is None and len(whole) > 1 and whole[0] == "0":
        return False
    if exponent is not None and (len(whole) > 1 or len(exponent) > 3):
        return False
    value = Decimal(text)
    if exponent is not None:
        if value == 0:
            return True
        value = value.normalize()
    _, digits, scale = value.as_tuple()
    significant = len("".join(map(str, digits)).lstrip("0")) + max(scale, 0)
    return -scale <= FRACTION_DIGITS and significant <= MOST_DIGITS


def is_quantity(text):
    return re.fullmatch(r"[1-9][0-9]*", text) is not None and int(text) < 2**53


for line in sys.stdin:
    text = bytes.fromhex(line.strip()).decode()
    print(int(is_unit_cost(text)), int(is_quantity(text)))
