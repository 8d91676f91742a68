#include "options/position_choice.hpp"

#include <string>

#include "options/option_checks.hpp"
#include "options/option_value.hpp"

namespace gat::app {

namespace {

constexpr std::string_view kLearned = "learned";
constexpr std::int64_t kMostColumns = 100000;

// "learned" or "learned:WIDTH".
LearnedPositionsOptions parse_learned(std::string_view text) {
  LearnedPositionsOptions learned;
  if (text == kLearned) return learned;
  learned.join = PositionJoin::concat;
  learned.width = parse_integer(text.substr(kLearned.size() + 1));
  within(learned.width, 1, kMostColumns);
  return learned;
}

void check_name(std::string_view name) {
  std::vector<std::string_view> names = position_kind_names();
  for (const std::string_view known : names) {
    if (known == name) return;
  }
  names.push_back(kLearned);
  throw UsageError("unknown position encoding \"" + std::string(name) + "\"; " +
                   known_names_hint(name, names));
}

}  // namespace

PositionChoice parse_positions(std::string_view text) {
  PositionChoice choice;
  std::string computed;
  if (text.empty()) return choice;
  for (const std::string& part : cut(text, ',')) {
    if (part.empty()) throw UsageError("a position encoding is missing beside a comma");
    const std::string name = part.substr(0, part.find(':'));
    if (name != kLearned) {
      check_name(name);
      computed += (computed.empty() ? "" : ",") + part;
      continue;
    }
    if (choice.learned) throw UsageError("learned positions are named twice; leave one");
    choice.learned = parse_learned(part);
  }
  choice.encodings = parse_position_encodings(computed);
  return choice;
}

}  // namespace gat::app
