#include "golden/golden_case.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "gat/core/error.hpp"
#include "golden/comparison.hpp"

namespace golden {

namespace {

std::string shape_text(const std::vector<gat::Index>& shape) {
  std::string text = "(";
  for (const gat::Index size : shape) text += std::to_string(size) + ",";
  return text + ")";
}

std::string label_of(std::string_view name, std::string_view route) {
  return "array " + std::string(name) + (route.empty() ? "" : " (" + std::string(route) + ")");
}

}  // namespace

GoldenCase::GoldenCase(const VectorFile& file, std::span<const std::string_view> given, double limit)
    : file_(file), given_(given), limit_(limit) {
  used_.emplace("kind");
}

const gat::StoredArray& GoldenCase::use(std::string_view name) {
  if (std::find(given_.begin(), given_.end(), name) == given_.end()) {
    throw gat::UsageError("the test reads " + std::string(name) +
                          ", which is no input or option of this kind");
  }
  used_.emplace(name);
  return file_.array(name);
}

gat::Matrix GoldenCase::matrix(std::string_view name) {
  const gat::StoredArray& array = use(name);
  if (array.rank() != 2) throw gat::UsageError("the array " + std::string(name) + " is no matrix");
  gat::Matrix matrix(array.shape()[0], array.shape()[1]);
  const std::vector<double> values = doubles(array);
  std::transform(values.begin(), values.end(), matrix.data(),
                 [](double v) { return static_cast<gat::Real>(v); });
  return matrix;
}

std::vector<gat::Real> GoldenCase::reals(std::string_view name) {
  const std::vector<double> values = doubles(use(name));
  std::vector<gat::Real> reals(values.size());
  std::transform(values.begin(), values.end(), reals.begin(),
                 [](double v) { return static_cast<gat::Real>(v); });
  return reals;
}

std::vector<std::int64_t> GoldenCase::integers(std::string_view name) { return use(name).as_integers(); }

double GoldenCase::number(std::string_view name) {
  use(name);
  return file_.number(name);
}

std::int64_t GoldenCase::integer(std::string_view name) {
  const std::vector<std::int64_t> values = integers(name);
  if (values.size() != 1) throw gat::UsageError("the option " + std::string(name) + " is not one number");
  return values.front();
}

bool GoldenCase::same_shape(std::string_view name, const std::vector<gat::Index>& shape,
                            const std::string& label) {
  compared_.emplace(name);
  if (!file_.has(name)) {
    fail(label + ": is missing from the file");
  } else if (file_.array(name).shape() != shape) {
    fail(label + ": has the shape " + shape_text(file_.array(name).shape()) + ", computed is " +
         shape_text(shape));
  } else {
    return true;
  }
  return false;
}

void GoldenCase::compare(std::string_view name, gat::ConstMatrixView computed, std::string_view route) {
  std::vector<double> values;
  for (gat::Index i = 0; i < computed.rows; ++i) {
    values.insert(values.end(), computed.row(i), computed.row(i) + computed.cols);
  }
  compare(name, values, {computed.rows, computed.cols}, route);
}

void GoldenCase::compare(std::string_view name, const std::vector<double>& computed,
                         const std::vector<gat::Index>& shape, std::string_view route) {
  const std::string label = label_of(name, route);
  if (!same_shape(name, shape, label)) return;
  const std::vector<double> golden = doubles(file_.array(name));
  const Difference difference = normwise_difference(computed, golden);
  worst_ = std::max(worst_, difference.error / limit_);
  if (difference.error <= limit_) return;
  std::ostringstream message;
  message.precision(17);
  message << label << ": computed " << computed[difference.at] << " at position " << difference.at
          << ", expected " << golden[difference.at];
  message.precision(3);
  message << "; error " << difference.error << ", limit " << limit_;
  fail(message.str());
}

void GoldenCase::compare_integers(std::string_view name, const std::vector<std::int64_t>& computed,
                                  const std::vector<gat::Index>& shape) {
  const std::string label = label_of(name, {});
  if (!same_shape(name, shape, label)) return;
  const std::vector<double> golden = doubles(file_.array(name));
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const auto ours = static_cast<double>(computed[k]);
    if (ours == golden[k]) continue;
    std::ostringstream message;
    message << label << ": computed " << computed[k] << " at position " << k << ", expected " << golden[k]
            << "; error " << std::abs(ours - golden[k]) << ", limit 0 (integers are exact)";
    return fail(message.str());
  }
}

void GoldenCase::finish() {
  for (const auto& [name, array] : file_.arrays) {
    if (used_.count(name) > 0 || compared_.count(name) > 0) continue;
    const bool is_given = std::find(given_.begin(), given_.end(), name) != given_.end();
    fail("array " + name +
         (is_given ? ": is an input or option that was not used" : ": was left uncompared"));
  }
}

}  // namespace golden
