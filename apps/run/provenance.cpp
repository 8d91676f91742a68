#include "run/provenance.hpp"

#include "gat/core/error.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

constexpr const char* kDataName = "gat.data.name";
constexpr const char* kDataSource = "gat.data.source";
constexpr const char* kFingerprint = "gat.data.fingerprint";
constexpr const char* kSplit = "gat.split";
constexpr const char* kSplitKind = "gat.split.kind";
constexpr const char* kSplitIndex = "gat.split.index";
constexpr const char* kSplitSeed = "gat.split.seed";
constexpr const char* kSeed = "gat.seed";
constexpr const char* kMetrics = "gat.metrics";

std::string kind_of(const SplitOptions& split) {
  const std::string text = describe(split);
  return text.substr(0, text.find(':'));
}

}  // namespace

std::map<std::string, std::string> to_metadata(const Provenance& p) {
  std::map<std::string, std::string> metadata{{kDataName, p.data_name},
                                              {kDataSource, p.data_source},
                                              {kFingerprint, p.fingerprint},
                                              {kSeed, std::to_string(p.seed)},
                                              {kMetrics, p.metrics}};
  if (p.split) {
    metadata[kSplit] = describe(*p.split);
    metadata[kSplitKind] = kind_of(*p.split);
    metadata[kSplitIndex] = std::to_string(p.split->index);
    metadata[kSplitSeed] = std::to_string(p.seed);
  }
  return metadata;
}

Provenance read_provenance(const std::map<std::string, std::string>& metadata, const std::string& place) {
  const auto value = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  Provenance p;
  p.data_name = value(kDataName);
  p.data_source = value(kDataSource);
  p.fingerprint = value(kFingerprint);
  p.metrics = value(kMetrics);
  try {
    if (const std::string seed = value(kSeed); !seed.empty()) p.seed = parse_integer(seed);
    if (const std::string split = value(kSplit); !split.empty()) p.split = parse_split(split);
  } catch (const UsageError& error) {
    throw InputError(place, std::string("the metadata are damaged: ") + error.what());
  }
  return p;
}

}  // namespace gat::app
