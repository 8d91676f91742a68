#include "gat/data/load.hpp"

#include "catch.hpp"
#include "data/expectations.hpp"
#include "data/planetoid_files.hpp"
#include "gat/io/file.hpp"
#include "io/temporary_folder.hpp"

namespace {

gat::LoadOptions searching(const std::filesystem::path& folder) {
  gat::LoadOptions options;
  options.search_folders = {folder / "nothing-here", folder};
  return options;
}

}  // namespace

TEST_CASE("a name that is neither path nor known answers with the nearest", "[data][load]") {
  CHECK_THROWS_AS(gat::load_dataset("citseer"), gat::UsageError);
  CHECK(lacking_in_refusal("citseer", {"citseer", "did you mean \"citeseer\"", "karate", "pubmed"}) == "");
  CHECK_THROWS_AS(gat::load_dataset(""), gat::UsageError);
}

TEST_CASE("a path where nothing lies is a file error", "[data][load]") {
  CHECK_THROWS_AS(gat::load_dataset("./karate"), gat::FileError);
  CHECK_THROWS_AS(gat::load_dataset("/nowhere/at/all.npz"), gat::FileError);
}

TEST_CASE("a named set is found in a search folder, below its name and below planetoid", "[data][load]") {
  for (const char* place : {".", "cora", "planetoid/cora"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / place);
    PlanetoidFiles{}.write(folder / place, "cora");
    PlanetoidFiles{}.write(folder / place, "citeseer");
    const gat::Dataset data = gat::load_dataset("cora", searching(folder.path()));
    CHECK(data.name == "cora");
    CHECK(data.num_nodes() == 7);
  }
}

TEST_CASE("a named set that is absent says which files, from where and where it looked", "[data][load]") {
  const TemporaryFolder folder;
  const std::string message = message_of([&] { gat::load_dataset("pubmed", searching(folder.path())); });
  CHECK(
      lacking(message, {"ind.pubmed.{x,tx,allx,y,ty,ally,graph,test.index}", "github.com/kimiyoung/planetoid",
                        folder.path().string(), "nothing-here", "FOLDER/planetoid/pubmed", "give the path",
                        "name a folder to search", "datasets/catalogue.toml"}) == "");
  CHECK_THROWS_AS(gat::load_dataset("pubmed", searching(folder.path())), gat::FileError);
  CHECK_THROWS_AS(gat::load_dataset("pubmed"), gat::FileError);
}

TEST_CASE("a named set that lacks a file is bad input, not an absent set", "[data][load]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path(), "cora");
  std::filesystem::remove(folder / "ind.cora.ally");
  CHECK_THROWS_AS(gat::load_dataset("cora", searching(folder.path())), gat::InputError);
  CHECK(lacking(message_of([&] { gat::load_dataset("cora", searching(folder.path())); }),
                {folder.path().string() + ": ind.cora.ally is missing"}) == "");
}

TEST_CASE("sets that are built in take no format", "[data][load]") {
  gat::LoadOptions options;
  options.format = "planetoid";
  for (const std::string name : {"karate", "synthetic-cora"}) {
    CHECK_THROWS_AS(gat::load_dataset(name, options), gat::UsageError);
    CHECK(lacking(message_of([&] { gat::load_dataset(name, options); }),
                  {name, "built in and takes no format", "./" + name}) == "");
  }
}

TEST_CASE("a folder is refused where a format wants one archive", "[data][load]") {
  const TemporaryFolder folder;
  for (const std::string format : {"csr-npz", "heterophilous-npz", "graphdata-npz"}) {
    gat::LoadOptions options;
    options.format = format;
    CHECK_THROWS_AS(gat::load_dataset(folder.path().string(), options), gat::InputError);
  }
}

TEST_CASE("the catalogue agrees with the names and the address in the code", "[data][load]") {
  const std::string catalogue =
      gat::read_file(std::filesystem::path(GAT_TESTS_DIR) / ".." / "datasets" / "catalogue.toml");
  for (const std::string& name : gat::dataset_names()) {
    if (name == "karate" || name == "synthetic-cora") continue;
    INFO(name);
    const std::size_t begin = catalogue.find("\nname = \"" + name + "\"\nformat = \"planetoid\"\n");
    REQUIRE(begin != std::string::npos);
    const std::string entry = catalogue.substr(begin, catalogue.find("[[dataset]]", begin) - begin);
    CHECK(lacking(entry, {"repository = \"github.com/kimiyoung/planetoid\"", "folder = \"data\""}) == "");
    for (const char* part : {"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}) {
      CHECK(lacking(entry, {"path = \"ind." + name + "." + part + "\""}) == "");
    }
    CHECK(lacking_in_refusal(name, {"github.com/kimiyoung/planetoid, folder data"}) == "");
  }
  CHECK(gat::dataset_names().size() == 5);
}

TEST_CASE("what no format recognises is refused with all formats and their needs", "[data][load]") {
  const TemporaryFolder folder;
  write_plainly(folder / "noise.bin", std::string("\0\1\2", 3));
  for (const std::string& path : {folder.path().string(), (folder / "noise.bin").string()}) {
    CHECK_THROWS_AS(gat::load_dataset(path), gat::InputError);
    CHECK(lacking_in_refusal(
              path, {path, "planetoid: ", "csr-npz: ", "heterophilous-npz: ", "folder: ", "edges.csv"}) ==
          "");
  }
}

TEST_CASE("a format can be asked for by name", "[data][load]") {
  const TemporaryFolder folder;
  PlanetoidFiles{}.write(folder.path());
  write_plainly(folder / "edges.csv", "0,1\n");
  gat::LoadOptions options;
  CHECK(gat::load_dataset(folder.path().string(), options).format == "planetoid");
  options.format = "folder";
  CHECK(gat::load_dataset(folder.path().string(), options).format == "folder");
  options.format = "foldr";
  CHECK(lacking(message_of([&] { gat::load_dataset(folder.path().string(), options); }),
                {"did you mean \"folder\""}) == "");
}

TEST_CASE("the names of formats and sets are listed", "[data][load]") {
  CHECK(gat::format_names().size() == 5);
  CHECK(gat::format_names().front() == "planetoid");
  CHECK(gat::dataset_names().front() == "karate");
}
