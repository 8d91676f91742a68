#!/usr/bin/env python3
"""Draws how time and memory grow with edges, from `gat bench --suite scaling --json`, as an SVG.

    gat bench --suite scaling --json > scaling.json
    scripts/plot_growth.py scaling.json docs/growth.svg

Both axes are logarithmic, so linear growth is a line of slope 1; the slope of each line over its points from
100,000 edges on, by least squares, stands beside it. Plain Python, no packages.
"""
import json
import math
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 420, 300, 62, 44, 30, 14
COLOURS = ("#1f5fa8", "#b3541e")


def slope(points):
    logs = [(math.log(x), math.log(y)) for x, y in points if x >= 1e5]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def text(x, y, words, anchor="middle", turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{words}</text>'


def panel(offset, title, unit, series):
    x_low, x_high = decades([x for _, points in series for x, _ in points])
    y_low, y_high = decades([y for _, points in series for _, y in points])
    x_of = lambda x: offset + LEFT + (math.log10(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
    y_of = lambda y: HEIGHT - BOTTOM - (math.log10(y) - y_low) / (y_high - y_low) * (HEIGHT - BOTTOM - TOP)
    out = [text(offset + WIDTH / 2, 18, title)]
    for power in range(x_low, x_high + 1):
        x = x_of(10.0**power)
        out.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" class="grid"/>')
        out.append(text(x, HEIGHT - BOTTOM + 16, f"10<tspan dy='-5' font-size='8'>{power}</tspan>"))
    for power in range(y_low, y_high + 1):
        y = y_of(10.0**power)
        out.append(f'<path d="M{offset + LEFT} {y:.1f}H{offset + WIDTH - RIGHT}" class="grid"/>')
        out.append(text(offset + LEFT - 6, y + 4, f"10<tspan dy='-5' font-size='8'>{power}</tspan>", "end"))
    out.append(text(offset + WIDTH / 2, HEIGHT - 8, "edges"))
    turn = f' transform="rotate(-90 {offset + 16} {HEIGHT / 2})"'
    out.append(text(offset + 16, HEIGHT / 2, unit, "middle", turn))
    for colour, (name, points) in zip(COLOURS, series):
        path = "L".join(f"{x_of(x):.1f} {y_of(y):.1f}" for x, y in points)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
        row = TOP + 16 + 16 * COLOURS.index(colour)
        out.append(f'<path d="M{offset + LEFT + 8} {row - 4}h16" stroke="{colour}" stroke-width="2"/>')
        out.append(text(offset + LEFT + 30, row, f"{name}, slope {slope(points):.3f}", "start"))
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        bench = json.load(file)
    cases = [case for case in bench["cases"] if case["suite"] == "scaling"]
    if not cases:
        sys.exit(f"{sys.argv[1]}: no cases of the suite scaling; make it by gat bench --suite scaling --json")
    times, memory = {}, {}
    for case in cases:
        name, edges = case["name"].split(", ")
        count = int(edges.split()[0])
        times.setdefault(name, []).append((count, 1e3 * case["seconds_median"]))
        if case.get("peak_memory_bytes", 0) > 0:
            memory.setdefault(name, []).append((count, case["peak_memory_bytes"] / 1e6))
    drawing = panel(0, "time", "milliseconds", list(times.items()))
    drawing += panel(WIDTH, "memory above the process", "megabytes", list(memory.items()))
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{HEIGHT}" '
            'font-family="sans-serif" font-size="12"><style>.grid{stroke:#ddd;fill:none}</style>'
            f'<rect width="{2 * WIDTH}" height="{HEIGHT}" fill="#fff"/>')
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join([head, *drawing, "</svg>\n"]))


if __name__ == "__main__":
    main()
