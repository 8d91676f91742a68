/// What the `.npz` formats have in common: sparse matrices, labels and names from members.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/io/npy.hpp"

namespace gat::inline GAT_PRECISION {

/// Whether `path` is a zip archive that holds all these arrays. Throws `InputError` for an archive
/// that is damaged, since it can be nothing else.
bool has_members(const std::filesystem::path& path, std::initializer_list<std::string_view> names);

/// "shape 3 x 4", or "a single value".
std::string shape_text(const StoredArray& array);

/// The arrays `prefix` + data, indices, indptr and shape as a sparse matrix.
CsrMatrix read_csr(const NpzArchive& archive, const std::string& prefix);

/// The entries of a square matrix as edges row → column, in stored order. Throws `InputError` at
/// `place` when the matrix is not square.
EdgeList edges_of(const CsrMatrix& adjacency, const std::string& place);

/// Takes one integer class per node over; negative = no label. The number of classes is the largest
/// plus one, or the number of class names if there are more. Throws `InputError` for a wrong count and
/// for classes that would leave more classes than nodes.
void set_classes(Dataset& dataset, const StoredArray& labels);

/// The strings of a member without blanks at their ends; empty when there is no such member or when
/// it holds Python objects.
std::vector<std::string> read_names(const NpzArchive& archive, std::string_view member);

/// Keeps node names if there is one for each node and none twice; else notes that they are left out.
void set_node_names(Dataset& dataset, std::vector<std::string> names);

}  // namespace gat::inline GAT_PRECISION
