"""Ratios and the table of scripts/bench_peers.py, from the figures of its rounds."""
from statistics import median

OURS = {"training step": "gat bench", "training step, pruned": "gat bench", "evaluation": "gat bench",
        "epochs": "gat train", "peak memory": "gat bench"}
BUSY = 0.1  # processors used by others from which figures are called rough


def of_peer(row, figures, kind, epochs):
    """A peer's figure for a row: it prunes nothing, and epochs are its steps and evaluations."""
    if row == "epochs":
        return epochs * (figures["training step"][kind] + figures["evaluation"][kind])
    return figures["training step" if row == "training step, pruned" else row][kind]


def compare_with(peer, row, report):
    """The peer's figure in one row, and its ratio to ours where a round has both; None if it never ran."""
    epochs = report["epochs"]
    theirs = {r: figures[peer] for r, figures in enumerate(report["rounds"]) if peer in figures}
    if not theirs:
        return None
    ours = {r: figures[OURS[row]][row] for r, figures in enumerate(report["rounds"])
            if row in figures.get(OURS[row], {})}
    ratios = [of_peer(row, theirs[r], "median", epochs) / ours[r]["median"] for r in ours if r in theirs]
    result = dict(median=median(of_peer(row, t, "median", epochs) for t in theirs.values()),
                  least=min(of_peer(row, t, "least", epochs) for t in theirs.values()))
    if ratios:
        result.update(ratio=median(ratios), ratio_lowest=min(ratios), ratio_highest=max(ratios),
                      ratio_of_least=result["least"] / min(o["least"] for o in ours.values()))
    return result


def summary(figures):
    if not figures:
        return None
    return dict(median=median(f["median"] for f in figures), least=min(f["least"] for f in figures))


def compare(report):
    """One entry per row: unit, our figure (None where we did not run) and the peers'."""
    rows = []
    for row, contender in OURS.items():
        ours = [figures[contender][row] for figures in report["rounds"] if row in figures.get(contender, {})]
        rows.append(dict(
            name=f"{report['epochs']} epochs" if row == "epochs" else row,
            unit="bytes" if row == "peak memory" else "seconds",
            ours=summary(ours),
            peers={peer: compare_with(peer, row, report) for peer in report["peers"]}))
    return rows


def quantity(value, unit):
    if unit == "bytes":
        return f"{value / 2**20:.0f} MiB" if value < 2**33 else f"{value / 2**30:.1f} GiB"
    for scale, name in ((1, "s"), (1e-3, "ms")):
        if value >= scale:
            return f"{value / scale:.3g} {name}" if value < 1000 * scale else f"{value / scale:.0f} {name}"
    return f"{value * 1e6:.3g} µs"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cells(row, peers):
    yield row["name"]
    yield quantity(row["ours"]["median"], row["unit"]) if row["ours"] else "–"
    for peer in peers:
        figure = row["peers"][peer]
        yield quantity(figure["median"], row["unit"]) if figure else "–"
        if figure and "ratio" in figure:
            yield ratio(figure["ratio"])
            yield f"{ratio(figure['ratio_lowest'])}–{ratio(figure['ratio_highest'])}"
            yield ratio(figure["ratio_of_least"])
        else:
            yield from ("–", "–", "–")


def remarks(report):
    """How to read the table, and what spoils it."""
    epochs = (f"{report['epochs']} epochs: gat train from process start to end, with reading, evaluation "
              "and writing")
    if report["peers"]:
        yield "Medians of the rounds. ratio: peer over gat within a round, median; range: lowest and highest;"
        yield "fastest: the peer's fastest over gat's fastest. Pruned: against the peer's training step."
        yield epochs + ";"
        yield "a peer's are that many training steps and evaluations, without its start and reading."
    else:
        yield "Medians of the rounds; no peer ran, so there is nothing to compare with."
        yield epochs + "."
    busy = [(used, name) for figures in report["rounds"]
            for name, used in figures["others_processors"].items() if used is not None]
    if busy and max(busy)[0] > BUSY:
        count = sum(used > BUSY for used, _ in busy)
        yield (f"BUSY MACHINE: other programs used up to {max(busy)[0]:.1f} processors (during "
               f"{max(busy)[1]}), more than {BUSY} in {count} of {len(busy)} measurements; the figures are rough.")
    yield from (f"skipped: {name}: {why}" for name, why in report["skipped"].items())
    yield from (f"FAILED: {name}: {why}" for name, why in report["failed"].items())


def table(report):
    model = report["model"]
    lines = [f"{report['work']}: {report['nodes']} nodes, {report['edges']} edges with self-loops, "
             f"{report['features']} features; {model['layers']} layers, {model['heads']} heads of "
             f"{model['width']}, dropout {model['dropout']}; {report['threads']} threads, "
             f"rounds: {len(report['rounds'])}", ""]
    grid = [["", f"gat {report['gat']['version']}"]]
    for peer, version in report["peers"].items():
        grid[0] += [f"{peer} {version}", "ratio", "range", "fastest"]
    grid += [list(cells(row, report["peers"])) for row in report["rows"]]
    widths = [max(len(line[k]) for line in grid) for k in range(len(grid[0]))]
    for line in grid:
        right = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        lines.append("  ".join([line[0].ljust(widths[0]), *right]).rstrip())
    lines += ["", *remarks(report)]
    return "\n".join(lines)
