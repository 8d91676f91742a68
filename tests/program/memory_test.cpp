// B46: memory stays linear in nodes and edges.
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "data/npz_files.hpp"
#include "io/temporary_folder.hpp"
#include "program/run_program.hpp"

namespace {

constexpr int kFeatures = 64;

// A ring whose nodes receive from both neighbours, with dense features, as an archive.
std::string ring_bytes(std::int32_t nodes) {
  std::vector<std::int32_t> offsets{0}, columns, labels;
  for (std::int32_t i = 0; i < nodes; ++i) {
    columns.push_back((i + nodes - 1) % nodes);
    columns.push_back((i + 1) % nodes);
    offsets.push_back(2 * (i + 1));
    labels.push_back(i % 4);
  }
  std::vector<float> features(static_cast<std::size_t>(nodes) * kFeatures);
  std::minstd_rand random(1);
  for (float& feature : features) feature = static_cast<float>(random()) / static_cast<float>(random.max());
  NpzFile file;
  file.csr("adj_", {nodes, nodes}, offsets, columns, std::vector<float>(columns.size(), 1));
  file.put("attr_matrix", "<f4", "(" + std::to_string(nodes) + ", " + std::to_string(kFeatures) + ")",
           features);
  file.integers("labels", labels);
  return file.bytes();
}

// The peak of a process that reads the ring and trains one epoch, 8 heads of 8.
double peak_bytes(std::int32_t nodes, const std::string& threads) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ring.npz", std::ios::binary) << ring_bytes(nodes);
  const ProgramResult result =
      gat("train ring.npz --epochs 1 --hidden 8 --heads 8 --json -q -t " + threads, folder.path());
  INFO(result.err);
  REQUIRE(result.code == 0);
  const auto json = nlohmann::json::parse(result.out);
  return json.at("peak_memory_bytes").get<double>();
}

}  // namespace

TEST_CASE("B46: an epoch on a ring of 200,000 nodes stays below 2 GB, and memory is linear",
          "[program][cases]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("skipped: a sanitizer takes memory of its own");
#else
  const double features = 200000.0 * kFeatures * sizeof(float);
  const double whole = peak_bytes(200000, "2");
  const double half = peak_bytes(100000, "2");
  const double quarter = peak_bytes(50000, "2");
  INFO(quarter << ", " << half << " and " << whole << " bytes");
  CHECK(whole < features + 2e9);
  // Twice the nodes and edges add twice the bytes, within a fifth.
  CHECK(whole - half < 1.2 * 2 * (half - quarter));
#endif
}
