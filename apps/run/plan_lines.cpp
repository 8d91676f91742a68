// The lines before training that state every setting.
#include <fmt/format.h>

#include "gat/data/statistics.hpp"
#include "options/option_value.hpp"
#include "output/counted.hpp"
#include "run/network_plan.hpp"
#include "run/plan.hpp"
#include "system/environment.hpp"

namespace gat::app {

namespace {

std::string data_line(const Plan& plan) {
  const Dataset& d = plan.dataset;
  const std::string origin = d.format == d.source ? d.source : d.format + ", " + d.source;
  std::string line = fmt::format(
      "data: {} ({}), {}, {} as stored, {} ({})", d.name, origin, counted(d.num_nodes(), "node"),
      counted(d.graph_data.graph.num_user_edges(), "edge"), counted(d.graph_data.num_features(), "feature"),
      d.graph_data.features.is_sparse ? "sparse" : "dense");
  if (d.graph_data.has_edge_features())
    line += ", " + counted(d.graph_data.edge_features.cols(), "edge feature");
  line += ", " + (plan.multi_label() ? counted(d.num_classes, "label") + ", several per node"
                                     : counted(d.num_classes, "class", "classes"));
  if (const Index missing = num_unlabelled(d); missing > 0)
    line += ", " + counted(missing, "node") + " without label";
  return line + ", fingerprint " + plan.fingerprint;
}

std::string graph_line(const Plan& plan) {
  const BuildReport& report = plan.graph.report();
  std::string line = "graph: " + counted(report.num_edges, "edge");
  for (const std::string& fact : report.lines(plan.description.graph_policy)) line += "; " + fact;
  return line;
}

// "model: layers=2 hidden=8 …", one line per table of the configuration.
std::vector<std::string> setting_lines(const Settings& settings) {
  std::vector<std::string> lines;
  std::string_view section;
  for (const Option& option : option_table()) {
    if (!option.in_files()) continue;
    if (option.section != section) {
      section = option.section;
      lines.push_back("settings." + std::string(section) + ":");
    }
    const std::string text = text_of(settings, option);
    if (!text.empty()) lines.back() += " " + std::string(option.key) + "=" + text;
  }
  return lines;
}

}  // namespace

std::string split_name(const Dataset& dataset, const SplitOptions& options) {
  const bool is_public = options.kind == SplitOptions::Kind::stored && dataset.split_kind == "public";
  return is_public ? "public (" + describe(options) + ")" : describe(options);
}

std::string split_line(const Dataset& dataset, const Split& split) {
  std::string classes;
  for (const Index count : class_counts(dataset, split.train))
    classes += (classes.empty() ? "" : " ") + std::to_string(count);
  return fmt::format("train {} (by class: {}), validation {}, test {}", split.train.size(), classes,
                     split.validation.size(), split.test.size());
}

std::vector<std::string> plan_lines(const Plan& plan) {
  std::vector<std::string> lines;
  lines.push_back(data_line(plan));
  for (const std::string& note : plan.dataset.notes) lines.push_back("note: " + note);
  lines.push_back(graph_line(plan));
  const auto seed = static_cast<std::uint64_t>(plan.seeds.front());
  const bool redrawn = plan.split.drawn(plan.dataset) && plan.seeds.size() > 1;
  lines.push_back("split: " + split_name(plan.dataset, plan.split) + ", " +
                  split_line(plan.dataset, make_split(plan.dataset, plan.split, seed)) +
                  (redrawn ? fmt::format(", seed {}; redrawn for each seed", seed) : ""));
  if (const auto& positions = plan.description.positions; !positions.empty()) {
    lines.push_back("positions: " + describe(positions) + ", " +
                    counted(position_width(positions), "column") + " behind the features");
  }
  const Network network(plan.description.network);
  for (const std::string& line : network_lines(network)) lines.push_back(line);
  lines.push_back(fmt::format("{} parameters; training needs about {} besides the data",
                              network.make_weights().num_parameters(), memory_text(training_memory(plan))));
  for (std::string& line : setting_lines(plan.settings)) lines.push_back(std::move(line));
  lines.push_back(
      fmt::format("seed: {}; threads: {}; instructions: {}",
                  plan.settings.seeds.empty() ? std::to_string(plan.settings.seed) : plan.settings.seeds,
                  plan.execution.num_threads, name_of(plan.execution.simd)));
  if (plan.execution.rows != RowPrecision::full)
    lines.back() += fmt::format("; gathered rows: {}", name_of(plan.execution.rows));
  for (const std::string& remark : plan.remarks) lines.push_back("note: " + remark);
  return lines;
}

}  // namespace gat::app
