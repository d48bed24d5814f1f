"""Capital-gains tax of operations, as a record holds them."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
TAX_FREE = Decimal(20_000)


def taxes_of(operations):
    """Tax of each operation: 20 % of the profit on the weighted average cost, after carried losses.

    A sale of at most 20,000.00 in total pays nothing and uses no loss; its own loss is carried.
    Raises ValueError for a kind of operation that it does not know: a guess would be a wrong tax.
    """
    shares, average, loss = 0, Decimal(0), Decimal(0)
    taxes = []
    for operation in operations:
        cost, quantity = Decimal(operation["unit-cost"]), operation["quantity"]
        tax = Decimal(0)
        if operation["operation"] == "buy":
            average = (average * shares + cost * quantity) / (shares + quantity)
            shares += quantity
        elif operation["operation"] == "sell":
            shares -= quantity
            profit = (cost - average) * quantity
            if profit < 0:
                loss -= profit
            elif cost * quantity > TAX_FREE:
                used = min(loss, profit)
                loss -= used
                tax = (profit - used) / 5
        else:
            raise ValueError(f"unknown kind of operation: {operation['operation']}")
        taxes.append(float(tax.quantize(CENT, ROUND_HALF_UP)))
    return taxes
