#include "verbs/verb_table.hpp"

#include <algorithm>
#include <string>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

using S = Settings;

const Argument kModelArgument{"RUN|MODEL", &S::model};
const Argument kDataArgument{"DATA", &S::data};
const Argument kNodesArgument{"NODES|-", &S::nodes, false};

}  // namespace

bool Call::is_given(std::string_view path) const {
  return std::find(given.begin(), given.end(), find_option(path)) != given.end();
}

std::span<const Verb> verbs() {
  // clang-format off
  static const std::vector<Verb> table{
      {"train", kTrain, "train a network on a data set and save it in a run folder",
       {{"DATA", &S::data, false}},
       {"gat train karate",
        "gat train cora --recipe gat-cora --seeds 0-9",
        "gat train my-folder --heads 4 --hidden 16 --split random:20/500/1000"},
       run_train},
      {"evaluate", kEvaluate, "score a trained model: loss, accuracy, F1, confusion matrix",
       {kModelArgument, kDataArgument},
       {"gat evaluate runs/cora-gat-001 cora",
        "gat evaluate model.safetensors my-folder --split labels.csv --json",
        "gat evaluate runs/cora-gat-001 cora --fail-under accuracy=0.82"},
       run_evaluate},
      {"predict", kPredict,
       "class probabilities of all nodes, or of those named in a file, a list or on standard input",
       {kModelArgument, kDataArgument, kNodesArgument},
       {"gat predict runs/cora-gat-001 cora -o predictions.csv",
        "gat predict runs/cora-gat-001 cora 17,42 --top 3",
        "echo 17 | gat predict runs/cora-gat-001 cora - --format jsonl"},
       run_predict},
      {"attention", kAttention, "attention coefficients of all edges, or of the edges into chosen nodes",
       {kModelArgument, kDataArgument, kNodesArgument},
       {"gat attention runs/karate-gat-001 karate",
        "gat attention runs/cora-gat-001 cora 17 --layer 0",
        "gat attention runs/cora-gat-001 cora -o attention.csv"},
       run_attention},
      {"embed", kEmbed, "the rows of a hidden layer",
       {kModelArgument, kDataArgument},
       {"gat embed runs/karate-gat-001 karate",
        "gat embed runs/cora-gat-001 cora --layer 0 -o hidden.csv",
        "gat embed runs/cora-gat-001 cora --format jsonl"},
       run_embed},
      {"info", kInfo, "what data sets, models and run folders hold, and the memory that training needs",
       {{"FILE...", &S::files}},
       {"gat info karate", "gat info my-folder --json", "gat info runs/cora-gat-001 cora"},
       run_info},
      {"bench", kBench, "time kernels and training steps beside what this machine can do, or a network on your data",
       {{"DATA", &S::data, false}},
       {"gat bench --suite cora --threads 2",
        "gat bench --json > before.json",
        "gat bench my-folder --heads 4 --hidden 16 --compare before.json"},
       run_bench},
      {"recipe", kRecipe, "list the built-in recipes, or show one",
       {{"list|show", &S::action}, {"NAME", &S::name, false}},
       {"gat recipe list", "gat recipe show gat-cora", "gat recipe show gat-cora > mine.toml"},
       run_recipe},
      {"version", kVersion, "version, compiler, precision, threads and instructions",
       {},
       {"gat version", "gat version --json", "gat --version"},
       run_version}};
  // clang-format on
  return table;
}

const Verb& verb_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw UsageError("there is no verb \"" + std::string(name) + "\"; " + known_names_hint(name, names));
}

}  // namespace gat::app
