#include <charconv>
#include <cmath>

#include "gat/io/text_table.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// from_chars knows no plus sign.
std::string_view without_plus(std::string_view field) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  return field;
}

// Whether a number outside the range of double lies below it: it has a negative exponent or begins
// with a zero.
bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) return number.substr(exponent + 1).starts_with('-');
  const std::size_t first = number.find_first_not_of('-');
  return number[first] == '0' || number[first] == '.';
}

}  // namespace

std::optional<Real> to_real(std::string_view field) {
  field = without_plus(field);
  const char* const end = field.data() + field.size();
  Real number = 0;
  const auto direct = std::from_chars(field.data(), end, number);
  if (direct.ptr != end || direct.ec == std::errc::invalid_argument) return std::nullopt;
  if (direct.ec == std::errc()) return number;
  double wide = 0;
  if (std::from_chars(field.data(), end, wide).ec == std::errc()) {
    if (std::abs(wide) > 1) return std::nullopt;
    return static_cast<Real>(wide);
  }
  if (!is_tiny(field)) return std::nullopt;
  return Real(0);
}

std::optional<std::int64_t> to_integer(std::string_view field) {
  field = without_plus(field);
  const char* const end = field.data() + field.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (stop != end || error != std::errc()) return std::nullopt;
  return number;
}

}  // namespace gat::inline GAT_PRECISION
