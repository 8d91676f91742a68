#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/report.hpp"
#include "gat/core/error.hpp"
#include "gat/io/file.hpp"

namespace gat::app {

namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw InputError(place, what + "; expected the output of gat bench --json");
}

TimedCase case_of(const Json& json, const std::string& place) {
  try {
    TimedCase result{json.value("suite", ""), json.at("name").get<std::string>(),
                     json.at("threads").get<int>(), json.at("seconds_median").get<double>(),
                     json.value("ratio_median", 0.0)};
    if (!(result.seconds > 0)) refuse(place, "the time of \"" + result.name + "\" is not above 0");
    return result;
  } catch (const Json::exception&) {
    refuse(place, "a case without name, threads or seconds_median");
  }
}

}  // namespace

std::vector<TimedCase> cases_of(const Json& document, const std::string& place) {
  if (!document.is_object()) refuse(place, "this is not a JSON object");
  std::vector<TimedCase> cases;
  for (const char* key : {"cases", "steps"}) {
    const auto list = document.find(key);
    if (list == document.end()) continue;
    if (!list->is_array()) refuse(place, "\"" + std::string(key) + "\" is not a list");
    for (const Json& json : *list) cases.push_back(case_of(json, place));
  }
  if (cases.empty()) refuse(place, "there are neither cases nor steps");
  return cases;
}

std::vector<TimedCase> read_cases(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse(path.string() + ": byte " + std::to_string(error.byte), "this is not JSON");
  }
  return cases_of(document, path.string());
}

Json comparison_json(const std::vector<TimedCase>& old_cases, const std::vector<TimedCase>& new_cases) {
  Json rows = Json::array();
  for (const TimedCase& now : new_cases) {
    const auto before = std::find_if(old_cases.begin(), old_cases.end(), [&](const TimedCase& c) {
      return c.suite == now.suite && c.name == now.name && c.threads == now.threads;
    });
    if (before == old_cases.end()) continue;
    Json row{{"suite", now.suite},         {"name", now.name},
             {"threads", now.threads},     {"old_seconds", before->seconds},
             {"new_seconds", now.seconds}, {"old_over_new", before->seconds / now.seconds}};
    if (before->ratio > 0 && now.ratio > 0) {
      row["old_ratio"] = before->ratio;
      row["new_ratio"] = now.ratio;
      row["new_over_old_ratio"] = now.ratio / before->ratio;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string comparison_text(const Json& comparison) {
  if (comparison.empty()) return "comparison: no case is in both\n";
  std::string text =
      fmt::format("{:<54} {:>7} {:>10} {:>10} {:>8} {:>9}\n", "comparison (above 1 is faster now)", "threads",
                  "old", "new", "old/new", "by limit");
  for (const Json& row : comparison) {
    const std::string suite = row["suite"];
    const std::string name = row["name"];
    text += fmt::format("  {:<52} {:>7} {:>10} {:>10} {:>8.3f}", suite.empty() ? name : suite + ": " + name,
                        row["threads"].get<int>(), time_text(row["old_seconds"]),
                        time_text(row["new_seconds"]), row["old_over_new"].get<double>());
    text += row.contains("new_over_old_ratio")
                ? fmt::format(" {:>9.3f}\n", row["new_over_old_ratio"].get<double>())
                : "\n";
  }
  return text;
}

}  // namespace gat::app
