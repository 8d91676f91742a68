#include <array>

#include "data/formats/csr_npz.hpp"
#include "data/formats/folder.hpp"
#include "data/formats/format.hpp"
#include "data/formats/graphdata_npz.hpp"
#include "data/formats/heterophilous_npz.hpp"
#include "data/formats/planetoid.hpp"
#include "gat/data/load.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::array<Format, 5> kFormats{{
    {"planetoid", "a folder with the eight files ind.NAME.*, or one of them", recognises_planetoid,
     load_planetoid},
    {"csr-npz", "an .npz with adj_data, adj_indices, adj_indptr, adj_shape, or adj_matrix.data, …",
     recognises_csr_npz, load_csr_npz},
    {"heterophilous-npz", "an .npz with node_features, node_labels and edges", recognises_heterophilous_npz,
     load_heterophilous_npz},
    {"graphdata-npz", "an .npz with a SciPy matrix adj_matrix", recognises_graphdata_npz, load_graphdata_npz},
    {"folder", "a folder with edges.csv, .tsv or .txt (and features, labels, split), or one edge list",
     recognises_folder, load_folder},
}};

constexpr auto kFormatNames = [] {
  std::array<std::string_view, kFormats.size()> names;
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = kFormats[k].name;
  return names;
}();

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::span<const std::string_view> format_names() { return kFormatNames; }

}  // namespace gat::inline GAT_PRECISION
