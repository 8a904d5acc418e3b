#!/usr/bin/env python3
"""Writes tables with columns of dates, for cuts.py.

    python3 docs/bench/dates.py FOLDER [--rows 1200,4000] [--unix]

A row is an order: the times at which it was placed, paid and delivered, an amount and a region. The label of a table named orders-N
depends on the days from payment to delivery, on the hours from order to payment, on the region and on chance. That of calendar-N
depends on the month and the weekday of the order, on the amount and on chance, but on no difference of dates. That of hours-N depends on
the weekday and the hour of the order, on the amount and on chance. One cell in 50 is missing. With --unix, the times are numbers: seconds
since 1970. Needs only Python.
"""
import argparse, csv, datetime, math, os, random

HEADER = ["placed", "paid", "delivered", "amount", "region", "returned"]
REGIONS = {"north": 0.5, "south": -0.5, "east": 0.0, "west": 0.8}


def draw(rng):
    placed = datetime.datetime(2023, 1, 1) + datetime.timedelta(minutes=rng.randrange(2 * 365 * 24 * 60))
    paid = placed + datetime.timedelta(minutes=round(rng.expovariate(1 / 1500)))
    delivered = paid + datetime.timedelta(minutes=round(rng.gammavariate(3, 2) * 1440))
    return placed, paid, delivered, round(math.exp(rng.gauss(4, 0.8)), 2), rng.choice(sorted(REGIONS))


def orders_score(placed, paid, delivered, amount, region):
    days, hours = (delivered - paid).total_seconds() / 86400, (paid - placed).total_seconds() / 3600
    return 0.5 * (days - 7) + (1.0 if hours > 48 else 0) + REGIONS[region] - 0.5


def calendar_score(placed, paid, delivered, amount, region):
    return 1.5 * math.sin(placed.month / 12 * 2 * math.pi) + (1.0 if placed.weekday() >= 5 else 0) + 0.8 * (math.log(amount) - 4) - 0.5


def hours_score(placed, paid, delivered, amount, region):
    return (2.0 if placed.weekday() < 5 and 9 <= placed.hour < 17 else -1.5) + 0.8 * (math.log(amount) - 4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--rows", default="1200,4000")
    parser.add_argument("--unix", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for name, score in (("orders", orders_score), ("calendar", calendar_score), ("hours", hours_score)):
        for rows in map(int, args.rows.split(",")):
            rng = random.Random(rows)
            with open(os.path.join(args.folder, f"{name}-{rows}.csv"), "w", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow([name + "_at" for name in HEADER[:3]] + HEADER[3:] if args.unix else HEADER)
                for _ in range(rows):
                    row = draw(rng)
                    label = "yes" if rng.random() < 1 / (1 + math.exp(-score(*row))) else "no"
                    if args.unix:
                        row = [int(cell.replace(tzinfo=datetime.timezone.utc).timestamp()) for cell in row[:3]] + list(row[3:])
                    cells = [str(cell) if rng.randrange(50) else "" for cell in row]
                    out.writerow(cells + [label])


main()
