/// Tables of names for enumerations: one table gives both directions and the message for a bad name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"

namespace gat::inline GAT_PRECISION {

template <class Value, std::size_t N>
using NamedValues = std::array<std::pair<Value, std::string_view>, N>;

template <class Value, std::size_t N>
std::string_view name_in(const NamedValues<Value, N>& table, Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  throw UsageError("a value outside its enumeration");
}

/// \param what  the kind of thing for the message, for example "stopping rule"
template <class Value, std::size_t N>
Value value_in(const NamedValues<Value, N>& table, std::string_view name, const std::string& what) {
  std::array<std::string_view, N> known;
  for (std::size_t i = 0; i < N; ++i) {
    known[i] = table[i].second;
    if (known[i] == name) return table[i].first;
  }
  throw UsageError("unknown " + what + " \"" + std::string(name) + "\"; " + known_names_hint(name, known));
}

}  // namespace gat::inline GAT_PRECISION
