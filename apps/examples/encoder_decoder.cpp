// An encoder and a decoder that reverse sequences of symbols. Each step of the decoder asks the encoder
// through one call of an attention layer on a bipartite graph: with the score of Bahdanau et al. 2015
// (`tanh`) or one of Luong et al. 2015 (`bilinear`, their general, and `dot`), soft, or hard: one position,
// drawn in training with a straight-through gradient and the likeliest afterwards. Keys are the states of the
// encoder, values the symbols it read, and what attention returns is all that the answer is made of, so only
// the right position gives the right symbol. Were the states the values too, the state after a symbol, which
// still holds it, would serve as well.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "examples/tanh_cell.hpp"
#include "gat/graph/csr_graph.hpp"
#include "gat/kernels/loss.hpp"
#include "gat/nn/layers/attention.hpp"

namespace {

constexpr gat::Index kLength = 8, kSymbols = 8, kBatch = 32, kHidden = 32;
constexpr int kTestBatches = 16;

// Sequences whose symbols add up to a multiple of five are kept for the test.
std::vector<gat::NodeId> draw_sequence(gat::RandomStream random, bool for_test) {
  std::vector<gat::NodeId> symbols(static_cast<std::size_t>(kLength));
  for (std::uint64_t index = 0;;) {
    for (gat::NodeId& symbol : symbols) symbol = static_cast<gat::NodeId>(random.below(index++, kSymbols));
    if ((std::accumulate(symbols.begin(), symbols.end(), 0) % 5 == 0) == for_test) return symbols;
  }
}

// Destination b, a decoder, hears the kLength states of sequence b; edge ids are b · kLength + position.
gat::CsrGraph make_graph() {
  std::vector<gat::EdgeId> row_offsets{0};
  std::vector<gat::NodeId> sources;
  for (gat::Index b = 0; b < kBatch; ++b) {
    for (gat::Index t = 0; t < kLength; ++t) sources.push_back(static_cast<gat::NodeId>(t * kBatch + b));
    row_offsets.push_back(static_cast<gat::EdgeId>(sources.size()));
  }
  return gat::CsrGraph::from_csr(row_offsets, sources, kLength * kBatch, true);
}

gat::AttentionLayerOptions make_options(const char* score, gat::Selection selection) {
  gat::AttentionLayerOptions options = gat::AttentionLayerOptions::for_score(score);
  options.in_features = options.destination_features = kHidden;
  options.value_features = kSymbols;
  options.num_heads = 1;
  options.key_dim = kHidden;
  options.head_dim = kSymbols;  // what comes back are the logits of the symbols
  options.value = gat::Projection::own;
  // Luong's scores have no maps of the states, `general` but for its matrix.
  if (options.score != "tanh") options.query = options.key = gat::Projection::none;
  options.selection = selection;
  return options;
}

struct Quality {
  double symbols = 0, alignments = 0;  // shares that are right
};

class Reverser {
 public:
  Reverser(const char* score, gat::Selection selection, const gat::AdamOptions& adam)
      : encoder_(kLength, kBatch, kSymbols, kHidden, adam, seed_.derive(0)),
        decoder_(kLength, kBatch, kSymbols, kHidden, adam, seed_.derive(1)),
        attention_(make_options(score, selection), adam, seed_.derive(2)),
        graph_(make_graph()),
        view_(graph_.view()),
        rows_(static_cast<std::size_t>(kBatch)),
        alphas_(graph_.num_edges(), 1) {
    std::iota(rows_.begin(), rows_.end(), 0);
    for (gat::Index t = 0; t < kLength; ++t) logits_.emplace_back(kBatch, kSymbols);
    tapes_.resize(static_cast<std::size_t>(kLength));
  }

  void train(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const gat::RandomStream random = seed_.derive(3).derive(static_cast<std::uint64_t>(round));
      draw(random, false);
      encode();
      for (gat::Index t = 0; t < kLength; ++t) {
        decode(t, t == 0 ? std::vector<gat::NodeId>() : truth(t - 1));
        attention_.layer.forward(training_context(t, random), question(t), logits_[at(t)]);
      }
      backward(random);
      encoder_.map().step();
      decoder_.map().step();
      attention_.step();
    }
  }

  /// Unseen sequences; the decoder reads what it wrote itself.
  Quality test() {
    Quality quality;
    for (int batch = 0; batch < kTestBatches; ++batch) {
      draw(seed_.derive(4).derive(static_cast<std::uint64_t>(batch)), true);
      encode();
      std::vector<gat::NodeId> written;
      for (gat::Index t = 0; t < kLength; ++t) {
        decode(t, written);
        written = answer(t);
        count(t, written, quality);
      }
    }
    const auto steps = static_cast<double>(kTestBatches * kBatch * kLength);
    return {quality.symbols / steps, quality.alignments / steps};
  }

  /// Of the first sequence of the last batch tested: a row per step of the decoder, its coefficients.
  void print_alignment() {
    for (gat::Index t = 0; t < kLength; ++t) {
      answer(t);
      for (gat::Index j = 0; j < kLength; ++j) std::printf("  %4.2f", static_cast<double>(alphas_(j, 0)));
      std::printf("\n");
    }
  }

 private:
  static std::size_t at(gat::Index t) { return static_cast<std::size_t>(t); }

