#include "data/formats/planetoid.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "data/counted.hpp"
#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "gat/core/error.hpp"
#include "gat/io/pickle.hpp"
#include "gat/io/text_table.hpp"

namespace gat::inline GAT_PRECISION {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 8> kParts{"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"};
constexpr Index kNumValidation = 500;

/// The NAME of `ind.NAME.PART`; NAME itself may have dots.
std::optional<std::string> set_name(const std::string& file) {
  if (!file.starts_with("ind.")) return std::nullopt;
  for (const std::string_view part : kParts) {
    const std::string end = "." + std::string(part);
    if (file.size() > 4 + end.size() && file.ends_with(end))
      return file.substr(4, file.size() - 4 - end.size());
  }
  return std::nullopt;
}

std::set<std::string> set_names(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (const auto name = set_name(it->path().filename().string())) names.insert(*name);
  }
  return names;
}

/// The place of one set: its folder and name, with all eight files present.
struct FileSet {
  fs::path folder;
  std::string name;

  fs::path file(std::string_view part) const { return folder / ("ind." + name + "." + std::string(part)); }
  std::string place(std::string_view part) const { return file(part).string(); }
  Pickle pickle(std::string_view part) const;
};

// The message of a file cut short ends with the fix. A whole pickle ends with a full stop.
Pickle FileSet::pickle(std::string_view part) const {
  std::string bytes = read_file(file(part));
  const bool cut_off = !bytes.ends_with('.');
  try {
    return {std::move(bytes), place(part)};
  } catch (const InputError& error) {
    if (!cut_off) throw;
    const std::string message = std::string(error.what()).substr(error.place().size() + 2);
    throw InputError(error.place(), message + "; the file is cut off, fetch it again");
  }
}

FileSet find_files(const fs::path& path) {
  FileSet files;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const std::set<std::string> names = set_names(path);
    if (names.empty()) {
      throw InputError(path.string(),
                       "holds no file ind.NAME.* of a Planetoid set; give the folder that holds all eight");
    }
    if (names.size() > 1) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw UsageError(path.string() + ": several Planetoid sets (" + known +
                       "); name a file of the one you want, " + "for example " +
                       (path / ("ind." + *names.begin() + ".graph")).string());
    }
    files = {path, *names.begin()};
  } else {
    const auto name = set_name(path.filename().string());
    if (!name) {
      throw InputError(path.string(),
                       "is no file ind.NAME.* of a Planetoid set; give one, or the folder of all eight");
    }
    files = {path.parent_path(), *name};
  }
  for (const std::string_view part : kParts) {
    if (fs::exists(files.file(part), ignored)) continue;
    throw InputError(files.folder.empty() ? "." : files.folder.string(),
                     files.file(part).filename().string() + " is missing; add it, a Planetoid set has " +
                         planetoid_files_text(files.name));
  }
  return files;
}

CsrMatrix read_features(const FileSet& files, std::string_view part) {
  CsrMatrix matrix = files.pickle(part).root().as_csr();
  require_finite(matrix.view(), files.place(part));
  return matrix;
}

/// The classes of a one-hot matrix; a row of zeros has no label.
struct OneHot {
  std::vector<NodeId> classes;
  Index width = 0;
};

OneHot read_one_hot(const FileSet& files, std::string_view part) {
  const StoredArray array = files.pickle(part).root().as_array();
  if (array.rank() != 2) {
    throw InputError(files.place(part), "found an array of rank " + std::to_string(array.rank()) +
                                            ", expected one-hot labels, rows x classes");
  }
  const std::vector<std::int64_t> values = array.as_integers();
  OneHot result;
  const Index rows = array.shape()[0];
  result.width = array.shape()[1];
  for (Index i = 0; i < rows; ++i) {
    NodeId label = kNoLabel;
    for (Index c = 0; c < result.width; ++c) {
      const std::int64_t value = values[static_cast<std::size_t>(i * result.width + c)];
      if (value == 0) continue;
      if (value != 1 || label != kNoLabel) {
        throw InputError(files.place(part), "row " + std::to_string(i) + ", column " + std::to_string(c) +
                                                ": found " + std::to_string(value) +
                                                (label == kNoLabel ? "" : ", a second one") +
                                                "; a row is one-hot, or all zero for a node without label");
      }
      label = static_cast<NodeId>(c);
    }
    result.classes.push_back(label);
  }
  return result;
}

/// Everything that the files say, checked part by part.
struct Contents {
  CsrMatrix allx, tx;
  OneHot ally, ty;
  Index num_train = 0;
  std::vector<NodeId> test_index;  ///< node of each row of tx
  PickledLists lists;
  Index num_nodes = 0;
};

