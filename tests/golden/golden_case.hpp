/// One golden vector while it is run: gives its inputs, compares results, keeps account of every array.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gat/core/matrix.hpp"
#include "golden/vector_file.hpp"

namespace golden {

/// Whether this program is the one with doubles.
inline constexpr bool kDouble = std::is_same_v<gat::Real, double>;

/// Numbers of ours for a comparison.
inline std::vector<double> widened(std::span<const gat::Real> values) {
  return {values.begin(), values.end()};
}

class GoldenCase {
 public:
  /// \param given  the inputs and options of this kind; an array of any other name must be compared
  GoldenCase(const VectorFile& file, std::span<const std::string_view> given, double limit);

  bool has(std::string_view name) const { return file_.has(name); }
  const std::vector<gat::Index>& shape(std::string_view name) const { return file_.array(name).shape(); }

  /// Inputs and options, each accounted for as used.
  gat::Matrix matrix(std::string_view name);
  std::vector<gat::Real> reals(std::string_view name);
  std::vector<std::int64_t> integers(std::string_view name);
  double number(std::string_view name);
  std::int64_t integer(std::string_view name);
  bool flag(std::string_view name) { return integer(name) != 0; }

  /// Results. \param route  tells apart several ways to the same array, in messages
  void compare(std::string_view name, gat::ConstMatrixView computed, std::string_view route = {});
  void compare(std::string_view name, const std::vector<double>& computed,
               const std::vector<gat::Index>& shape, std::string_view route = {});
  void compare(std::string_view name, double computed) { compare(name, std::vector<double>{computed}, {1}); }
  /// Whole numbers, exactly.
  void compare_integers(std::string_view name, const std::vector<std::int64_t>& computed,
                        const std::vector<gat::Index>& shape);

  /// An array that the description of its kind excludes from the comparison in this precision.
  void leave_out(std::string_view name) { used_.emplace(name); }
  /// Nothing can be compared here, for the reason given.
  void skip(const std::string& reason) { skipped_ = reason; }
  void fail(const std::string& message) { failures_.push_back(file_.name + ".npz: " + message); }

  /// Adds a failure for every array that was neither used nor compared.
  void finish();

  const std::string& skipped() const { return skipped_; }
  const std::vector<std::string>& failures() const { return failures_; }
  const std::set<std::string, std::less<>>& compared() const { return compared_; }
  /// The largest error, as a share of the limit.
  double worst() const { return worst_; }

 private:
  const gat::StoredArray& use(std::string_view name);
  bool same_shape(std::string_view name, const std::vector<gat::Index>& shape, const std::string& label);

  const VectorFile& file_;
  std::span<const std::string_view> given_;
  double limit_;
  double worst_ = 0;
  std::set<std::string, std::less<>> used_, compared_;
  std::vector<std::string> failures_;
  std::string skipped_;
};

}  // namespace golden
