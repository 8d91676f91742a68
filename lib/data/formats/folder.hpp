/// A plain folder as newcomers hold it: an edge list, and features, labels and a split beside it.
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// Whether `path` is a folder with an edge list or with features, labels or a split (then loading tells
/// that the edges are missing), or a text file that starts as an edge list.
bool recognises_folder(const std::filesystem::path& path);

/// \param path  a folder with `edges.csv` (or .tsv, .txt, or one file *.edges or *.edgelist) and, if
///              there, `features` (.csv, .tsv, .txt, .npy), `labels` and `split` (.csv, .tsv, .txt);
///              or a single edge list. Files ending in .gz as well.
///
/// Nodes are numbered in the order of a features file that has ids; else by the rows of a file without
/// ids; else the ids are collected from edges and labels, sorted if they are integers. Without a
/// features file each node has a feature of its own. Numeric columns beyond the two ids are edge
/// features. Edges are taken as given. Labels are a class each (numbers in order, else names in
/// order), or several 0/1 columns; an empty field or `nan` is a missing one.
/// \throws InputError with file:line:column; with the file when a table has no rows; with the folder when
///                    it has no edge list
Dataset load_folder(const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
