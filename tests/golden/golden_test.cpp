// Every golden vector of a folder against the library. GAT_GOLDEN_DIR names another folder than the
// copy beside these sources; what is run depends on the arrays inside the files alone.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "golden/family.hpp"
#include "golden/golden_folder.hpp"

namespace {

using golden::golden_folder;
using golden::is_own_copy;

struct Tally {
  std::size_t found = 0;
  std::string not_dispatched, skipped;
};

void check_report(const golden::Report& report, Tally& tally) {
  if (!report.not_dispatched.empty()) {
    tally.not_dispatched += "\n  " + report.name + ": " + report.not_dispatched;
  }
  if (!report.skipped.empty()) tally.skipped += "\n  " + report.name + ": " + report.skipped;
  for (const std::string& failure : report.failures) FAIL_CHECK(failure);
  if (report.not_dispatched.empty() && report.skipped.empty()) CHECK_FALSE(report.compared.empty());
}

void warn(const Tally& tally) {
  if (!tally.not_dispatched.empty()) WARN("not dispatched:" << tally.not_dispatched);
  if (!tally.skipped.empty()) WARN("skipped:" << tally.skipped);
}

// Runs every vector of one kind; each failure names file, array, error and limit.
void check_kind(std::int64_t kind) {
  const golden::Limits limits(golden_folder());
  Tally tally;
  for (const auto& path : golden::vector_paths(golden_folder())) {
    if (golden::kind_of(path) != kind) continue;
    ++tally.found;
    check_report(golden::run_vector(path, limits), tally);
  }
  warn(tally);
  if (is_own_copy()) {
    CHECK(tally.found > 0);
    CHECK(tally.not_dispatched.empty());
  } else if (tally.found == 0) {
    WARN("no vector of kind " << kind << " in " << golden_folder().string());
  }
}

}  // namespace

TEST_CASE("the GAT layer agrees with the golden vectors", "[golden][gat]") { check_kind(1); }

TEST_CASE("GATv2 layers agree with the golden vectors", "[golden][attention]") { check_kind(2); }

TEST_CASE("graph transformer layers agree with the golden vectors", "[golden][attention]") { check_kind(3); }

TEST_CASE("attention with every score agrees with the golden vectors", "[golden][attention]") {
  check_kind(4);
}

TEST_CASE("AGNN propagation agrees with the golden vectors", "[golden][attention]") { check_kind(5); }

TEST_CASE("SuperGAT layers agree with the golden vectors", "[golden][attention]") { check_kind(6); }

TEST_CASE("hard attention agrees with the golden vectors", "[golden][attention]") { check_kind(7); }

TEST_CASE("local attention with a Gaussian window agrees with the golden vectors", "[golden][attention]") {
  check_kind(8);
}

TEST_CASE("multi-head attention agrees with the golden vectors", "[golden][attention]") { check_kind(9); }

TEST_CASE("the softmax of the attention operator agrees with the golden vectors", "[golden][softmax]") {
  check_kind(10);
}

TEST_CASE("activations agree with the golden vectors", "[golden][activation]") { check_kind(11); }

TEST_CASE("layer normalisation agrees with the golden vectors", "[golden][layer_norm]") { check_kind(12); }

TEST_CASE("Transformer blocks over graphs agree with the golden vectors", "[golden][blocks]") {
  check_kind(14);
}

TEST_CASE("softmax cross-entropy agrees with the golden vectors", "[golden][loss]") { check_kind(15); }

TEST_CASE("sigmoid cross-entropy agrees with the golden vectors", "[golden][loss]") { check_kind(16); }

TEST_CASE("Adam and AdamW agree with the golden vectors", "[golden][adam]") { check_kind(17); }

TEST_CASE("the bounds of initial values agree with the golden vectors", "[golden][bounds]") {
  check_kind(18);
}

TEST_CASE("whole models on citation graphs agree with the golden vectors", "[golden][model]") {
  check_kind(21);
}

TEST_CASE("metrics agree with the golden vectors", "[golden][metrics]") { check_kind(22); }

TEST_CASE("multi-label metrics agree with the golden vectors", "[golden][metrics]") { check_kind(24); }

TEST_CASE("sinusoidal encodings agree with the golden vectors", "[golden][positions]") { check_kind(13); }

TEST_CASE("Laplacian encodings agree with the golden vectors", "[golden][positions]") { check_kind(19); }

TEST_CASE("random-walk encodings agree with the golden vectors", "[golden][positions]") { check_kind(20); }

TEST_CASE("ROC-AUC agrees with the golden vectors", "[golden][metrics]") { check_kind(23); }

TEST_CASE("calibration errors agree with the golden vectors", "[golden][metrics]") { check_kind(25); }

TEST_CASE("every golden vector is dispatched or reported by name", "[golden]") {
  const auto paths = golden::vector_paths(golden_folder());
  INFO("folder " << golden_folder().string());
  REQUIRE_FALSE(paths.empty());
  std::size_t dispatched = 0;
  Tally tally;
  for (const auto& path : paths) {
    std::string reason;
    try {
      reason = golden::why_not_dispatched(golden::read_vector_file(path));
    } catch (const std::exception& error) {
      FAIL_CHECK(path.filename().string() << ": " << error.what());
      continue;
    }
    if (reason.empty()) ++dispatched;
    else tally.not_dispatched += "\n  " + path.filename().string() + ": " + reason;
  }
  warn(tally);
  CHECK(dispatched > 0);
  if (is_own_copy()) CHECK(dispatched == paths.size());
}
