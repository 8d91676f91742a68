/// Where a model came from, as its file's metadata keeps it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "gat/data/dataset.hpp"
#include "gat/data/split.hpp"

namespace gat::app {

struct Provenance {
  std::string data_name;
  std::string data_source;
  std::string fingerprint;
  std::optional<SplitOptions> split;
  std::int64_t seed = 0;  ///< of weights, dropout and a drawn split
  std::string metrics;    ///< JSON: the report of the run
};

std::map<std::string, std::string> to_metadata(const Provenance& provenance);
/// Missing keys leave their fields empty: other programs write models too.
/// \throws InputError when a key holds nonsense. \param place  of the model, for messages
Provenance read_provenance(const std::map<std::string, std::string>& metadata, const std::string& place);

}  // namespace gat::app
