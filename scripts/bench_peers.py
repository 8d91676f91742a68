"""Times gat and its peers in interleaved rounds; scripts/bench_peers.sh says how to start it.

A round runs each contender once, one after the other. A ratio is taken within a round, peer over ours, so
that a machine which changes speed between rounds changes both; the table shows the median of the rounds'
ratios and their range. Threads that wait for each other lose far more than their share when another program
wants a processor, and not each contender alike. So the column of the fastest times, and so the processors
that other programs used during each measurement are counted, and said where they matter.
"""
import argparse
import ast
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import zipfile

from bench_peers_table import compare, table

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MADE = PROJECT / "build" / "peers"
ARXIV_SHAPE = ["169343", "1166243", "128", "40"]  # nodes, edges, features, classes
# What the peers' programs run: inputs dropped once for all heads, no dropout of projected features, no
# biases in scores, Glorot's initial weights, PyTorch's Adam.
AS_PEERS = ["--output-heads", "1", "--activation", "elu", "--residual", "none", "--negative-slope", "0.2",
            "--self-loops", "add-missing", "--value-dropout", "0", "--no-dropout-per-head",
            "--no-score-bias", "--initial", "pyg", "--epsilon-variant", "corrected"]
WORKS = {
    "cora": dict(heads=8, width=8, layers=2, dropout=0.6, rounds=7, steps=100, epochs=200,
                 options=["--split", "auto", "--input-transform", "row-normalize",
                          "--learning-rate", "0.005", "--l2", "5e-4"]),
    # The peers draw half of the nodes for the loss. 20 epochs: 200 would take longer than all else together.
    "arxiv": dict(heads=8, width=32, layers=3, dropout=0.5, rounds=3, steps=5, epochs=20,
                  options=["--split", "fraction:0.5/0.25/0.25", "--input-transform", "none",
                           "--learning-rate", "0.002", "--l2", "0"]),
}


class Failure(Exception):
    """A contender could not run, or the contenders would not run the same."""


def run(command, **environment):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["nothing on standard error"]
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
        raise Failure(f"{how}: {said[-1]}")
    return done.stdout


