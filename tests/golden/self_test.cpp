// The golden tests can fail: spoilt vectors are noticed, and what cannot be run is named.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "gat/io/npy.hpp"
#include "golden/comparison.hpp"
#include "golden/family.hpp"
#include "golden/golden_folder.hpp"
#include "io/builders.hpp"
#include "io/temporary_folder.hpp"

namespace {

using golden::normwise_difference;
using golden::own_folder;
using golden::VectorFile;

// Moves an array by about a thousandth of its largest element, or by four limits where the limit is wide; a
// NaN becomes a number.
void spoil(VectorFile& file, const std::string& name, double limit) {
  gat::StoredArray& array = file.arrays.at(name);
  std::vector<double> values = golden::doubles(array);
  const double step = std::max(1e-3, 4 * limit);
  const double largest = std::accumulate(values.begin(), values.end(), 0.0,
                                         [](double a, double b) { return std::max(a, std::abs(b)); });
  const bool integers = array.type().kind != gat::ElementType::Kind::real;
  for (double& value : values) {
    if (std::isnan(value)) value = 0;
    else value = integers ? value + 1 : (largest > 1e-9 ? value * (1 + step) : value + step);
  }
  array = golden::stored(values, array.shape());
}

bool mentions(const std::vector<std::string>& failures, const std::string& file, const std::string& array) {
  return std::any_of(failures.begin(), failures.end(), [&](const std::string& failure) {
    return failure.rfind(file + ".npz: array " + array + " ", 0) == 0 ||
           failure.rfind(file + ".npz: array " + array + ":", 0) == 0;
  });
}

// Spoils every compared array of every vector of some kinds; each of them has to be reported.
void check_that_spoilt_arrays_are_reported(const std::vector<std::int64_t>& kinds) {
  const golden::Limits limits(own_folder());
  for (const auto& path : golden::vector_paths(own_folder())) {
    const auto kind = golden::kind_of(path);
    if (!kind || std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) continue;
    VectorFile file = golden::read_vector_file(path);
    const golden::Report right = golden::run_vector(file, limits);
    if (right.compared.empty()) continue;  // not dispatched, or skipped
    for (const std::string& name : right.compared) {
      if (file.has(name)) spoil(file, name, right.limit);
    }
    const golden::Report spoilt = golden::run_vector(file, limits);
    for (const std::string& name : right.compared) {
      if (!file.has(name) || file.array(name).size() == 0) continue;
      INFO(file.name << ".npz, array " << name);
      CHECK(mentions(spoilt.failures, file.name, name));
    }
  }
}

const std::vector<double> kSome{0.5, -2, 1};

// A folder of its own with limits and a copy of the last vector of the given kind.
class CopiedVector {
 public:
  explicit CopiedVector(std::int64_t kind) {
    for (const auto& path : golden::vector_paths(own_folder())) {
      if (golden::kind_of(path) == kind) file_ = golden::read_vector_file(path);
    }
    file_.name = "a_name_that_says_nothing";
  }

  VectorFile& file() { return file_; }

  // Writes the copy and its limits, and runs what is then in the folder.
  golden::Report run(const std::string& limit_line) const {
    std::vector<ZipPart> parts;
    for (const auto& [name, array] : file_.arrays) parts.push_back({name + ".npy", gat::npy_bytes(array)});
    const auto path = folder_ / (file_.name + ".npz");
    std::ofstream(path, std::ios::binary) << zip(parts);
    std::ofstream(folder_ / "limits.csv") << "name,kind,f64,f32\n" << limit_line << '\n';
    return golden::run_vector(path, golden::Limits(folder_.path()));
  }

 private:
  TemporaryFolder folder_;
  VectorFile file_;
};

}  // namespace

TEST_CASE("an array that is off by a thousandth is a mismatch", "[golden][self]") {
  std::vector<double> scaled = kSome;
  for (double& value : scaled) value *= 1.001;
  CHECK(normwise_difference(kSome, kSome).error == 0);
  CHECK(normwise_difference(scaled, kSome).error == Approx(1e-3));
  CHECK(normwise_difference(scaled, kSome).at == 1);
}

TEST_CASE("the error of an array that vanishes is absolute", "[golden][self]") {
  const std::vector<double> noise{1e-12, -3e-11}, computed{0, 2e-11};
  CHECK(normwise_difference(computed, noise).error == Approx(5e-11));
}

TEST_CASE("a NaN and an infinity agree only with themselves", "[golden][self]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> special{nan, inf, -inf};
  CHECK(normwise_difference(special, special).error == 0);
  CHECK(normwise_difference(std::vector<double>{1, inf, -inf}, special).error == inf);
  CHECK(normwise_difference(std::vector<double>{nan, inf, inf}, special).error == inf);
  CHECK(normwise_difference(std::vector<double>{0.5, nan, 1}, kSome).error == inf);
}

TEST_CASE("every spoilt array of every vector is reported", "[golden][self]") {
  check_that_spoilt_arrays_are_reported(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25});
}

TEST_CASE("every spoilt array of a whole model is reported", "[golden][self][model]") {
  check_that_spoilt_arrays_are_reported({21});
}

TEST_CASE("a vector is run by its contents, whatever its name", "[golden][self]") {
  CopiedVector copy(1);
  const golden::Report report = copy.run("a_name_that_says_nothing,1,1e-9,5e-2");
  CHECK(report.failures.empty());
  CHECK(report.compared.count("grad_W") == 1);
}

TEST_CASE("an array that nobody compares is reported", "[golden][self]") {
  CopiedVector copy(1);
  copy.file().arrays.emplace("grad_nothing", golden::stored({1, 2}, {2}));
  const golden::Report report = copy.run("a_name_that_says_nothing,1,1e-9,5e-2");
  CHECK(report.failures ==
        std::vector<std::string>{"a_name_that_says_nothing.npz: array grad_nothing: was left uncompared"});
}

TEST_CASE("a missing result is reported", "[golden][self]") {
  CopiedVector copy(1);
  copy.file().arrays.erase("grad_att_src");
  const golden::Report report = copy.run("a_name_that_says_nothing,1,1e-9,5e-2");
  CHECK(mentions(report.failures, "a_name_that_says_nothing", "grad_att_src"));
}

TEST_CASE("a vector of another kind or option is named and not run", "[golden][self]") {
  CopiedVector copy(11);
  copy.file().arrays["act_kind"] = golden::stored({17}, {1});
  CHECK(copy.run("a_name_that_says_nothing,11,1e-9,1e-5").not_dispatched ==
        "option act_kind = 17 is not supported");
  copy.file().arrays["kind"] = golden::stored({99}, {1});
  CHECK(copy.run("a_name_that_says_nothing,99,1e-9,1e-5").not_dispatched == "kind 99 is not supported");
}

TEST_CASE("a vector without a line in the limits is a failure, an empty limit is not", "[golden][self]") {
  CopiedVector copy(11);
  CHECK(copy.run("another,11,1e-9,1e-5").failures ==
        std::vector<std::string>{"a_name_that_says_nothing.npz: has no line in limits.csv"});
  const golden::Report report = copy.run("a_name_that_says_nothing,11,,");
  CHECK(report.failures.empty());
  CHECK(report.skipped == "no limit is stated for this precision");
}
