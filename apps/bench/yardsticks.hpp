/// Yardsticks: what this machine can do at most, measured in the same rounds as what is judged by it.
#pragma once

#include <memory>
#include <string>

#include "bench/huge_buffer.hpp"
#include "bench/loops.hpp"
#include "bench/team.hpp"
#include "gat/graph/graph_view.hpp"

namespace gat::app {

enum class Rate {
  multiply_add,  ///< multiply-adds on registers, counted as two operations
  triad,         ///< a = b + s c on arrays of four times the last cache, 12 bytes per element
  read_l1,       ///< 32 KiB per thread
  read_l2,       ///< 512 KiB per thread
  read_l3,       ///< 8 MiB, read by all threads
  gather         ///< rows of a graph's sources summed for each destination
};

/// A graph with a name for reports; the view's graph outlives everything that is measured on it.
struct BenchGraph {
  std::string name;
  GraphView view;
};

/// Which yardstick; graph and width belong to `Rate::gather` alone.
struct YardstickKey {
  Rate rate = Rate::triad;
  int threads = 1;
  const BenchGraph* graph = nullptr;
  Index width = 0;  ///< floats per row

  bool operator==(const YardstickKey&) const = default;
};

class Yardstick {
 public:
  virtual ~Yardstick() = default;
  /// Tries the variants of the loop (distances of fetching ahead, ways of storing) and keeps the fastest.
  virtual void tune() {}
  virtual void run() = 0;
  /// Operations or bytes of one run.
  virtual double amount() const = 0;
  /// What `tune` chose, for reports; may be empty.
  virtual std::string variant() const { return ""; }
};

/// \param team  of key.threads threads; it and the buffers outlive the yardstick
std::unique_ptr<Yardstick> make_yardstick(const YardstickKey& key, Team& team, HugeBuffers& buffers);

/// "triad", "gather 256 of arxiv".
std::string name_of(const YardstickKey& key);
/// "GFLOP/s" or "GB/s"; values are 10⁹ per second.
const char* unit_of(Rate rate);

}  // namespace gat::app
