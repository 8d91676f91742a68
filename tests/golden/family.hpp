/// The kinds of golden vectors that can be run, and how one vector is run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/golden_case.hpp"
#include "golden/vector_file.hpp"

namespace golden {

/// One kind. Adding a kind is one file and one line in the table.
struct Family {
  std::int64_t kind;
  std::string_view title;
  std::span<const std::string_view> given;  ///< names of all inputs and options of the kind
  /// Why a vector cannot be run, or nothing: looks at option arrays only.
  std::string (*unsupported)(const VectorFile& file);
  void (*run)(GoldenCase& golden_case);
};

extern const Family kGatLayerFamily, kSegmentSoftmaxFamily, kActivationFamily, kCrossEntropyFamily,
    kSigmoidCrossEntropyFamily, kAdamFamily, kInitialBoundsFamily, kModelFamily, kMetricsFamily,
    kMultiLabelFamily, kSinusoidalFamily, kLaplacianFamily, kRandomWalkFamily, kRankingFamily,
    kCalibrationFamily, kGatv2Family, kTransformerFamily, kScoreFamily, kAgnnFamily, kSupergatFamily,
    kHardFamily, kLocalFamily, kMultiHeadFamily, kLayerNormFamily, kBlockFamily;

std::span<const Family* const> families();
/// Null for a kind that is not in the table.
const Family* find_family(std::int64_t kind);

/// Every option is understood.
std::string always_supported(const VectorFile& file);
/// Says which value is not among the ones understood, or nothing.
std::string unless_among(const VectorFile& file, std::string_view option, std::span<const double> values);

/// Why a vector cannot be run, by its kind and options; empty when it can.
std::string why_not_dispatched(const VectorFile& file);

/// What became of one vector.
struct Report {
  std::string name;
  std::string not_dispatched;         ///< the reason; empty when it was run or skipped
  std::string skipped;                ///< the reason, for example that no limit is stated
  std::vector<std::string> failures;  ///< each names file, array, error and limit
  std::set<std::string, std::less<>> compared;
  double limit = 0;
  double worst = 0;  ///< largest error as a share of the limit
};

/// Runs a vector by the kind and the options inside it.
Report run_vector(const VectorFile& file, const Limits& limits);
/// The same for a file; one that cannot be read is a failure.
Report run_vector(const std::filesystem::path& path, const Limits& limits);

}  // namespace golden
