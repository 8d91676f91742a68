#include "options/option_table.hpp"

#include "bench/suites.hpp"
#include "gat/core/error.hpp"
#include "gat/core/execution.hpp"
#include "gat/data/load.hpp"
#include "gat/data/split.hpp"
#include "gat/graph/graph_builder.hpp"
#include "gat/graph/reorder.hpp"
#include "gat/kernels/activation.hpp"
#include "gat/nn/input_transform.hpp"
#include "gat/nn/layers/gat.hpp"
#include "gat/train/trainer.hpp"
#include "options/block_choice.hpp"
#include "options/class_weights.hpp"
#include "options/option_checks.hpp"
#include "options/position_choice.hpp"
#include "system/threads.hpp"

namespace gat::app {

namespace {

using S = Settings;

// Verbs that train a network.
constexpr unsigned kTraining = kTrain | kBench;
constexpr unsigned kOnData = kTraining | kEvaluate | kPredict | kAttention | kEmbed | kInfo;
constexpr unsigned kOnModel = kEvaluate | kPredict | kAttention | kEmbed;
constexpr std::int64_t kMostEpochs = 1000000000;
constexpr std::int64_t kMostRounds = 100000;
constexpr std::int64_t kMostLayers = 1000;
constexpr std::int64_t kMostWidth = 100000;
constexpr unsigned kRows = kPredict | kAttention | kEmbed;

void check_direction(S& s) { one_of(s.direction, {"auto", "as-given", "symmetrize"}); }
void check_block(S& s) {
  if (s.block != "auto") block_named(s.block);
}
void check_norm(S& s) {
  if (s.norm != "auto") norm_kind_named(s.norm);
}
void check_edge_use(S& s) {
  if (s.edge_use != "auto") edge_use_named(s.edge_use);
}
void check_loop_fill(S& s) { loop_fill_named(s.loop_fill); }
void check_format(S& s) {
  if (s.data_format.empty()) return;
  for (const std::string_view name : format_names()) {
    if (name == s.data_format) return;
  }
  throw UsageError("there is no format \"" + s.data_format + "\"; " +
                   known_names_hint(s.data_format, format_names()));
}
void check_simd(S& s) {
  one_of(s.simd, {"auto", "baseline", "avx2", "avx512"});
  // A level that this machine or build has not is refused too.
  if (s.simd != "auto") simd_level_named(s.simd);
}
// One seed and a list of seeds exclude each other; the later one counts.
void check_seed(S& s) {
  at_least(s.seed, 0);
  s.seeds.clear();
}
void check_seeds(S& s) {
  if (!s.seeds.empty()) parse_ranges(s.seeds);
}

// Names, section, key, member, value, help, verbs, common, check, known names.
// clang-format off
constexpr Option kTable[] = {
    {"--recipe", "", "", &S::recipe, "NAME",
     "start from a recipe: gat-cora, gat-citeseer, gat-pubmed, gatv2-cora, transformer-cora, gat-sep-minesweeper, gat-sep-tolokers",
     kTraining, true, nullptr},
    {"-c,--config", "", "", &S::config_files, "FILE",
     "read settings from a TOML file; may be repeated, later files win",
     kTraining, true, nullptr},
    {"--set", "", "", &S::assignments, "KEY=VALUE",
     "set one key of the configuration, for example model.heads=4",
     kTraining, false, nullptr},

    {"--split", "data", "split", &S::split, "SPLIT",
     "who trains, validates and is tested: auto, public, stored:K, random:20/500/1000, fraction:0.6/0.2/0.2 or a file",
     kTraining | kEvaluate | kInfo, true, [](S& s) { parse_split(s.split); }},
    {"--format", "data", "format", &S::data_format, "NAME",
     "format of the data; empty = from its content",
     kTraining | kEvaluate | kInfo, false, check_format},
    {"--data-format", "", "", &S::data_format, "NAME",
     "format of the data; empty = from its content",
     kRows, false, check_format},
    {"--data-dir", "data", "dir", &S::data_dir, "DIR",
     "folder of named data sets, before GAT_DATA_DIR, ~/.cache/gat/datasets and ./datasets",
     kOnData, false, nullptr},
    {"--data-seed", "data", "seed", &S::data_seed, "N",
     "seed of generated data sets",
     kOnData, false, [](S& s) { at_least(s.data_seed, 0); }},

    {"--direction", "graph", "direction", &S::direction, "RULE",
     "which way edges go: auto (as suits the data), as-given, symmetrize",
     kTraining | kInfo, false, check_direction},
    {"--self-loops", "graph", "self_loops", &S::self_loops, "RULE",
     "as-given, remove, add-missing, replace, only-isolated",
     kTraining | kInfo, false, [](S& s) { self_loops_named(s.self_loops); }},
    {"--duplicates", "graph", "duplicates", &S::duplicates, "RULE",
     "repeated edges: merge, keep",
     kTraining | kInfo, false, [](S& s) { duplicates_named(s.duplicates); }},
    {"--loop-fill", "graph", "loop_fill", &S::loop_fill, "RULE",
     "edge features of added self-loops: mean, sum, min, max, product, constant",
     kTraining, false, check_loop_fill},
    {"--loop-fill-constant", "graph", "loop_fill_constant", &S::loop_fill_constant, "X",
     "the number of --loop-fill constant, and where other rules have nothing: nodes without edges",
     kTraining, false, nullptr},
    {"--edge-features", "graph", "edge_features", &S::edge_features, "RULE",
     "use or ignore the edge features of the data",
     kTraining | kInfo, false, [](S& s) { one_of(s.edge_features, {"use", "ignore"}); }},

    {"--block", "model", "block", &S::block, "NAME",
     "auto (gat, or attention where another option needs it); layers one after the other: gat, attention (any score), transformer-conv (root weight); blocks between two linear maps: pre-norm and post-norm (Transformers), residual, gat-sep, classic, gps (local plus global)",
     kTraining | kInfo, true, check_block},
    {"--score", "model", "score", &S::score, "NAME",
     "of attention: auto (gat; scaled_dot in Transformers)",
     kTraining | kInfo, true, [](S& s) { check_score(s.score); }, score_names},
    {"--layers", "model", "layers", &S::layers, "N",
     "number of layers, the output layer included; of blocks, without the two linear maps",
     kTraining | kInfo, true, [](S& s) { within(s.layers, 1, kMostLayers); }},
    {"--hidden", "model", "hidden", &S::hidden, "N",
     "width of each head of the hidden layers; one number, or one per hidden layer; of blocks: their width, shared by the heads",
     kTraining | kInfo, true, [](S& s) { all_within(s.hidden, 1, kMostWidth); }},
    {"--heads", "model", "heads", &S::heads, "N",
     "attention heads of the hidden layers, side by side; one number, one per hidden layer, or one per layer (8,1)",
     kTraining | kInfo, true, [](S& s) { all_within(s.heads, 1, kMostWidth); }},
    {"--output-heads", "model", "output_heads", &S::output_heads, "N",
     "heads of the output layer, averaged",
     kTraining | kInfo, false, [](S& s) { within(s.output_heads, 1, kMostWidth); }},
    {"--activation", "model", "activation", &S::activation, "NAME",
     "of hidden layers: identity, relu, leaky-relu, elu, gelu, gelu-tanh, sigmoid, tanh",
     kTraining | kInfo, false, [](S& s) { activation_named(s.activation); }},
    {"--activation-parameter", "model", "activation_parameter", &S::activation_parameter, "X",
     "alpha of elu, slope of leaky-relu",
     kTraining, false, nullptr},
    {"--residual", "model", "residual", &S::residual, "RULE",
     "none, identity (layers of equal widths), learned (every layer), auto (identity where widths agree, else learned)",
     kTraining | kInfo, false, [](S& s) { parse_residual(s.residual); }},
    {"--gate", "model", "gate", &S::gate, "",
     "mix heads and residual by a learned gate (TransformerConv's beta)",
     kTraining | kInfo, false, nullptr},
    {"--norm", "model", "norm", &S::norm, "NAME",
     "of blocks: none, layer (each node), graph-layer (all nodes at once), batch (each column), auto (layer; batch in gps)",
     kTraining | kInfo, false, check_norm},
    {"--jumping", "model", "jumping", &S::jumping, "NAME",
     "what the output of blocks reads: none (the last block), concat, max, sum, lstm (attention by an LSTM) of all blocks",
     kTraining | kInfo, false, [](S& s) { jumping_knowledge_named(s.jumping); }},
    {"--feed-forward", "model", "feed_forward", &S::feed_forward, "X",
     "width within the feed-forward part of blocks, in widths of the block; 0 = 4 in Transformers, 2 in gps, else 1",
     kTraining | kInfo, false, [](S& s) { not_negative(s.feed_forward); }},
    {"--share-weights", "model", "share_weights", &S::share_weights, "",
     "one projection for both ends of an edge (GATv2's share_weights)",
     kTraining | kInfo, false, nullptr},
    {"--edge-use", "model", "edge_use", &S::edge_use, "NAME",
     "what edge features do: score, values, both, both-shared (one weight), ignored; one column of weights: log-prior (inside the softmax), multiplied (after it); auto = score where it can, both-shared in transformer-conv",
     kTraining | kInfo, false, check_edge_use},
    {"--select", "model", "select", &S::select, "RULE",
     "edges that take part, per node and head: all, top:K, argmax, sampled (one drawn in training, the likeliest else)",
     kTraining | kInfo, false, [](S& s) { parse_selection(s.select); }},
    {"--sample-gradient", "model", "sample_gradient", &S::sample_gradient, "NAME",
     "how scores learn from drawn edges: straight-through, score-function",
     kTraining, false, [](S& s) { sample_gradient_named(s.sample_gradient); }},
    {"--window", "model", "window", &S::window, "RULE",
     "a Gaussian over node numbers, sigma = W/2: none, monotonic:W (around the node itself), predictive:W (around a learned place); with ,multiplied behind, it is a factor after the softmax and sums stay below 1; with ,cut only edges within W take part",
     kTraining | kInfo, false, [](S& s) { parse_window(s.window); }},
    {"--edge-loss", "model", "edge_loss", &S::edge_loss, "WEIGHT",
     "of SuperGAT's edge loss, added to the training loss by each layer: pairs of nodes told apart by whether an edge joins them; 0 = none",
     kTraining | kInfo, false, [](S& s) { not_negative(s.edge_loss); }},
    {"--negative-slope", "model", "negative_slope", &S::negative_slope, "X",
     "of the LeakyReLU in the attention score, in [0, 1]",
     kTraining, false, [](S& s) { up_to_one(s.negative_slope); }},
    {"--score-bias", "model", "score_bias", &S::score_bias, "",
     "two biases per head in the attention score, as in the original code",
     kTraining | kInfo, false, nullptr},
    {"--initial", "model", "initial", &S::initial, "SCHEME",
     "initial weights of original, pyg, dgl or fan-in",
     kTraining, false, [](S& s) { initial_scheme_named(s.initial); }},
    {"--input-transform", "model", "input_transform", &S::input_transform, "RULE",
     "of node features: row-normalize, none",
     kTraining, false, [](S& s) { input_transform_named(s.input_transform); }},
    {"--positions", "model", "positions", &S::positions, "NAME:WIDTH",
     "columns behind the features that tell where a node is: laplacian, random_walk, sinusoidal, sinusoidal_concatenated, learned; several as laplacian:8,random_walk:16; learned without a width is added to the features, or in blocks to what the first one reads",
     kTraining | kInfo, true, [](S& s) { parse_positions(s.positions); }},
    {"--feature-dropout", "model", "feature_dropout", &S::feature_dropout, "P",
     "drop probability of each layer's input; of blocks: of what each part adds",
     kTraining, true, [](S& s) { below_one(s.feature_dropout); }},
    {"--attention-dropout", "model", "attention_dropout", &S::attention_dropout, "P",
     "drop probability of attention coefficients",
     kTraining, true, [](S& s) { below_one(s.attention_dropout); }},
    {"--value-dropout", "model", "value_dropout", &S::value_dropout, "P",
     "drop probability of projected features (the original code's second dropout)",
     kTraining, false, [](S& s) { below_one(s.value_dropout); }},
    {"--dropout-per-head", "model", "dropout_per_head", &S::dropout_per_head, "",
     "each head drops inputs of its own, as in the original code",
     kTraining, false, nullptr},

    {"--loss", "loss", "kind", &S::loss, "NAME",
     "auto (from the labels), softmax, sigmoid",
     kTraining, false, [](S& s) { loss_kind_named(s.loss); }},
    {"--class-weights", "loss", "class_weights", &S::class_weights, "W",
     "none, balanced (by the training nodes), or one number per class: 1,2,0.5",
     kTraining, false, [](S& s) { check_class_weights(s.class_weights, true); }},
    {"--positive-weights", "loss", "positive_weights", &S::positive_weights, "W",
     "of several labels per node: none, or one number per label",
     kTraining, false, [](S& s) { check_class_weights(s.positive_weights, false); }},
    {"--label-smoothing", "loss", "label_smoothing", &S::label_smoothing, "X",
     "share of the target spread over all classes, in [0, 1)",
     kTraining, false, [](S& s) { below_one(s.label_smoothing); }},

    {"--epochs", "training", "epochs", &S::epochs, "N",
     "at most this many epochs",
     kTrain, true, [](S& s) { within(s.epochs, 1, kMostEpochs); }},
    {"--patience", "training", "patience", &S::patience, "N",
     "stop after this many epochs without progress",
     kTrain, true, [](S& s) { within(s.patience, 1, kMostEpochs); }},
    {"--stop", "training", "stop", &S::stop, "RULE",
     "progress is validation accuracy or loss (paper), accuracy, loss, roc_auc (two classes); none runs all epochs and keeps the last",
     kTrain, true, [](S& s) { stop_rule_named(s.stop); }},
    {"--learning-rate", "training", "learning_rate", &S::learning_rate, "X",
     "step size of Adam",
     kTraining, true, [](S& s) { positive(s.learning_rate); }},
    {"--l2", "training", "l2", &S::l2, "X",
     "weight decay in the gradient",
     kTraining, true, [](S& s) { not_negative(s.l2); }},
    {"--decoupled-decay", "training", "decoupled_decay", &S::decoupled_decay, "X",
     "weight decay beside the gradient (AdamW)",
     kTraining, false, [](S& s) { not_negative(s.decoupled_decay); }},
    {"--decay-biases", "training", "decay_biases", &S::decay_biases, "",
     "both decays act on biases too",
     kTraining, false, nullptr},
    {"--beta1", "training", "beta1", &S::beta1, "X",
     "Adam's memory of gradients",
     kTraining, false, [](S& s) { below_one(s.beta1); }},
    {"--beta2", "training", "beta2", &S::beta2, "X",
     "Adam's memory of squared gradients",
     kTraining, false, [](S& s) { below_one(s.beta2); }},
    {"--epsilon", "training", "epsilon", &S::epsilon, "X",
     "Adam's guard against division by zero",
     kTraining, false, [](S& s) { not_negative(s.epsilon); }},
    {"--epsilon-variant", "training", "epsilon_variant", &S::epsilon_variant, "NAME",
     "corrected (PyTorch), uncorrected (TensorFlow)",
     kTraining, false, [](S& s) { epsilon_variant_named(s.epsilon_variant); }},
    {"--seed", "training", "seed", &S::seed, "N",
     "of initial weights, dropout and drawn splits",
     kTraining, true, check_seed},
    {"--seeds", "training", "seeds", &S::seeds, "LIST",
     "one run per seed, for example 0-9 or 0,2,5-7",
     kTrain, true, check_seeds},
    {"-t,--threads", "training", "threads", &S::threads, "N",
     "at most 1024; 0 = as many as the process may use",
     kTraining | kOnModel, true, [](S& s) { within(s.threads, 0, kMostThreads); }},
    {"--simd", "training", "simd", &S::simd, "LEVEL",
     "instructions of the kernels: auto (the best that this machine has), baseline, avx2, avx512",
     kTraining | kOnModel, false, check_simd},
    {"--precision", "training", "precision", &S::precision, "NAME",
     "how rows that edges gather are stored: float, bf16 (rounded, half the bytes; layers of kind gat alone); arithmetic and weights stay float",
     kTraining | kOnModel, false, [](S& s) { row_precision_named(s.precision); }},
    {"--prune", "training", "prune", &S::prune, "",
     "compute only the rows that the loss can reach, unless that is most of the graph; same results up to the order of sums",
     kTrain, false, nullptr},
    {"--reorder", "training", "reorder", &S::reorder, "RULE",
     "order of the rows in memory when the whole graph is computed: auto (by clusters where that pays), off; same results up to the order of sums",
     kTrain, false, [](S& s) { reorder_named(s.reorder); }},

    {"--out", "", "", &S::out, "DIR",
     "run folder; empty = runs/DATA-gat-NNN",
     kTrain, true, nullptr},
    {"--force", "", "", &S::force, "",
     "replace an existing run folder once the new run is saved",
     kTrain, false, nullptr},
    {"--dry-run", "", "", &S::dry_run, "",
     "print layers, parameters and memory, and train nothing",
     kTrain, false, nullptr},
    {"--profile", "", "", &S::profile, "",
     "measure where the time goes: forward and backward of each layer, loss, update, validation; and the peak of memory",
     kTrain, false, nullptr},

    {"--part", "", "", &S::part, "PART",
     "nodes of the detailed report: test, validation, train, all",
     kEvaluate, true, [](S& s) { one_of(s.part, {"test", "validation", "train", "all"}); }},
    {"--fail-under", "", "", &S::fail_under, "NAME=X",
     "exit with 7 when accuracy, micro_f1, macro_f1 or roc_auc is below X; may be repeated",
     kEvaluate, true, nullptr},
    {"--format", "", "", &S::output_format, "NAME",
     "of the rows: csv, tsv, jsonl",
     kRows, true, [](S& s) { one_of(s.output_format, {"csv", "tsv", "jsonl"}); }},
    {"-o,--output", "", "", &S::output_file, "FILE",
     "where rows go; - is standard output",
     kRows, true, nullptr},
    {"--top", "", "", &S::top, "K",
     "the K most probable classes instead of all; 0 = all",
     kPredict, true, [](S& s) { at_least(s.top, 0); }},
    {"--layer", "", "", &S::layer, "N",
     "number of the layer, from 0; -1 = every layer (attention), last hidden layer (embed)",
     kAttention | kEmbed, true, [](S& s) { at_least(s.layer, -1); }},

    {"--suite", "", "", &S::suite, "LIST",
     "without DATA: kernels, cora, arxiv, large, scaling, scores, shapes, separated by commas; standard are the first four, all is all",
     kBench, true, [](S& s) { suites_named(s.suite); }},
    {"--rounds", "", "", &S::rounds, "N",
     "interleaved rounds, of which medians are taken",
     kBench, true, [](S& s) { within(s.rounds, 1, kMostRounds); }},
    {"--compare", "", "", &S::compare, "FILE",
     "an earlier output of gat bench --json; prints old time / new time per case",
     kBench, true, nullptr},

    {"--json", "", "", &S::json, "",
     "print one JSON document on standard output",
     kEveryVerb, true, nullptr},
    {"-q,--quiet", "", "", &S::quiet, "",
     "no progress and no notes on standard error",
     kEveryVerb, false, nullptr},
    {"--progress", "", "", &S::progress, "HOW",
     "auto (a moving line on a terminal), bar, plain, none",
     kTrain, false, [](S& s) { one_of(s.progress, {"auto", "bar", "plain", "none"}); }},
    {"--color", "", "", &S::color, "WHEN",
     "auto, always, never; NO_COLOR and TERM=dumb are honoured",
     kEveryVerb, false, [](S& s) { one_of(s.color, {"auto", "always", "never"}); }},
};
// clang-format on

}  // namespace

std::string_view Option::long_name() const { return names.substr(names.find("--")); }

std::string Option::path() const { return std::string(section) + "." + std::string(key); }

std::span<const Option> option_table() { return kTable; }

const Option* find_option(std::string_view section, std::string_view key) {
  for (const Option& option : kTable) {
    if (option.in_files() && option.section == section && option.key == key) return &option;
  }
  return nullptr;
}

const Option* find_option(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? nullptr : find_option(path.substr(0, dot), path.substr(dot + 1));
}

}  // namespace gat::app
