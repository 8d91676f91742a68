/// Compares a run of `gat bench` with an earlier one's JSON document.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/json.hpp"

namespace gat::app {

/// A case of a document, and what was reached.
struct TimedCase {
  std::string suite, name;
  int threads = 1;
  double seconds = 0;  ///< median
  double ratio = 0;    ///< median of limit / seconds; 0 = no limit
};

/// The cases of a document of suites or of a data set.
/// \param place  of the document, for messages. \throws InputError for anything that `gat bench` did not
/// write
std::vector<TimedCase> cases_of(const Json& document, const std::string& place);
/// \throws FileError, InputError
std::vector<TimedCase> read_cases(const std::filesystem::path& path);

/// [{"suite", "name", "threads", "old_seconds", "new_seconds", "old_over_new", and, where both have a limit,
/// "old_ratio", "new_ratio", "new_over_old_ratio"}] for cases that both have; above 1 is faster now.
Json comparison_json(const std::vector<TimedCase>& old_cases, const std::vector<TimedCase>& new_cases);
std::string comparison_text(const Json& comparison);

}  // namespace gat::app