void require_equal(const FileSet& files, std::string_view part, const char* what, Index found,
                   std::string_view other, Index expected) {
  if (found == expected) return;
  throw InputError(files.place(part), "found " + counted(found, what) + ", expected " +
                                          std::to_string(expected) + " as in ind." + files.name + "." +
                                          std::string(other) +
                                          "; the files do not belong together, fetch all eight again");
}

// x and y repeat the first rows of allx and ally; they are read to catch files of different sets.
void read_training_rows(const FileSet& files, Contents& contents) {
  const CsrMatrix x = read_features(files, "x");
  const OneHot y = read_one_hot(files, "y");
  contents.num_train = static_cast<Index>(y.classes.size());
  require_equal(files, "x", "row", x.rows, "y", contents.num_train);
  require_equal(files, "x", "column", x.cols, "allx", contents.allx.cols);
  require_equal(files, "y", "column", y.width, "ally", contents.ally.width);
  if (contents.num_train > contents.allx.rows) {
    throw InputError(files.place("y"), "found " + counted(contents.num_train, "row") + ", more than the " +
                                           std::to_string(contents.allx.rows) +
                                           " of allx, which repeats them");
  }
  for (std::size_t i = 0; i < y.classes.size(); ++i) {
    if (y.classes[i] == contents.ally.classes[i]) continue;
    throw InputError(files.place("y"), "row " + std::to_string(i) +
                                           " differs from the same row of ally, which repeats " +
                                           "it; the files do not belong together, fetch all eight again");
  }
}

void read_rows(const FileSet& files, Contents& contents) {
  contents.allx = read_features(files, "allx");
  contents.ally = read_one_hot(files, "ally");
  contents.tx = read_features(files, "tx");
  contents.ty = read_one_hot(files, "ty");
  require_equal(files, "ally", "row", static_cast<Index>(contents.ally.classes.size()), "allx",
                contents.allx.rows);
  require_equal(files, "ty", "row", static_cast<Index>(contents.ty.classes.size()), "tx", contents.tx.rows);
  require_equal(files, "tx", "column", contents.tx.cols, "allx", contents.allx.cols);
  require_equal(files, "ty", "column", contents.ty.width, "ally", contents.ally.width);
  read_training_rows(files, contents);
}

void read_test_index(const FileSet& files, Contents& contents) {
  TextTableOptions options;
  options.header = HeaderRule::no;
  options.comments = false;
  const TextTable table(files.file("test.index"), options);
  require_equal(files, "test.index", "line", table.num_rows(), "tx", contents.tx.rows);
  std::set<std::int64_t> seen;
  for (Index row = 0; row < table.num_rows(); ++row) {
    const std::string_view field = table.field(row, 0);
    const std::int64_t id = table.parse_integer(field);
    if (id < contents.allx.rows || id >= std::int64_t(1) << 31) {
      throw InputError(table.place(field), "found test node " + std::to_string(id) +
                                               ", expected an id from " + std::to_string(contents.allx.rows) +
                                               " on, after the rows of allx");
    }
    if (!seen.insert(id).second) {
      throw InputError(table.place(field), "test node " + std::to_string(id) + " is listed a second time");
    }
    contents.test_index.push_back(static_cast<NodeId>(id));
  }
}

// Ids without row exist (Citeseer), so the number of nodes comes from the ids; but each id must have
// a row or a list, or a single wrong id would ask for billions of nodes.
void read_lists(const FileSet& files, Contents& contents) {
  contents.lists = files.pickle("graph").root().as_lists();
  const PickledLists& lists = contents.lists;
  std::int64_t largest = contents.allx.rows - 1;
  for (const NodeId id : contents.test_index) largest = std::max<std::int64_t>(largest, id);
  for (const std::int64_t key : lists.keys) {
    if (key < 0)
      throw InputError(files.place("graph"), "found node " + std::to_string(key) + ", ids count from 0");
    largest = std::max(largest, key);
  }
  const auto described = static_cast<Index>(lists.keys.size()) + contents.allx.rows + contents.tx.rows;
  if (largest >= described || largest >= (std::int64_t(1) << 31) - 1) {
    throw InputError(files.place("graph"),
                     "the largest node id is " + std::to_string(largest) + ", but there are only " +
                         counted(static_cast<Index>(lists.keys.size()), "neighbour list") + " and " +
                         std::to_string(contents.allx.rows + contents.tx.rows) +
                         " feature rows; ids count from 0 without such gaps");
  }
  contents.num_nodes = largest + 1;
  for (std::size_t k = 0; k < lists.keys.size(); ++k) {
    for (Index m = lists.row_offsets[k]; m < lists.row_offsets[k + 1]; ++m) {
      const std::int64_t neighbour = lists.members[static_cast<std::size_t>(m)];
      if (neighbour >= 0 && neighbour < contents.num_nodes) continue;
      throw InputError(files.place("graph"), "node " + std::to_string(lists.keys[k]) + " lists neighbour " +
                                                 std::to_string(neighbour) + ", outside 0.." +
                                                 std::to_string(contents.num_nodes - 1));
    }
  }
}

