/// Layers described in plain values, as model files and options spell them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

/// A layer's kind and its options by name; what is absent has its default.
struct LayerDescription {
  std::string kind = "gat";
  std::map<std::string, OptionValue, std::less<>> options;

  bool operator==(const LayerDescription&) const = default;
};

/// Reads the options of one description and finds out which were not asked for.
class OptionReader {
 public:
  explicit OptionReader(const LayerDescription& description) : description_(description) {}

  /// Each overwrites `value` when the option is there.
  /// \throws UsageError naming the option when its type is wrong
  void read(std::string_view name, bool& value);
  void read(std::string_view name, std::int64_t& value);
  void read(std::string_view name, int& value);
  void read(std::string_view name, double& value);
  void read(std::string_view name, std::string& value);
  /// \throws UsageError for an option that nobody read, with the nearest known one
  void finish() const;

 private:
  const OptionValue* find(std::string_view name);
  [[noreturn]] void refuse(std::string_view name, const char* expected) const;

  const LayerDescription& description_;
  std::map<std::string, bool, std::less<>> known_;
};

}  // namespace gat::inline GAT_PRECISION
