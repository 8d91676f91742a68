// A batch of graphs against each graph alone: the same bits.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/disjoint_union.hpp"
#include "nn/attention_run.hpp"
#include "nn/block_networks.hpp"

using namespace gat;
using gat::test::all_scores;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::random_matrix;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

// Rows begin … begin + count − 1.
ConstMatrixView part_of(const Matrix& matrix, Index begin, Index count) {
  return {matrix.row(begin), count, matrix.cols()};
}

// A small graph, a node alone, and one with a row so long that it is cut into chunks.
std::vector<GraphData> three_graphs() {
  std::vector<GraphData> graphs(3);
  graphs[0].graph = test::random_graph(7, 20, 1);
  graphs[1].graph = test::random_graph(2, 0, 2);
  EdgeList hub = test::random_edge_list(170, 170, 400, 3);
  for (NodeId node = 1; node < 160; ++node) hub.add(node, 0);
  graphs[2].graph = build_graph(hub, 170, test::kAsGiven).graph;
  std::uint64_t seed = 4;
  for (GraphData& data : graphs) {
    data.features.dense = random_matrix(data.num_nodes(), 4, seed++);
    data.edge_features = random_matrix(data.graph.num_user_edges(), 2, seed++);
  }
  return graphs;
}

// By edge: the graphs were built as given, but rows stand in the order of destinations.
Matrix edge_rows(const CsrGraph& graph, const Matrix& user_rows) {
  const auto users = graph.user_edge_ids();
  return test::rows_of(user_rows, {users.begin(), users.end()});
}

// What belongs to one node has the same bits in both rounds, sums over nodes are close.
void check_part(const AttentionRound& together, const AttentionRound& alone, Index first_node,
                Index first_edge) {
  CHECK(same_bits(part_of(together.out, first_node, alone.out.rows()), alone.out));
  CHECK(same_bits(part_of(together.d_source, first_node, alone.out.rows()), alone.d_source));
  CHECK(same_bits(part_of(together.attention, first_edge, alone.attention.rows()), alone.attention));
}

}  // namespace

TEST_CASE("attention gives the nodes of a batch the bits of their own graphs", "[nn][batch][determinism]") {
  const std::vector<GraphData> graphs = three_graphs();
  const GraphBatch batch = make_batch(graphs);
  for (const std::string& score : all_scores()) {
    if (score == "custom") continue;
    for (const int threads : {1, 3}) {
      INFO(score << ", " << threads << " threads");
      AttentionLayerOptions o = test::small_attention(score);
      o.edge_features = 2;
      o.edge_use = test::score_called(score).edge_features ? EdgeUse::score : EdgeUse::values;
      AttentionProbe probe(o);
      probe.threads = threads;
      const auto run = [&](const GraphData& data, const GraphView& view) {
        const Matrix edges = edge_rows(data.graph, data.edge_features);
        LayerInput input;
        input.source = data.features.dense;
        input.edge_features = edges;
        return probe.run(view, input);
      };
      const AttentionRound together = run(batch.data, batch.view());
      Weights sums = probe.weights;
      sums.fill(0);
      for (std::size_t k = 0; k < graphs.size(); ++k) {
        const AttentionRound alone = run(graphs[k], graphs[k].graph.view());
        const Index first = batch.segments.source(static_cast<Index>(k));
        check_part(together, alone, first, batch.data.graph.row_offsets()[static_cast<std::size_t>(first)]);
        for (std::size_t n = 0; n < sums.values().size(); ++n)
          sums.values()[n] += alone.gradients.values()[n];
      }
      const ConstMatrixView all(together.gradients.values().data(), 1, sums.num_values());
      CHECK(relative_difference(all, {sums.values().data(), 1, sums.num_values()}) < 1e-5);
    }
  }
}

TEST_CASE("attention over all pairs of each graph of a batch has the bits of each graph alone",
          "[nn][batch][determinism]") {
  const SegmentPointer segments(std::vector<Index>{0, 7, 8, 8, 150});
  const Matrix x = random_matrix(150, 4, 1), upstream = random_matrix(150, 6, 2);
  for (const std::string& score : all_scores()) {
    if (score == "custom") continue;
    for (const int threads : {1, 3}) {
      INFO(score << ", " << threads << " threads");
      AttentionProbe probe(test::small_attention(score));
      probe.threads = threads;
      const AttentionRound together = probe.run(segments.complete(), {.source = x}, upstream);
      Index first_edge = 0;
      for (Index s = 0; s < segments.num_segments(); ++s) {
        const Index first = segments.source(s), count = segments.source(s + 1) - first;
        if (count == 0) continue;
        const Matrix part(part_of(x, first, count)), d(part_of(upstream, first, count));
        const AttentionRound alone = probe.run(GraphView::complete(count, count), {.source = part}, d);
        check_part(together, alone, first, first_edge);
        first_edge += count * count;
      }
    }
  }
}

