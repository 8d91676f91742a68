#include "bench/gather_yardstick.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "bench/rounds.hpp"

namespace gat::app {

namespace {

struct Fetched {
  int distance;
  bool to_second;
};
constexpr Fetched kFetched[] = {{0, false},  {4, false},  {8, false},  {16, false}, {32, false},
                                {48, false}, {64, false}, {96, false}, {16, true},  {32, true},
                                {48, true},  {64, true},  {96, true}};
static_assert(kFetched[std::size(kFetched) - 1].distance <= kColumnPadding);

Index padded(Index width) {
  if (width < 16) return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(width)));
  return (width + 15) / 16 * 16;
}

class Gather final : public Yardstick {
 public:
  Gather(const YardstickKey& key, Team& team, HugeBuffers& buffers)
      : team_(team),
        view_(key.graph->view),
        width_(key.width),
        stride_(padded(key.width)),
        columns_(view_.arrays().in_sources.begin(), view_.arrays().in_sources.end()),
        rows_(buffers.get("gathered rows", view_.num_sources() * stride_)),
        sums_(buffers.get("sums of rows", view_.num_destinations() * stride_)) {
    columns_.resize(columns_.size() + kColumnPadding);
    std::fill_n(rows_.data(), view_.num_sources() * stride_, 1.0F);
    split();
    run();
  }

  void tune() override {
    double best = std::numeric_limits<double>::max();
    Fetched best_kind = kFetched[0];
    for (const Fetched& fetched : kFetched) {
      fetched_ = fetched;
      const double first = seconds_of([this] { run(); });
      const double seconds = std::min(first, seconds_of([this] { run(); }));
      if (seconds >= best) continue;
      best = seconds;
      best_kind = fetched;
    }
    fetched_ = best_kind;
  }
  void run() override {
    team_.run([this](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      best_loops().gather({view_.arrays().in_offsets.data(), columns_.data(), first_rows_[t],
                           first_rows_[t + 1], rows_.data(), stride_, sums_.data(), stride_,
                           fetched_.distance, fetched_.to_second});
    });
  }
  double amount() const override {
    return static_cast<double>(view_.num_edges()) * static_cast<double>(width_) * sizeof(float);
  }
  std::string variant() const override {
    return "fetched " + std::to_string(fetched_.distance) + " edges ahead" +
           (fetched_.to_second ? " into the second cache" : "");
  }

 private:
  // Rows of each thread, by equal numbers of edges.
  void split() {
    const auto& offsets = view_.arrays().in_offsets;
    for (int t = 0; t <= team_.size(); ++t) {
      const EdgeId edge = view_.num_edges() * t / team_.size();
      const auto at = std::lower_bound(offsets.begin(), offsets.end(), edge);
      first_rows_.push_back(t == team_.size() ? view_.num_destinations() : at - offsets.begin());
    }
    first_rows_.front() = 0;
  }

  Team& team_;
  const GraphView& view_;
  Index width_, stride_;
  std::vector<NodeId> columns_;
  HugeBuffer &rows_, &sums_;
  std::vector<Index> first_rows_;
  Fetched fetched_ = kFetched[0];
};

}  // namespace

std::unique_ptr<Yardstick> make_gather_yardstick(const YardstickKey& key, Team& team, HugeBuffers& buffers) {
  return std::make_unique<Gather>(key, team, buffers);
}

}  // namespace gat::app