  void draw(gat::RandomStream random, bool for_test) {
    sequences_.clear();
    for (std::uint64_t b = 0; b < kBatch; ++b)
      sequences_.push_back(draw_sequence(random.derive(b), for_test));
  }
  // The symbols that belong at step t of the decoder.
  std::vector<gat::NodeId> truth(gat::Index t) const {
    std::vector<gat::NodeId> symbols;
    for (const auto& sequence : sequences_) symbols.push_back(sequence[at(kLength - 1 - t)]);
    return symbols;
  }

  // A cell reads a symbol; none is zeros.
  static void write_input(gat::MatrixView input, const std::vector<gat::NodeId>& symbols) {
    input.fill(0);
    for (gat::Index b = 0; b < kBatch && !symbols.empty(); ++b) input(b, symbols[at(b)]) = 1;
  }
  void encode() {
    for (gat::Index t = 0; t < kLength; ++t) {
      write_input(encoder_.input(t), truth(kLength - 1 - t));
      encoder_.forward(t);
    }
  }
  void decode(gat::Index t, const std::vector<gat::NodeId>& previous) {
    write_input(decoder_.input(t), previous);
    decoder_.forward(t);
  }

  gat::LayerInput question(gat::Index t) {
    gat::LayerInput input;
    input.source = encoder_.states();
    input.values = encoder_.inputs();
    input.destination = gat::Destinations::own(decoder_.state(t));
    return input;
  }
  // `call` tells the steps of a round apart: each draws for itself.
  gat::Context training_context(gat::Index t, gat::RandomStream random) {
    return attention_.context(view_, &tapes_[at(t)], random, static_cast<int>(t));
  }
  // The likeliest symbols at step t; leaves the coefficients in alphas_.
  std::vector<gat::NodeId> answer(gat::Index t) {
    const gat::AttentionSink sink{.attention = alphas_};
    gat::Matrix& logits = logits_[at(t)];
    attention_.layer.forward(attention_.context(view_, nullptr, {}, static_cast<int>(t), &sink), question(t),
                             logits);
    std::vector<gat::NodeId> symbols;
    for (gat::Index b = 0; b < kBatch; ++b) {
      const gat::Real* row = logits.row(b);
      symbols.push_back(static_cast<gat::NodeId>(std::max_element(row, row + kSymbols) - row));
    }
    return symbols;
  }
  void count(gat::Index t, const std::vector<gat::NodeId>& symbols, Quality& quality) const {
    const std::vector<gat::NodeId> right = truth(t);
    for (gat::Index b = 0; b < kBatch; ++b) {
      const gat::Real* row = alphas_.row(b * kLength);
      quality.symbols += symbols[at(b)] == right[at(b)];
      quality.alignments += std::max_element(row, row + kLength) - row == kLength - 1 - t;
    }
  }

  // The decoder's steps from the last to the first, then the encoder's.
  void backward(gat::RandomStream random) {
    encoder_.clear_gradients();
    decoder_.clear_gradients();
    for (gat::Index t = kLength - 1; t >= 0; --t) {
      gat::Matrix d_logits(kBatch, kSymbols);
      gat::softmax_cross_entropy(logits_[at(t)], {rows_, rows_}, truth(t), {}, d_logits, 1);
      gat::InputGradient d_input;
      d_input.source = encoder_.d_states();
      d_input.destination = decoder_.d_state(t);
      attention_.layer.backward(training_context(t, random), question(t), logits_[at(t)], d_logits, d_input,
                                attention_.gradients);
      decoder_.backward(t);
    }
    for (gat::Index t = kLength - 1; t >= 0; --t) encoder_.backward(t);
  }

  const gat::RandomStream seed_{0};
  example::TanhCell encoder_, decoder_;
  example::TrainedLayer<gat::AttentionLayer> attention_;
  gat::CsrGraph graph_;
  gat::GraphView view_;
  std::vector<gat::NodeId> rows_;
  gat::Matrix alphas_;
  std::vector<std::vector<gat::NodeId>> sequences_;
  std::vector<gat::Matrix> logits_;
  std::vector<gat::Tape> tapes_;
};

// Trains one kind, prints what it reaches, and says whether that is enough.
bool run(const char* score, gat::Selection selection, int rounds, double least) {
  gat::AdamOptions adam;
  adam.learning_rate = 0.005;
  Reverser reverser(score, selection, adam);
  reverser.train(rounds);
  const Quality quality = reverser.test();
  const bool enough = quality.symbols >= least && quality.alignments >= 0.95;
  std::printf("%s, %s: %.4f of the symbols (at least %.2f), %.4f of the alignments (at least 0.95): %s\n",
              score, selection == gat::Selection::all ? "soft" : "hard", quality.symbols, least,
              quality.alignments, enough ? "as expected" : "NOT as expected");
  reverser.print_alignment();
  std::fflush(stdout);
  return enough;
}

}  // namespace

int main() {
  std::printf("sequences of %d symbols reversed; a row per symbol written, a column per symbol read\n\n",
              static_cast<int>(kLength));
  bool enough = true;
  for (const char* score : {"tanh", "bilinear", "dot"}) {
    enough = run(score, gat::Selection::all, 1500, 0.99) && enough;
    enough = run(score, gat::Selection::sampled, 1500, 0.9) && enough;
  }
  return enough ? 0 : 1;
}
