#!/usr/bin/env python3
"""Checks the architecture: which room may include which, no include cycles, file lengths, pragmas.

Run from anywhere; prints one line per violation and exits 1 when there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY_INCLUDE = {
    "core": {"core"},
    "graph": {"core", "graph"},
    "io": {"core", "io"},
    "kernels": {"core", "graph", "kernels"},
    "data": {"core", "graph", "io", "data"},
    "nn": {"core", "graph", "io", "kernels", "nn"},
    "train": {"core", "graph", "io", "kernels", "data", "nn", "train"},
}
MAX_LINES = 400
MIN_LINES = 10
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
PUBLIC_BANNED = {"nlohmann", "toml++", "fmt/", "CLI/", "omp.h", "zlib.h"}


def room_of(include):
    """The room that an include names: gat/<room>/… is public, <room>/… private."""
    parts = include.split("/")
    if parts[0] == "gat":
        parts = parts[1:]
    return parts[0] if parts[0] in MAY_INCLUDE else None


def resolve(include):
    for base in (ROOT / "include", ROOT / "lib"):
        if (base / include).is_file():
            return base / include
    return None


def find_cycle(graph):
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for other in graph.get(node, ()):
            cycle = visit(other)
            if cycle:
                return cycle
        path.pop()
        done.add(node)
        return None

    for node in graph:
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def main():
    problems = []
    graph = {}
    library = [p for d in ("include", "lib") for p in sorted((ROOT / d).rglob("*.[ch]pp"))]
    others = [p for d in ("apps", "tests") for p in sorted((ROOT / d).rglob("*.[ch]pp"))]
    for path in library + others:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT)
        lines = text.count("\n")
        if lines > MAX_LINES:
            problems.append(f"{name}: {lines} lines, at most {MAX_LINES}; split it by ideas")
        if path in library and lines < MIN_LINES:
            problems.append(f"{name}: {lines} lines; a file of its own needs an idea of its own")
        pragma = re.search(r"#pragma omp (?!simd)", text)
        if pragma and str(name) != "lib/core/parallel.hpp":
            problems.append(f"{name}: a parallel pragma outside lib/core/parallel.hpp")
    for path in library:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT)
        room = name.parts[2] if name.parts[0] == "include" else name.parts[1]
        graph[path] = []
        for include in INCLUDE.findall(text):
            other = room_of(include)
            if other is None:
                problems.append(f"{name}: includes \"{include}\", which names no room")
            elif other not in MAY_INCLUDE[room]:
                problems.append(f"{name}: room {room} may not include {other} (\"{include}\")")
            target = resolve(include)
            if target:
                graph[path].append(target)
        if name.parts[0] == "include":
            banned = set(PUBLIC_BANNED) | (set() if name.name == "boost_graph.hpp" else {"boost/"})
            for include in re.findall(r"#include <([^>]+)>", text):
                if any(include.startswith(b) for b in banned):
                    problems.append(f"{name}: a public header may not include <{include}>")
    cycle = find_cycle(graph)
    if cycle:
        problems.append("include cycle: " + " -> ".join(str(p.relative_to(ROOT)) for p in cycle))
    for problem in problems:
        print(problem)
    print(f"layout: {len(library) + len(others)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