def say(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


class OthersClock:
    """Counts the processors that other programs use, on average, while one of our children runs."""

    SHORTEST = 0.3  # seconds; the system counts in ticks of 10 ms, so less says nothing

    def __init__(self):
        self.started, self.all, self.own = time.perf_counter(), self.busy_seconds(), self.own_seconds()

    @staticmethod
    def busy_seconds():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _idle, _iowait, *rest = map(int, file.readline().split()[1:9])
        return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def own_seconds():
        t = os.times()
        return t.user + t.system + t.children_user + t.children_system

    def processors(self):
        elapsed = time.perf_counter() - self.started
        others = self.busy_seconds() - self.all - (self.own_seconds() - self.own)
        return max(0.0, others / elapsed) if elapsed >= self.SHORTEST else None


def model_options(work):
    return ["--layers", work["layers"], "--hidden", work["width"], "--heads", work["heads"],
            "--feature-dropout", work["dropout"], "--attention-dropout", work["dropout"],
            *work["options"], *AS_PEERS]


def time_gat_bench(args, work):
    """The steps that `gat bench` times, by name, and its peak memory."""
    said = run([args.gat, "bench", args.data, *model_options(work), "--threads", args.threads,
                "--rounds", args.steps, "--json"])
    try:
        report = json.loads(said)
        measured = {step["name"]: dict(median=step["seconds_median"], least=step["seconds_min"])
                    for step in report["steps"]}
        bytes_ = report["peak_memory_bytes"]
    except (ValueError, KeyError, TypeError) as fault:
        raise Failure(f"gat bench --json printed something unexpected: {fault!r}") from fault
    measured["peak memory"] = dict(median=bytes_, least=bytes_)
    return measured


def time_gat_train(args, work):
    """A whole process: reading, training with an evaluation after each epoch, writing the run folder."""
    started = time.perf_counter()
    run([args.gat, "train", args.data, *model_options(work), "--threads", args.threads, "--epochs",
         args.epochs, "--stop", "none", "--out", MADE / "run", "--force", "--quiet"])
    seconds = time.perf_counter() - started
    return {"epochs": dict(median=seconds, least=seconds)}


def peer_lines(args, program, arguments):
    """The JSON lines of one of the peers' programs."""
    # OpenMP's own variable too: torch and DGL may each carry an OpenMP library of their own.
    said = run([args.python, "-W", "ignore", args.peers / program, *arguments],
               OMP_NUM_THREADS=str(args.threads), DGLBACKEND="pytorch")
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def peer_figures(lines):
    names = {"train_step": "training step", "inference": "evaluation"}
    figures = {names[line["what"]]: dict(median=line["median_ms"] / 1e3, least=line["min_ms"] / 1e3)
               for line in lines}
    if len(figures) != len(names):
        raise Failure("the peer's program did not print a training step and an evaluation")
    peak = max(line["peak_rss_mb"] for line in lines) * 2**20
    figures["peak memory"] = dict(median=peak, least=peak)
    return figures


def time_pyg(args, work):
    if args.work == "cora":
        arguments = ["cora", MADE / "pyg", args.threads]
    else:
        arguments = ["npz", args.archive, args.threads, work["heads"], work["width"], work["layers"],
                     args.steps]
    return peer_figures([line for line in peer_lines(args, "pyg_bench.py", arguments)
                         if line["conv"] == "GATConv"])


def time_dgl(args, work):
    arguments = [args.archive, args.threads, work["heads"], work["width"], work["layers"], args.steps,
                 work["dropout"]]
    return peer_figures(peer_lines(args, "dgl_bench.py", arguments))


def find_peers(args):
    """Peers that can run here, with their versions; says which cannot and why."""
    found, skipped = {}, {}
    for name, module, program, timed in (("PyG", "torch_geometric", "pyg_bench.py", time_pyg),
                                         ("DGL", "dgl", "dgl_bench.py", time_dgl)):
        try:
            if name in args.skip:
                raise Failure("as asked by --skip")
            if not (args.peers / program).is_file():
                raise Failure(f"{args.peers / program} does not exist; name its folder with --peers")
            version = run([args.python, "-W", "ignore", "-c", f"import {module} as m; print(m.__version__)"],
                          DGLBACKEND="pytorch").split()[-1]
            found[name] = dict(version=version, timed=timed)
        except (Failure, OSError) as fault:
            skipped[name] = str(fault)
            say(f"skipped: {name}: {fault}")
    return found, skipped


def prepare_cora(args, with_peers):
    """Planetoid's files where PyG looks for them, and the same graph as an archive for DGL."""
    folder = next((f for f in (args.data, args.data / "cora") if (f / "ind.cora.x").is_file()), None)
    if folder is None:
        raise Failure(f"{args.data}: neither it nor a folder cora in it has ind.cora.x")
    args.data, args.archive = folder, MADE / "cora.npz"
    if with_peers:
        shutil.rmtree(MADE / "pyg", ignore_errors=True)
        raw = MADE / "pyg" / "Cora" / "raw"
        raw.mkdir(parents=True)
        for file in folder.glob("ind.cora.*"):
            shutil.copyfile(file, raw / file.name)
        run([args.python, "-W", "ignore", PROJECT / "scripts" / "planetoid_npz.py", folder, "cora",
             args.archive])


def prepare_arxiv(args):
    if args.data is None:
        args.data = MADE / "arxiv.npz"
        if not args.data.is_file():
            say(f"making {args.data}")
            unfinished = MADE / "arxiv.unfinished.npz"
            run([args.python, args.peers / "make_graph.py", unfinished, *ARXIV_SHAPE])
            unfinished.rename(args.data)
    if not args.data.is_file():
        raise Failure(f"{args.data}: no such file")
    args.archive = args.data


def array_shape(archive, member):
    """The shape in a .npy header of version 1 or later."""
    with archive.open(member + ".npy") as file:
        major = file.read(8)[6]
        size = struct.unpack("<H", file.read(2))[0] if major == 1 else struct.unpack("<I", file.read(4))[0]
        return ast.literal_eval(file.read(size).decode("latin1"))["shape"]


def check_same_graph(args):
    """What gat reads must be what the peers read; returns its counts."""
    info = json.loads(run([args.gat, "info", args.data, "--json"]))
    ours = dict(nodes=info["nodes"], features=info["features"], edges=info["training"]["edges"])
    if args.archive.is_file():
        with zipfile.ZipFile(args.archive) as archive:
            nodes, features = array_shape(archive, "attr_matrix")
            theirs = dict(nodes=nodes, features=features,
                          edges=array_shape(archive, "adj_indices")[0] + nodes)  # each node has a self-loop
        if ours != theirs:
            raise Failure(f"{args.data}: gat reads {ours}, the peers {theirs}; times would not compare")
    return ours


def measure(args, work, contenders, report):
    """Fills report["rounds"]; a contender that fails is left out from then on."""
    for number in range(1, args.rounds + 1):
        this = dict(others_processors={})
        say(f"round {number} of {args.rounds}:", end="")
        for name, timed in list(contenders.items()):
            started, others = time.perf_counter(), OthersClock()
            try:
                this[name] = timed(args, work)
                this["others_processors"][name] = others.processors()
                say(f" {name} {time.perf_counter() - started:.1f} s", end="")
            except Failure as fault:
                del contenders[name]
                report["failed"][name] = str(fault)
                say(f"\nFAILED: {name}: {fault}")
        say("")
        report["rounds"].append(this)
        save(args, report)


def save(args, report):
    report["rows"] = compare(report)
    if args.json:
        unfinished = args.json.with_name(args.json.name + ".unfinished")
        unfinished.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(args.json)


def arguments():
    parser = argparse.ArgumentParser(prog="bench_peers.sh", description="Times gat against PyG and DGL.")
    path = pathlib.Path
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("data", type=path, nargs="?",
                        help="cora: folder of Planetoid files; arxiv: an .npz file (default: one that is made)")
    parser.add_argument("--python", default=os.environ.get("PEERS_PYTHON", "python3"),
                        help="interpreter that has the peers (default: $PEERS_PYTHON, else python3)")
    parser.add_argument("--peers", type=path, default=PROJECT.parent / "shared" / "peers",
                        help="folder of the peers' programs (default: %(default)s)")
    parser.add_argument("--gat", type=path, default=PROJECT / "build" / "release" / "bin" / "gat",
                        help="the program (default: build/release/bin/gat)")
    parser.add_argument("--skip", choices=["PyG", "DGL"], action="append", default=[], help="may be repeated")
    parser.add_argument("--rounds", type=int, help="default: 7 for cora, 3 for arxiv")
    parser.add_argument("--steps", type=int, help="timed steps in a round (default: 100, arxiv 5; PyG's "
                                                  "program always times 100 on cora)")
    parser.add_argument("--epochs", type=int, help="of gat train (default: 200, arxiv 20)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="default: the processors that this process may use")
    parser.add_argument("--json", type=path, metavar="OUT", help="also write all figures to this file")
    args = parser.parse_args()
    for name in ("rounds", "steps", "epochs"):
        if getattr(args, name) is None:
            setattr(args, name, WORKS[args.work][name])
    if min(args.rounds, args.steps, args.epochs, args.threads) < 1:
        parser.error("--rounds, --steps, --epochs and --threads count from 1")
    if args.work == "cora" and args.data is None:
        parser.error("cora needs the folder of Planetoid's files")
    if not args.gat.is_file():
        parser.error(f"{args.gat} does not exist; build it, or name it with --gat")
    if args.json and not args.json.resolve().parent.is_dir():
        parser.error(f"{args.json}: its folder does not exist")
    return args


def main():
    args = arguments()
    work = WORKS[args.work]
    MADE.mkdir(parents=True, exist_ok=True)
    peers, skipped = find_peers(args)
    try:
        if args.work == "cora":
            prepare_cora(args, with_peers=bool(peers))
        else:
            prepare_arxiv(args)
        counts = check_same_graph(args)
    except (Failure, OSError) as fault:
        say(f"error: {fault}")
        return 3
    report = dict(work=args.work, data=str(args.data), **counts, threads=args.threads, steps=args.steps,
                  epochs=args.epochs, model={k: work[k] for k in ("layers", "heads", "width", "dropout")},
                  gat=json.loads(run([args.gat, "version", "--json"])),
                  peers={name: peer["version"] for name, peer in peers.items()},
                  skipped=skipped, failed={}, rounds=[])
    contenders = {"gat bench": time_gat_bench, "gat train": time_gat_train,
                  **{name: peer["timed"] for name, peer in peers.items()}}
    interrupted = False
    try:
        measure(args, work, contenders, report)
    except KeyboardInterrupt:
        interrupted = True
        say("\ninterrupted: the table has the finished rounds")
        save(args, report)
    print(table(report))
    return 130 if interrupted else 1 if report["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
