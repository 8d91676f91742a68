#!/usr/bin/env bash
# Times gat against GAT in PyTorch Geometric and DGL: the same model on the same files, in interleaved
# rounds, and prints one table with ratios.
#
#   scripts/bench_peers.sh cora PLANETOID_FOLDER
#   scripts/bench_peers.sh arxiv [FILE]            without FILE, one of ogbn-arxiv's shape is made
#
# Runs build/release/bin/gat; the peers run where PEERS_PYTHON (or --python) can import them and --peers
# names the folder of pyg_bench.py, dgl_bench.py and make_graph.py (default: ../shared/peers beside the
# project). What is skipped is said. --help lists the options. PyG needs 15 GB for the large graph.
set -euo pipefail
exec python3 -B "$(dirname "$0")/bench_peers.py" "$@"
