#!/usr/bin/env bash
# Installs what is missing, builds the program, and trains on two embedded data sets: Zachary's karate
# club and a generated citation network of Cora's size. A second run only trains.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
need_packages $build_packages
cmake --preset release -DGAT_BUILD_TESTS=OFF -B build/demo >/dev/null
cmake --build build/demo --target gat_program

gat=build/demo/bin/gat
for data in karate synthetic-cora; do
  echo
  echo "== gat train $data"
  "$gat" train "$data" --out "build/demo/runs/$data" --force
done
echo
echo "The program is $gat; try \"$gat help\"."