EdgeList edges_of(const PickledLists& lists) {
  EdgeList edges;
  for (std::size_t k = 0; k < lists.keys.size(); ++k) {
    for (Index m = lists.row_offsets[k]; m < lists.row_offsets[k + 1]; ++m) {
      edges.add(static_cast<NodeId>(lists.keys[k]),
                static_cast<NodeId>(lists.members[static_cast<std::size_t>(m)]));
    }
  }
  return edges;
}

void append_row(const CsrMatrix& from, Index row, CsrMatrix& to) {
  const auto at = static_cast<std::size_t>(row);
  const EdgeId first = from.row_offsets[at];
  const EdgeId last = from.row_offsets[at + 1];
  to.column_indices.insert(to.column_indices.end(), from.column_indices.begin() + first,
                           from.column_indices.begin() + last);
  to.values.insert(to.values.end(), from.values.begin() + first, from.values.begin() + last);
}

/// Puts the rows of tx behind those of allx, each at its node; other nodes keep an empty row.
void assemble_rows(const Contents& contents, Dataset& dataset) {
  std::vector<NodeId> row_of_tx(static_cast<std::size_t>(contents.num_nodes), NodeId(-1));
  for (std::size_t k = 0; k < contents.test_index.size(); ++k) {
    row_of_tx[static_cast<std::size_t>(contents.test_index[k])] = static_cast<NodeId>(k);
  }
  CsrMatrix features = contents.allx;
  features.rows = contents.num_nodes;
  dataset.labels.classes = contents.ally.classes;
  Index num_fillers = 0;
  for (Index node = contents.allx.rows; node < contents.num_nodes; ++node) {
    const NodeId row = row_of_tx[static_cast<std::size_t>(node)];
    if (row >= 0) append_row(contents.tx, row, features);
    else ++num_fillers;
    features.row_offsets.push_back(features.num_entries());
    dataset.labels.classes.push_back(row >= 0 ? contents.ty.classes[static_cast<std::size_t>(row)]
                                              : kNoLabel);
  }
  dataset.graph_data.features = features_from(std::move(features));
  if (num_fillers > 0) {
    dataset.notes.push_back(counted(num_fillers, "node") +
                            " without a feature row: zero features, no label, in no split");
  }
}

Split public_split(const Contents& contents, const Labels& labels) {
  Split split;
  const Index validation_end = std::min(contents.num_train + kNumValidation, contents.allx.rows);
  split.train.resize(static_cast<std::size_t>(contents.num_train));
  std::iota(split.train.begin(), split.train.end(), NodeId(0));
  split.validation.resize(static_cast<std::size_t>(validation_end - contents.num_train));
  std::iota(split.validation.begin(), split.validation.end(), static_cast<NodeId>(contents.num_train));
  split.test = contents.test_index;
  std::sort(split.test.begin(), split.test.end());
  for (std::vector<NodeId>* part : {&split.train, &split.validation, &split.test}) {
    std::erase_if(*part, [&](NodeId node) { return !labels.labelled(node); });
  }
  return split;
}

}  // namespace

bool recognises_planetoid(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return !set_names(path).empty();
  return fs::is_regular_file(path, ignored) && set_name(path.filename().string()).has_value();
}

std::string planetoid_files_text(const std::string& name) {
  return "the eight files ind." + name +
         ".{x,tx,allx,y,ty,ally,graph,test.index}, to be had from github.com/kimiyoung/planetoid, "
         "folder data (checksums: datasets/catalogue.toml)";
}

bool holds_planetoid_set(const fs::path& folder, std::string_view name) {
  return set_names(folder).contains(std::string(name));
}

Dataset load_planetoid(const fs::path& path) {
  const FileSet files = find_files(path);
  Contents contents;
  read_rows(files, contents);
  read_test_index(files, contents);
  read_lists(files, contents);

  Dataset dataset;
  dataset.name = files.name;
  dataset.format = "planetoid";
  dataset.source = path.string();
  assemble_rows(contents, dataset);
  dataset.graph_data.graph = graph_as_given(edges_of(contents.lists), contents.num_nodes);
  dataset.num_classes = contents.ally.width;
  dataset.splits.push_back(public_split(contents, dataset.labels));
  dataset.split_kind = "public";
  dataset.suggested_direction = Direction::symmetrize;
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
