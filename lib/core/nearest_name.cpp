#include "gat/core/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace gat::inline GAT_PRECISION {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment: Levenshtein's table with one more case for two swapped characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
  }
  return current[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t fewest = 0;
  for (const std::string_view candidate : known) {
    const std::size_t edits = edit_distance(name, candidate);
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (edits > std::max<std::size_t>(2, longer / 3) || edits >= name.size()) continue;
    if (nearest.empty() || edits < fewest) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return std::string(nearest);
}

std::string known_names_hint(std::string_view name, std::span<const std::string_view> known) {
  std::string hint;
  if (const std::string nearest = nearest_name(name, known); !nearest.empty()) {
    hint = "did you mean \"" + nearest + "\"? Known: ";
  } else {
    hint = "known: ";
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) hint += ", ";
    hint += known[i];
  }
  return hint;
}

}  // namespace gat::inline GAT_PRECISION
