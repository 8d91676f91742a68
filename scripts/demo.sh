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
# A short training each: enough to see the accuracy rise. "gat train" alone runs up to 1,000 epochs.
for data in karate synthetic-cora; do
  echo
  echo "== gat train $data --epochs 200"
  "$gat" train "$data" --epochs 200 --out "build/demo/runs/$data" --force
done
echo
echo "The program is $gat; try \"$gat help\"."
