// Order by self-attention: each position of a sequence names the symbol before it (the first position: the
// last symbol). Every position hears all others, so only encodings of positions tell which one to listen to.
// Sequences are orders of all symbols, so without positions any other symbol is as likely: 1 in 15.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "examples/trained_network.hpp"
#include "gat/graph/sinusoidal_positions.hpp"

namespace {

constexpr gat::Index kLength = 16, kPositionWidth = 16;  // as many symbols as positions
constexpr int kSteps = 600, kSequencesPerStep = 32, kUnseen = 1000;

gat::Matrix encodings() {
  std::vector<double> positions(static_cast<std::size_t>(kLength));
  std::iota(positions.begin(), positions.end(), 0.0);
  return gat::sinusoidal_positions(positions, kPositionWidth);
}

// A sequence: features say which symbol stands where, classes which one stands before.
class Sequence {
 public:
  explicit Sequence(bool with_positions)
      : with_positions_(with_positions),
        features_(kLength, kLength + kPositionWidth),
        positions_(encodings()),
        symbols_(static_cast<std::size_t>(kLength)),
        rows_(symbols_.size()),
        classes_(symbols_.size()) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  void draw(gat::RandomStream random) {
    std::iota(symbols_.begin(), symbols_.end(), 0);
    random.shuffle(symbols_);
    features_.view().fill(0);
    for (gat::Index i = 0; i < kLength; ++i) {
      const auto at = static_cast<std::size_t>(i);
      features_(i, symbols_[at]) = 1;
      for (gat::Index c = 0; with_positions_ && c < kPositionWidth; ++c)
        features_(i, kLength + c) = positions_(i, c);
      classes_[at] = symbols_[(at + symbols_.size() - 1) % symbols_.size()];
    }
  }
  const gat::Matrix& features() const { return features_; }
  std::span<const gat::NodeId> rows() const { return rows_; }
  std::span<const gat::NodeId> classes() const { return classes_; }

 private:
  bool with_positions_;
  gat::Matrix features_, positions_;
  std::vector<gat::NodeId> symbols_, rows_, classes_;
};

gat::NetworkDescription make_network() {
  gat::LayerDescription attention, output;
  attention.kind = "attention";
  attention.options = {
      {"score", std::string("scaled_dot")}, {"num_heads", std::int64_t(2)}, {"head_dim", std::int64_t(32)}};
  output.kind = "linear";
  output.options = {{"out_features", std::int64_t(kLength)}};
  return {
      kLength + kPositionWidth, 0, {{attention, "attention", "features"}, {output, "output", "attention"}}};
}

// Trains on sequences drawn anew each time; the share of symbols found in others.
double learn(bool with_positions) {
  gat::AdamOptions adam;
  adam.learning_rate = 0.005;
  example::TrainedNetwork network(make_network(), adam, gat::RandomStream(0));
  const gat::Blocks blocks = gat::Blocks::whole(gat::GraphView::complete(kLength, kLength), 2);
  const gat::RandomStream training = gat::RandomStream(1).derive(0), unseen = gat::RandomStream(1).derive(1);
  Sequence sequence(with_positions);
  std::uint64_t drawn = 0;
  for (int step = 0; step < kSteps; ++step) {
    for (int k = 0; k < kSequencesPerStep; ++k) {
      sequence.draw(training.derive(drawn++));
      network.add_gradient({blocks, sequence.features()}, sequence.rows(), sequence.classes());
    }
    network.step();
  }
  gat::Index correct = 0;
  for (std::uint64_t k = 0; k < kUnseen; ++k) {
    sequence.draw(unseen.derive(k));
    correct += network.count_correct({blocks, sequence.features()}, sequence.rows(), sequence.classes());
  }
  return static_cast<double>(correct) / static_cast<double>(kUnseen * kLength);
}

}  // namespace

int main() {
  const double chance = 1.0 / static_cast<double>(kLength - 1);
  const double with = learn(true), without = learn(false);
  std::printf("the symbol before, %d positions, share found in %d unseen sequences\n",
              static_cast<int>(kLength), kUnseen);
  std::printf("with sinusoidal positions   %.4f  (at least 0.99)\n", with);
  std::printf("without                     %.4f  (chance %.4f, at most 0.1 above)\n", without, chance);
  const bool holds = with >= 0.99 && without <= chance + 0.1;
  std::printf("%s\n", holds ? "as expected" : "NOT as expected");
  return holds ? 0 : 1;
}
