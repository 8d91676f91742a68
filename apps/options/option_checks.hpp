/// Checks of single settings, used by the option table.
#pragma once

#include <string>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/option_value.hpp"

namespace gat::app {

inline void at_least(std::int64_t value, std::int64_t smallest) {
  if (value < smallest)
    throw UsageError(std::to_string(value) + " is too small; it is at least " + std::to_string(smallest));
}

inline void within(std::int64_t value, std::int64_t smallest, std::int64_t largest) {
  if (value >= smallest && value <= largest) return;
  throw UsageError(std::to_string(value) + " is out of range; it lies in " + std::to_string(smallest) + ".." +
                   std::to_string(largest));
}

inline void all_within(const std::vector<std::int64_t>& values, std::int64_t smallest, std::int64_t largest) {
  for (const std::int64_t value : values) within(value, smallest, largest);
}

inline void not_negative(double value) {
  if (!(value >= 0)) throw UsageError(shortest(value) + " is out of range; it is at least 0");
}

inline void positive(double value) {
  if (!(value > 0)) throw UsageError(shortest(value) + " is out of range; it is above 0");
}

/// Drop probabilities and shares that may not be all.
inline void below_one(double value) {
  if (!(value >= 0 && value < 1)) throw UsageError(shortest(value) + " is out of range; it lies in [0, 1)");
}

inline void up_to_one(double value) {
  if (!(value >= 0 && value <= 1)) throw UsageError(shortest(value) + " is out of range; it lies in [0, 1]");
}

template <std::size_t N>
void one_of(std::string_view value, const std::string_view (&known)[N]) {
  for (const std::string_view name : known) {
    if (name == value) return;
  }
  throw UsageError("unknown value \"" + std::string(value) + "\"; " + known_names_hint(value, known));
}

}  // namespace gat::app
