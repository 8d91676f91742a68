#include "data/split_file.hpp"

#include <algorithm>
#include <string>

#include "data/counted.hpp"
#include "gat/core/error.hpp"
#include "gat/data/node_index.hpp"
#include "gat/io/text_table.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

std::vector<NodeId>& part_named(Split& split, std::string_view name, const TextTable& table) {
  if (name == "train") return split.train;
  if (name == "validation" || name == "val" || name == "valid") return split.validation;
  if (name == "test") return split.test;
  throw InputError(table.place(name),
                   "found part \"" + std::string(name) + "\", expected train, validation or test");
}

}  // namespace

Split read_split_file(const std::filesystem::path& path, const Dataset& dataset) {
  const TextTable table(path);
  if (table.num_rows() == 0) {
    throw InputError(table.name(),
                     "holds no nodes; write one line per node: node id and train, validation or "
                     "test; or do without the file");
  }
  const NodeIndex index(dataset);
  std::vector<Index> row_of_node(static_cast<std::size_t>(dataset.num_nodes()), Index(-1));
  Split split;
  for (Index row = 0; row < table.num_rows(); ++row) {
    if (table.num_fields(row) != 2) {
      throw InputError(table.place(row), "found " + counted(table.num_fields(row), "field") +
                                             ", expected 2: node id and train, validation or test");
    }
    const std::string_view id = table.field(row, 0);
    const auto node = index.find(id);
    if (!node) {
      throw InputError(table.place(id), "the data set \"" + dataset.name + "\" has no node \"" +
                                            std::string(id) + "\"; use the ids of its files");
    }
    Index& earlier = row_of_node[static_cast<std::size_t>(*node)];
    if (earlier >= 0) {
      throw InputError(table.place(id), "node \"" + std::string(id) +
                                            "\" is listed a second time, first at " + table.place(earlier) +
                                            "; keep one of the lines");
    }
    earlier = row;
    part_named(split, table.field(row, 1), table).push_back(*node);
  }
  for (std::vector<NodeId>* part : {&split.train, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  return split;
}

}  // namespace gat::inline GAT_PRECISION
