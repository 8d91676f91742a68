"""Writes Planetoid files (ind.NAME.*) as one .npz of the kind that make_graph.py writes.

Usage: planetoid_npz.py FOLDER NAME OUT.npz

The graph is symmetric without repeated edges and self-loops; features are dense, each row divided by its
sum. Needs NumPy and SciPy: scripts/bench_peers.py runs it with the interpreter of the peers.
"""
import pathlib
import pickle
import sys

import numpy as np
import scipy.sparse as sp


def read_part(folder, name, part):
    with open(folder / f"ind.{name}.{part}", "rb") as file:
        return pickle.load(file, encoding="latin1")


def in_node_order(known, tested, test_ids, num_nodes):
    """The rows of allx or ally, then those of tx or ty at the ids that test.index gives them."""
    rows = np.zeros((num_nodes, known.shape[1]), np.float32)
    rows[:known.shape[0]] = known
    rows[test_ids] = tested
    return rows


def main():
    folder, name, out = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    test_ids = np.loadtxt(folder / f"ind.{name}.test.index", dtype=np.int64)
    neighbours = read_part(folder, name, "graph")
    num_nodes = len(neighbours)
    features = in_node_order(read_part(folder, name, "allx").toarray(),
                             read_part(folder, name, "tx").toarray(), test_ids, num_nodes)
    features /= np.maximum(features.sum(1, keepdims=True), 1)
    labels = in_node_order(read_part(folder, name, "ally"), read_part(folder, name, "ty"), test_ids,
                           num_nodes)
    ends = np.array([(i, j) for i, row in neighbours.items() for j in row if i != j], np.int64)
    adjacency = sp.csr_matrix((np.ones(len(ends), np.float32), (ends[:, 0], ends[:, 1])),
                              shape=(num_nodes, num_nodes))
    adjacency = adjacency + adjacency.T
    adjacency.data[:] = 1
    adjacency.sort_indices()
    np.savez(out, adj_data=adjacency.data.astype(np.float32), adj_indices=adjacency.indices.astype(np.int32),
             adj_indptr=adjacency.indptr.astype(np.int64), adj_shape=np.array([num_nodes, num_nodes]),
             attr_matrix=features, labels=labels.argmax(1).astype(np.int64))


if __name__ == "__main__":
    main()
