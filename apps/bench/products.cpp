#include "bench/products.hpp"

#include <algorithm>

#include "bench/generated.hpp"
#include "gat/kernels/linear.hpp"

namespace gat::app {

namespace {

constexpr Index kBlockRows = 512;
constexpr Index kParts = 16;

LinearInput input_of(const Matrix& rows) {
  LinearInput input;
  input.rows = rows;
  return input;
}

// Calls work(k) for k in [0, count), each of the team's threads its share.
template <class WorkOn>
void share(Team& team, Index count, const WorkOn& work) {
  team.run([&](int t) {
    for (Index k = t; k < count; k += team.size()) work(k);
  });
}

}  // namespace

DenseProduct::DenseProduct(Index rows, Index in, Index out)
    : rows_(random_matrix(rows, in, 21)),
      weight_(random_matrix(in, out, 22)),
      result_(random_matrix(rows, out, 23)),
      d_weight_(in, out),
      d_rows_(rows, in),
      partial_(kParts * in, out) {}

double DenseProduct::flop() const {
  return 2.0 * static_cast<double>(result_.size()) * static_cast<double>(rows_.cols());
}

std::string DenseProduct::shape() const {
  return std::to_string(rows_.rows()) + " x " + std::to_string(rows_.cols()) + " x " +
         std::to_string(result_.cols());
}

void DenseProduct::forward(const Execution& execution) {
  linear_forward(input_of(rows_), weight_, result_, execution, workspace_);
}

void DenseProduct::weight_gradient(const Execution& execution) {
  linear_backward_weight(input_of(rows_), result_, d_weight_, execution, workspace_);
}

void DenseProduct::input_gradient(const Execution& execution) {
  linear_backward_input(input_of(rows_), weight_, result_, d_rows_, execution, workspace_);
}

void DenseProduct::forward(Multiply multiply, Team& team) {
  share(team, (rows_.rows() + kBlockRows - 1) / kBlockRows, [&](Index b) {
    const Index first = b * kBlockRows;
    multiply({false, std::min(kBlockRows, rows_.rows() - first), result_.cols(), rows_.cols(),
              rows_.view().row(first), rows_.cols(), weight_.data(), weight_.cols(),
              result_.view().row(first), result_.cols()});
  });
}

void DenseProduct::weight_gradient(Multiply multiply, Team& team) {
  const Index depth = (rows_.rows() + kParts - 1) / kParts;
  share(team, kParts, [&](Index part) {
    const Index first = std::min(part * depth, rows_.rows());
    multiply({true, rows_.cols(), result_.cols(), std::min(depth, rows_.rows() - first),
              rows_.view().row(first), rows_.cols(), result_.view().row(first), result_.cols(),
              partial_.view().row(part * rows_.cols()), result_.cols()});
  });
  share(team, rows_.cols(), [&](Index f) {
    Real* const to = d_weight_.view().row(f);
    std::copy_n(partial_.view().row(f), d_weight_.cols(), to);
    for (Index part = 1; part < kParts; ++part) {
      const Real* const from = partial_.view().row(part * rows_.cols() + f);
      for (Index k = 0; k < d_weight_.cols(); ++k) to[k] += from[k];
    }
  });
}

std::size_t add_products(Suite& suite, DenseProduct& product, std::span<const Execution> executions) {
  Work work;
  work.flop = product.flop();
  std::size_t forward = 0;
  for (const Execution& on : executions) {
    const auto add = [&](const std::string& name, std::function<void()> run) {
      return suite.add({name + product.shape(), on.num_threads, std::move(run), work});
    };
    forward = add("product ", [&product, on] { product.forward(on); });
    add("product's weight gradient ", [&product, on] { product.weight_gradient(on); });
    add("product's input gradient ", [&product, on] { product.input_gradient(on); });
  }
  return forward;
}

void add_product_peers(Suite& suite, DenseProduct& product, std::size_t ours, int threads) {
  Team& team = suite.make<Team>(threads);
  Work work;
  work.flop = product.flop();
  for (const ProductPeer& peer : product_peers()) {
    if (peer.multiply == nullptr) {
      suite.remark("no comparison with " + peer.name + ": " + peer.missing);
      continue;
    }
    const Multiply multiply = peer.multiply;
    const std::size_t forward =
        suite.add({"product " + product.shape() + ", " + peer.name, threads,
                   [&product, &team, multiply] { product.forward(multiply, team); }, work});
    suite.compare("product " + product.shape() + ", " + peer.name + " / ours", forward, ours);
    const std::size_t gradient =
        suite.add({"product's weight gradient " + product.shape() + ", " + peer.name, threads,
                   [&product, &team, multiply] { product.weight_gradient(multiply, team); }, work});
    suite.compare("product's weight gradient " + product.shape() + ", " + peer.name + " / ours", gradient,
                  ours + 1);
  }
}

}  // namespace gat::app
