"""Writes the input table of the vehicle: a double lane change at 20 m/s, then the brake.

Usage: python3 generate.py

Only the standard library.
"""

import math
import pathlib


def write_lane_change():
    """Steering wheel, throttle and brake over time: a lane to the left, back again, and the brake."""
    rows = ["time,steer,throttle,brake"]
    period, turns = 2.4, ((1.0, 1.0), (4.2, -1.0))
    for k in range(501):
        t = k / 50
        steer = sum(s * math.sin(2 * math.pi * (t - t0) / period) for t0, s in turns if t0 <= t <= t0 + period)
        throttle = 0.05 if t < 7.5 else 0.0
        brake = min(max((t - 8.0) / 0.3, 0.0), 1.0) * 0.5
        rows.append(f"{t:.2f},{number(round(STEER * steer, 6))},{throttle:g},{number(round(brake, 6))}")
    path = pathlib.Path(__file__).resolve().parent / "input.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


STEER = 0.5


def number(x):
    """Integers without a point; others as the shortest decimal that reads back the same, without noise of sums."""
    x = round(x, 15)
    return int(x) if x == int(x) and abs(x) < 1e7 else x


if __name__ == "__main__":
    write_lane_change()
