// Kinds 13, 19 and 20: sinusoidal, Laplacian and random-walk encodings of positions.
#include "gat/graph/graph_builder.hpp"
#include "gat/graph/laplacian_positions.hpp"
#include "gat/graph/random_walk_positions.hpp"
#include "gat/graph/sinusoidal_positions.hpp"
#include "golden/family.hpp"
#include "graph/laplacian.hpp"

namespace golden {

namespace {

constexpr std::string_view kSinusoidalGiven[] = {"width", "position"};
constexpr std::string_view kLaplacianGiven[] = {"num_nodes", "k", "edge_index"};
constexpr std::string_view kRandomWalkGiven[] = {"num_nodes", "steps", "edge_index"};

// Eigenvalues closer than this belong to one eigenspace.
constexpr double kSame = 1e-8;

gat::CsrGraph graph_of(GoldenCase& c) {
  const std::vector<std::int64_t> ends = c.integers("edge_index");
  const std::size_t edges = ends.size() / 2;
  gat::EdgeList list;
  for (std::size_t e = 0; e < edges; ++e)
    list.add(static_cast<gat::NodeId>(ends[e]), static_cast<gat::NodeId>(ends[edges + e]));
  const gat::GraphPolicy as_given{.self_loops = gat::SelfLoops::as_given,
                                  .duplicates = gat::Duplicates::keep};
  return gat::build_graph(list, c.integer("num_nodes"), as_given).graph;
}

void run_sinusoidal(GoldenCase& c) {
  const std::vector<double> position = widened(c.reals("position"));
  const gat::Index width = c.integer("width");
  c.compare("pe_interleaved", gat::sinusoidal_positions(position, width));
  if (c.has("pe_concat_logspace")) {
    c.compare("pe_concat_logspace",
              gat::sinusoidal_positions(position, width, gat::SinusoidalLayout::concatenated));
  }
}

std::vector<double> dense_laplacian(const gat::CsrGraph& graph) {
  const gat::SymmetricWeights weights(graph, gat::EdgeWeights(graph, {}, "golden"));
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  std::vector<double> laplacian(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) laplacian[i * n + i] = 1;
  for (gat::Index number = 0; number < weights.num_parts(); ++number) {
    const gat::LaplacianPart part = weights.part(number);
    for (gat::Index column = 0; column < part.adjacency.cols(); ++column) {
      for (gat::SymmetricMatrix::InnerIterator entry(part.adjacency, column); entry; ++entry) {
        const auto i = static_cast<std::size_t>(part.nodes[static_cast<std::size_t>(entry.row())]);
        laplacian[i * n + static_cast<std::size_t>(part.nodes[static_cast<std::size_t>(column)])] -=
            entry.value();
      }
    }
  }
  return laplacian;
}

// U Uᵀ of some columns, added.
void add_projector(const gat::Matrix& vectors, gat::Index first, gat::Index last, double sign,
                   double* projector) {
  const gat::Index n = vectors.rows();
  for (gat::Index k = first; k < last; ++k) {
    for (gat::Index i = 0; i < n; ++i) {
      for (gat::Index j = 0; j < n; ++j)
        projector[i * n + j] +=
            sign * static_cast<double>(vectors(i, k)) * static_cast<double>(vectors(j, k));
    }
  }
}

// The eigenspaces of all eigenvalues; that of zero is what the others leave.
void compare_spaces(GoldenCase& c, const gat::LaplacianPositions& all,
                    const std::vector<double>& eigenvalues) {
  const gat::Index n = all.vectors.rows();
  const auto found = static_cast<gat::Index>(all.eigenvalues.size());
  std::vector<std::int64_t> starts{0};
  for (std::size_t k = 1; k < eigenvalues.size(); ++k) {
    if (eigenvalues[k] - eigenvalues[k - 1] > kSame) starts.push_back(static_cast<std::int64_t>(k));
  }
  const std::size_t groups = starts.size();
  starts.push_back(n);
  std::vector<double> projectors(groups * static_cast<std::size_t>(n * n), 0);
  for (gat::Index i = 0; i < n; ++i) projectors[static_cast<std::size_t>(i * n + i)] = 1;
  add_projector(all.vectors, 0, found, -1, projectors.data());
  for (std::size_t g = 1; g < groups; ++g) {
    add_projector(all.vectors, starts[g] - all.num_skipped, starts[g + 1] - all.num_skipped, 1,
                  projectors.data() + g * static_cast<std::size_t>(n * n));
  }
  c.compare_integers("cluster_start", starts, {static_cast<gat::Index>(starts.size())});
  c.compare("projectors", projectors, {static_cast<gat::Index>(groups), n, n});
}

void run_laplacian(GoldenCase& c) {
  const gat::CsrGraph graph = graph_of(c);
  const gat::Index n = graph.num_nodes();
  const gat::LaplacianPositions all = gat::laplacian_positions(graph, n);
  std::vector<double> eigenvalues(static_cast<std::size_t>(all.num_skipped), 0);
  eigenvalues.insert(eigenvalues.end(), all.eigenvalues.begin(), all.eigenvalues.end());
  c.compare("laplacian", dense_laplacian(graph), {n, n});
  c.compare("eigenvalues", eigenvalues, {static_cast<gat::Index>(eigenvalues.size())});
  if (c.has("pe")) c.compare("pe", gat::laplacian_positions(graph, c.integer("k")).vectors);
  if (c.has("projectors")) compare_spaces(c, all, eigenvalues);
}

void run_random_walk(GoldenCase& c) {
  c.compare("rwse", gat::random_walk_positions(graph_of(c), c.integer("steps")));
}

}  // namespace

const Family kSinusoidalFamily{13, "sinusoidal positions", kSinusoidalGiven, always_supported,
                               run_sinusoidal};
const Family kLaplacianFamily{19, "Laplacian positions", kLaplacianGiven, always_supported, run_laplacian};
const Family kRandomWalkFamily{20, "random-walk positions", kRandomWalkGiven, always_supported,
                               run_random_walk};

}  // namespace golden
