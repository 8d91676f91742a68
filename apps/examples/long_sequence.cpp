// Attention over long sequences: what each position hears is a rule, complete, causal or a band, and no edge
// is ever stored, so memory grows with the positions. A window (local attention of Luong et al. 2015, σ half
// its width) costs time in proportion to positions × width, global attention to positions squared.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "examples/trained_layer.hpp"
#include "gat/nn/layers/attention.hpp"

namespace {

constexpr gat::Index kHeads = 8, kHeadDim = 8, kWidth = kHeads * kHeadDim, kWindow = 64;

gat::AttentionLayerOptions make_options(gat::Window window) {
  gat::AttentionLayerOptions options = gat::presets::multi_head(kHeads, kHeadDim);
  options.window = window;
  options.window_width = window == gat::Window::none ? 0 : kWindow;
  return options;
}

gat::Matrix random_rows(gat::Index rows, gat::RandomStream random) {
  gat::Matrix matrix(rows, kWidth);
  for (gat::Index k = 0; k < matrix.size(); ++k)
    matrix.data()[k] = static_cast<gat::Real>(random.normal(static_cast<std::uint64_t>(k)));
  return matrix;
}

// One training step's work: forward, and the gradients of all weights and of the input.
void forward_and_backward(const gat::GraphView& graph, gat::Window window) {
  example::TrainedLayer<gat::AttentionLayer> self(make_options(window), {}, gat::RandomStream(0));
  const gat::Matrix features = random_rows(graph.num_sources(), gat::RandomStream(1));
  const gat::Matrix d_output = random_rows(graph.num_destinations(), gat::RandomStream(2));
  gat::Matrix output(graph.num_destinations(), kWidth), d_features(graph.num_sources(), kWidth);
  gat::LayerInput input;
  input.source = features;
  gat::InputGradient d_input;
  d_input.source = d_features;
  gat::Tape tape;
  const gat::Context context = self.context(graph, &tape);
  self.layer.forward(context, input, output);
  self.layer.backward(context, input, output, d_output, d_input, self.gradients);
}

struct Cost {
  double cpu_seconds = 0, peak_mib = 0, grown_mib = 0;  // grown since before the step
};

double peak_mib(const rusage& usage) { return static_cast<double>(usage.ru_maxrss) / 1024; }

Cost measure_here(const gat::GraphView& graph, gat::Window window) {
  rusage before = {}, after = {};
  ::getrusage(RUSAGE_SELF, &before);
  forward_and_backward(graph, window);
  ::getrusage(RUSAGE_SELF, &after);
  const auto seconds = [](const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  return {seconds(after) - seconds(before), peak_mib(after), peak_mib(after) - peak_mib(before)};
}

// In a process of its own, whose peak of resident memory is that of this step.
Cost measure(const gat::GraphView& graph, gat::Window window = gat::Window::none) {
  int ends[2];
  std::fflush(stdout);  // what waits to be printed is not the child's to print
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child == 0) {
    const Cost cost = measure_here(graph, window);
    ::_exit(::write(ends[1], &cost, sizeof(cost)) == sizeof(cost) ? 0 : 1);
  }
  ::close(ends[1]);
  Cost cost;
  const bool whole = ::read(ends[0], &cost, sizeof(cost)) == sizeof(cost);
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0 || !whole) std::abort();
  return cost;
}

// Whether a window is at least five times as cheap at the greatest length.
bool compare_window_with_all() {
  std::printf("forward and backward, 8 heads of 8, one thread\n\n");
  std::printf("            window of %d each side        all positions\n", static_cast<int>(kWindow));
  std::printf("positions   CPU s    MiB grown           CPU s    MiB grown\n");
  bool cheaper = false;
  for (const gat::Index positions : {1000, 2000, 4000}) {
    const Cost local = measure(gat::GraphView::banded(positions, kWindow), gat::Window::monotonic);
    const Cost global = measure(gat::GraphView::complete(positions, positions));
    std::printf("%9d  %6.3f   %10.1f          %6.3f   %10.1f\n", static_cast<int>(positions),
                local.cpu_seconds, local.grown_mib, global.cpu_seconds, global.grown_mib);
    cheaper = 5 * local.cpu_seconds <= global.cpu_seconds;
  }
  return cheaper;
}

// Whether 20,000 positions stay below 1 GB, and memory at most doubles with the positions (a quarter more is
// granted to pages and allocator; growth with the square would be four times).
bool causal_memory_is_linear() {
  std::printf("\ncausal      CPU s    MiB grown    MiB in all\n");
  Cost previous, cost;
  bool linear = true;
  for (const gat::Index positions : {5000, 10000, 20000}) {
    cost = measure(gat::GraphView::causal(positions));
    std::printf("%9d  %6.3f   %10.1f    %10.1f\n", static_cast<int>(positions), cost.cpu_seconds,
                cost.grown_mib, cost.peak_mib);
    if (previous.grown_mib > 0) linear = linear && cost.grown_mib <= 2.5 * previous.grown_mib;
    previous = cost;
  }
  return linear && cost.peak_mib < 1e9 / (1 << 20);
}

}  // namespace

int main() {
  const bool cheaper = compare_window_with_all();
  const bool linear = causal_memory_is_linear();
  std::printf("\na window is at least five times as cheap as all of 4000: %s\n", cheaper ? "yes" : "NO");
  std::printf("20000 causal positions below 1 GB, memory in proportion to positions: %s\n",
              linear ? "yes" : "NO");
  return cheaper && linear ? 0 : 1;
}