TEST_CASE("attention between two sides of each graph of a batch has the bits of each graph alone",
          "[nn][batch][bipartite][determinism]") {
  const std::vector<Index> sources{0, 5, 5, 140}, destinations{0, 2, 3, 9};
  const SegmentPointer segments(sources, destinations);
  AttentionLayerOptions o = test::small_attention("scaled_dot");
  o.destination_features = 3;
  const AttentionProbe probe(o);
  const Matrix x = random_matrix(140, 4, 1), y = random_matrix(9, 3, 2);
  const AttentionRound together =
      probe.run(segments.complete(), {.source = x, .destination = Destinations::own(y)});
  for (const std::size_t s : {0u, 2u}) {
    const Index first = sources[s], count = sources[s + 1] - first;
    const Index to = destinations[s], receivers = destinations[s + 1] - to;
    const Matrix of_sources(part_of(x, first, count)), of_destinations(part_of(y, to, receivers));
    const AttentionRound alone =
        probe.run(GraphView::complete(count, receivers, true),
                  {.source = of_sources, .destination = Destinations::own(of_destinations)});
    CHECK(same_bits(part_of(together.out, to, receivers), alone.out));
    CHECK(same_bits(part_of(together.d_destination, to, receivers), alone.d_destination));
    CHECK(same_bits(part_of(together.d_source, first, count), alone.d_source));
  }
  // Nobody sends to the third destination.
  AttentionLayerOptions plain = o;
  plain.bias = false;
  const AttentionRound silent =
      AttentionProbe(plain).run(segments.complete(), {.source = x, .destination = Destinations::own(y)});
  for (Index c = 0; c < silent.out.cols(); ++c) CHECK(silent.out(2, c) == 0);
}

TEST_CASE("pairs of a batch of graphs drop with the same bits for any number of threads",
          "[nn][batch][determinism]") {
  const SegmentPointer segments(std::vector<Index>{0, 60, 63, 150, 151});
  const Matrix x = random_matrix(151, 4, 1);
  AttentionLayerOptions o = test::small_attention("gat");
  o.attention_dropout = 0.4;
  AttentionProbe probe(o);
  const AttentionRound serial = probe.run(segments.complete(), {.source = x});
  CHECK_FALSE(same_bits(serial.dropped, serial.attention));
  for (const int threads : {2, 3, 8}) {
    probe.threads = threads;
    const AttentionRound parallel = probe.run(segments.complete(), {.source = x});
    CHECK(parallel.statistics.largest_team == threads);
    CHECK(same_bits(parallel.out, serial.out));
    CHECK(same_bits(parallel.d_source, serial.d_source));
    CHECK(same_bits(test::all_values(parallel.gradients), test::all_values(serial.gradients)));
  }
}

TEST_CASE("a network of global attention, norms and a readout gives each graph of a batch its own bits",
          "[nn][batch][determinism]") {
  BlockNetworkOptions options = test::block_options(BlockForm::gps);
  options.positions.emplace();
  options.positions->num_positions = 170;
  options.readout = Pooling::mean;
  const Network network(block_network(options));
  const Weights weights = test::random_weights(network);
  const auto run = [&](const GraphView& view, const Matrix& features) {
    const Blocks blocks = Blocks::whole(view, network.num_steps());
    Matrix out(network.num_outputs(blocks), network.output_width());
    Workspace workspace;
    network.forward({.workspace = workspace, .execution = 2}, weights, {blocks, features}, out);
    return out;
  };
  const std::vector<GraphData> graphs = three_graphs();
  const GraphBatch batch = make_batch(graphs);
  const Matrix together = run(batch.view(), batch.data.features.dense);
  REQUIRE(together.rows() == 3);
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    const Matrix alone = run(graphs[k].graph.view(), graphs[k].features.dense);
    CHECK(same_bits(part_of(together, static_cast<Index>(k), 1), alone));
  }
}

TEST_CASE("global attention refuses a batch that does not say where its graphs begin", "[nn][batch]") {
  const Network network(block_network(test::block_options(BlockForm::gps)));
  const CsrGraph graph = test::random_graph(6, 12, 1);
  const std::vector<std::int32_t> numbers{0, 1, 0, 1, 0, 1};
  GraphView::Arrays arrays = graph.view().arrays();
  arrays.segments = numbers;
  arrays.num_segments = 2;
  const GraphView view(6, 6, false, 12, arrays);
  const Blocks blocks = Blocks::whole(view, network.num_steps());
  const Matrix features = random_matrix(6, 4, 1);
  CHECK(lacking(
            message_of([&] {
              test::run_network(network, test::random_weights(network), {blocks, features}, Mode::evaluation);
            }),
            {"global_attention", "SegmentPointer::attach"}) == "");
}
