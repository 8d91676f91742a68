#!/usr/bin/env python3
"""Checks that no code of a wider instruction level leaks out of it.

Kernels are compiled once per level into one library. An inline function that several objects hold is
kept once, from whichever object the linker meets first: if a wide object's copy used wide instructions,
the program would crash on a machine without them. So in the objects of a level every such function must
either carry the level's namespace in its name or use no instruction beyond the baseline; functions that
run when a program starts must use none; and the baseline's objects must not hold any at all.

Usage: check_levels.py BUILD_FOLDER LIBRARY=WIDEST_LEVEL... | --self-test COMPILER
Exit code 0: nothing leaks, 1: something does or there is nothing to check, 77: no objdump, skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LEVELS = {0: "baseline", 1: "avx2", 2: "avx512"}
# AVX and AVX-512 by their registers and encodings, BMI by its mnemonics (but tzcnt, which is also how the
# baseline's bsf with a prefix is shown).
WIDE = re.compile(r"%[yz]mm\d|%k[0-7]\b|^v\w+\s.*%xmm|"
                  r"^(andn|bextr|bls(i|r|msk)|bzhi|lzcnt|mulx|pdep|pext|popcnt|rorx|sarx|shlx|shrx)[lq]?\s")
SECTION = re.compile(r"^Disassembly of section (\S+):")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(.*)")
SYMBOL = re.compile(r"^([0-9a-f]+) (.{7}) (\S+)\t([0-9a-f]+)\s+(?:\.hidden\s+)?(\S+)")


class Function:
    def __init__(self, name, section, first, size, weak):
        self.name, self.section, self.first, self.size, self.weak = name, section, first, size, weak
        self.wide = None  # the first instruction that the baseline lacks


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def functions_of(path):
    """The functions of an object file, each with its first wide instruction."""
    functions = {}
    for line in run("objdump", "-t", "-w", str(path)).splitlines():
        match = SYMBOL.match(line)
        if match and "F" in match[2]:
            weak = "w" in match[2] or "u" in match[2]
            function = Function(match[5], match[3], int(match[1], 16), int(match[4], 16), weak)
            functions.setdefault(match[3], []).append(function)
    section = []
    for line in run("objdump", "-d", "-w", "--no-show-raw-insn", str(path)).splitlines():
        start = SECTION.match(line)
        if start:
            section = functions.get(start[1], [])
        instruction = INSTRUCTION.match(line)
        if not instruction or not WIDE.search(instruction[2]):
            continue
        address = int(instruction[1], 16)
        for function in section:
            if function.wide is None and function.first <= address < function.first + function.size:
                function.wide = instruction[2]
    return [function for found in functions.values() for function in found]


def demangled(names):
    if not names:
        return []
    return subprocess.run(["c++filt"], check=True, capture_output=True, text=True,
                          input="\n".join(names)).stdout.splitlines()


def leaks_in(path, level, functions):
    """One line per function of an object that holds instructions it must not hold."""
    # A compiler's clones (name.cold, name.part.0 …) stay with the function that calls them.
    weak = {function.name for function in functions if function.weak}
    suspects = []
    for function in functions:
        name = function.name.split(".")[0]
        at_start = name.startswith(("_GLOBAL__sub_I", "_GLOBAL__I_")) or "static_initialization" in name
        if function.wide is not None and (level == "baseline" or at_start or name in weak):
            suspects.append((name, at_start, function.wide))
    own = re.compile(rf"\bgat::(f32::|f64::)?{level}::")
    names = demangled([name for name, _, _ in suspects])
    return [f"{path.name}: {name}: {wide}"
            for (_, at_start, wide), name in zip(suspects, names)
            if level == "baseline" or at_start or not own.search(name)]


def check(build, widest):
    problems, objects = [], 0
    for library, last in widest.items():
        for number in range(last + 1):
            level = LEVELS[number]
            folder = build / "CMakeFiles" / f"{library}_simd{number}.dir"
            paths = sorted([*folder.rglob("*.o"), *folder.rglob("*.obj")])
            if not paths:
                problems.append(f"{folder}: holds no object file; build the library first")
            any_wide = False
            for path in paths:
                functions = functions_of(path)
                objects += 1
                any_wide = any_wide or any(function.wide for function in functions)
                problems += [f"{folder.name}/{leak}" for leak in leaks_in(path, level, functions)]
            # A level without wide instructions would pass for the wrong reason.
            if paths and number > 0 and not any_wide:
                problems.append(f"{folder}: no function uses {level}; is it compiled for it?")
    for problem in problems:
        print(problem)
    print(f"levels: {objects} objects, {len(problems)} problems")
    return 1 if problems else 0


SOURCE = """
using Wide = float __attribute__((vector_size(64)));
%s
[[gnu::noinline]] inline void twice(float* x) { *reinterpret_cast<Wide*>(x) *= 2; }
%s
void use(float* x) { %stwice(x); }
%s
"""
CASES = {  # a source, and whether it leaks
    "of the level": (("namespace gat::f32::avx512 {", "}", "gat::f32::avx512::", ""), False),
    "of nobody": (("namespace gat::f32 {", "}", "gat::f32::", ""), True),
    "of another level": (("namespace gat::f32::avx2 {", "}", "gat::f32::avx2::", ""), True),
    "at the start": (("namespace gat::f32::avx512 {", "}", "gat::f32::avx512::",
                      "alignas(64) float numbers[16];\n"
                      "float run() { use(numbers); return *numbers; }\n"
                      "Wide first = *reinterpret_cast<Wide*>(numbers) * run();"), True),
}


def self_test(compiler):
    """The check must find what it is there for."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (parts, leaks) in CASES.items():
            source, target = pathlib.Path(folder) / "case.cpp", pathlib.Path(folder) / "case.o"
            source.write_text(SOURCE % parts, encoding="utf-8")
            run(compiler, "-std=c++20", "-O2", "-mavx512f", "-c", str(source), "-o", str(target))
            found = leaks_in(target, "avx512", functions_of(target))
            print(f"{name}: {found or 'no leak'}")
            failed += bool(found) != leaks
        failed += check(pathlib.Path(folder), {"gat": 0}) != 1  # a folder without objects is no success
    print(f"levels, self-test: {failed} problems")
    return 1 if failed else 0


def main(words):
    self_testing = len(words) == 2 and words[0] == "--self-test"
    widest = dict(re.findall(r"^(\w+)=([0-2])$", "\n".join(words[1:]), re.MULTILINE))
    if not self_testing and (len(words) < 2 or len(widest) != len(words) - 1):
        print(__doc__)
        return 2
    for tool in ("objdump", "c++filt"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}, which binutils has")
            return SKIPPED
    if self_testing:
        return self_test(words[1])
    return check(pathlib.Path(words[0]), {library: int(level) for library, level in widest.items()})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
