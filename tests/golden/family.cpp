#include "golden/family.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <sstream>

namespace golden {

std::span<const Family* const> families() {
  static constexpr const Family* kFamilies[] = {
      &kGatLayerFamily,   &kGatv2Family,         &kTransformerFamily,
      &kScoreFamily,      &kAgnnFamily,          &kSupergatFamily,
      &kHardFamily,       &kLocalFamily,         &kMultiHeadFamily,
      &kBlockFamily,      &kLayerNormFamily,     &kSegmentSoftmaxFamily,
      &kActivationFamily, &kCrossEntropyFamily,  &kSigmoidCrossEntropyFamily,
      &kAdamFamily,       &kInitialBoundsFamily, &kModelFamily,
      &kMetricsFamily,    &kMultiLabelFamily,    &kSinusoidalFamily,
      &kLaplacianFamily,  &kRandomWalkFamily,    &kRankingFamily,
      &kCalibrationFamily};
  return kFamilies;
}

const Family* find_family(std::int64_t kind) {
  const auto all = families();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Family* family) { return family->kind == kind; });
  return found == all.end() ? nullptr : *found;
}

std::string always_supported(const VectorFile&) { return {}; }

std::string unless_among(const VectorFile& file, std::string_view option, std::span<const double> values) {
  const double value = file.number(option);
  if (std::find(values.begin(), values.end(), value) != values.end()) return {};
  std::ostringstream reason;
  reason << "option " << option << " = " << value << " is not supported";
  return reason.str();
}

namespace {

void run_dispatched(const Family& family, const VectorFile& file, Report& report) {
  GoldenCase golden_case(file, family.given, report.limit);
  try {
    family.run(golden_case);
    if (golden_case.skipped().empty()) golden_case.finish();
  } catch (const std::exception& error) {
    golden_case.fail(error.what());
  }
  report.skipped = golden_case.skipped();
  report.failures = golden_case.failures();
  report.compared = golden_case.compared();
  report.worst = golden_case.worst();
}

}  // namespace

std::string why_not_dispatched(const VectorFile& file) {
  if (!file.has("kind")) return "it has no array kind";
  const auto kind = static_cast<std::int64_t>(file.number("kind"));
  const Family* const family = find_family(kind);
  if (family == nullptr) return "kind " + std::to_string(kind) + " is not supported";
  return family->unsupported(file);
}

Report run_vector(const VectorFile& file, const Limits& limits) {
  Report report;
  report.name = file.name;
  try {
    report.not_dispatched = why_not_dispatched(file);
    if (!report.not_dispatched.empty()) return report;
    if (!limits.knows(file.name)) {
      report.failures.push_back(file.name + ".npz: has no line in limits.csv");
      return report;
    }
    const auto limit = limits.of(file.name);
    if (!limit) {
      report.skipped = "no limit is stated for this precision";
      return report;
    }
    report.limit = *limit;
    run_dispatched(*find_family(static_cast<std::int64_t>(file.number("kind"))), file, report);
  } catch (const std::exception& error) {
    report.failures.push_back(file.name + ".npz: " + error.what());
  }
  return report;
}

Report run_vector(const std::filesystem::path& path, const Limits& limits) {
  try {
    return run_vector(read_vector_file(path), limits);
  } catch (const std::exception& error) {
    Report report;
    report.name = path.stem().string();
    report.failures.push_back(error.what());
    return report;
  }
}

}  // namespace golden
