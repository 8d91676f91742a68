#include "gat/io/zip.hpp"

#include <fstream>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/io/gzip.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"
#include "test_data.hpp"

namespace {

class ZipFile {
 public:
  std::filesystem::path operator()(const std::string& bytes) const {
    // Not by our writer: it waits for the disk, thousands of times here.
    std::ofstream(folder_ / "a.zip", std::ios::binary) << bytes;
    return folder_ / "a.zip";
  }

 private:
  TemporaryFolder folder_;
};

// Reads every member of an archive.
void read_all(const std::filesystem::path& path) {
  const gat::ZipArchive archive(path);
  for (const std::string& name : archive.names()) archive.read(name);
}

std::string refusal_of(const std::vector<ZipPart>& parts) {
  const ZipFile file;
  const std::filesystem::path path = file(zip(parts));
  return refusal([&] { read_all(path); });
}

}  // namespace

TEST_CASE("stored and deflated members are read by name", "[io][zip]") {
  const ZipFile file;
  const std::string text(1000, 'x');
  const gat::ZipArchive archive(
      file(zip({{"a", "hello"}, {"dir/", ""}, {"dir/b", text, 8}, {"empty", "", 8}}, "a comment")));
  CHECK(archive.names() == std::vector<std::string>{"a", "dir/b", "empty"});
  CHECK(archive.read("a") == "hello");
  CHECK(archive.read("dir/b") == text);
  CHECK(archive.read("empty").empty());
  CHECK(archive.contains("a"));
  CHECK_FALSE(archive.contains("dir/"));
  CHECK_THROWS_WITH(archive.read("c"), Catch::Contains("a.zip: has no member c; it has a, dir/b, empty"));
  CHECK_THROWS_AS(archive.read("dir/b", 999), gat::LimitError);
}

TEST_CASE("an archive without members is an archive", "[io][zip]") {
  const ZipFile file;
  CHECK(gat::ZipArchive(file(zip({}))).names().empty());
}

TEST_CASE("the data are found behind the extra field of the member's own header", "[io][zip]") {
  const ZipFile file;
  // As NumPy writes it: 20 bytes of Zip64 sizes in the local header only.
  const std::string zip64 = little(1, 2) + little(16, 2) + little(5, 8) + little(5, 8);
  ZipPart part{"a", "hello"};
  part.local_extra = zip64;
  CHECK(gat::ZipArchive(file(zip({part}))).read("a") == "hello");
}

TEST_CASE("sizes and positions of Zip64 are honoured", "[io][zip]") {
  const ZipFile file;
  ZipPart part{"a", "hello"};
  part.extra = little(1, 2) + little(24, 2) + little(5, 8) + little(5, 8) + little(0, 8);
  part.size = part.packed_size = part.header_at = 0xffffffff;
  std::string bytes = zip({part});
  CHECK(gat::ZipArchive(file(bytes)).read("a") == "hello");

  const std::size_t end = bytes.size() - 22;
  const std::size_t directory = bytes.find("PK\1\2");
  const std::string record = "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
                             little(1, 8) + little(1, 8) + little(end - directory, 8) + little(directory, 8);
  const std::string locator = "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
  const std::string last = "PK\5\6" + little(0, 4) + little(0xffff, 2) + little(0xffff, 2) +
                           little(0xffffffff, 4) + little(0xffffffff, 4) + little(0, 2);
  bytes = bytes.substr(0, end) + record + locator + last;
  CHECK(gat::ZipArchive(file(bytes)).read("a") == "hello");
  check_every_truncation(bytes, [&](const std::string& cut) { read_all(file(cut)); });
  check_bit_flips(bytes, 500, [&](const std::string& damaged) { read_all(file(damaged)); });
}

TEST_CASE("archives that were made to do harm are refused", "[io][zip][hostile]") {
  CHECK_THAT(refusal_of({{"../a", "x"}}), Catch::Contains("a name with '..'"));
  CHECK_THAT(refusal_of({{"b/..", "x"}}), Catch::Contains("a name with '..'"));
  CHECK_THAT(refusal_of({{"b\\..\\a", "x"}}), Catch::Contains("a name with '..'"));
  CHECK_THAT(refusal_of({{"/etc/a", "x"}}), Catch::Contains("an absolute name"));
  CHECK_THAT(refusal_of({{"C:a", "x"}}), Catch::Contains("an absolute name"));
  CHECK_THAT(refusal_of({{"", "x"}}), Catch::Contains("an empty name"));
  CHECK_THAT(refusal_of({{"a", "x"}, {"a", "y"}}), Catch::Contains("occurs twice"));
  CHECK(refusal_of({{"a..b", "x"}, {"...", "y"}}).empty());
}

TEST_CASE("encryption, unknown methods and lies about sizes are refused", "[io][zip][hostile]") {
  ZipPart part{"a", std::string(100, 'x'), 8};
  part.flags = 1;
  CHECK_THAT(refusal_of({part}), Catch::Contains("encrypted"));
  part = {"a", "x", 12};
  CHECK_THAT(refusal_of({part}), Catch::Contains("method 12"));
  part = {"a", std::string(100, 'x'), 8};
  part.size = 99;
  CHECK_THAT(refusal_of({part}), Catch::Contains("stated size of 99"));
  part.size = 101;
  CHECK_THAT(refusal_of({part}), Catch::Contains("stated size of 101"));
  part.size = 0xfffffffe;
  CHECK_THAT(refusal_of({part}), Catch::Contains("stated size"));
  part.size = -1;
  part.packed_size = 1 << 30;
  CHECK_THAT(refusal_of({part}), Catch::Contains("before the directory"));
  part.packed_size = 2;
  CHECK_THAT(refusal_of({part}), Catch::Contains("stated size"));
  part = {"a", "hello"};
  part.size = 4;
  CHECK_THAT(refusal_of({part}), Catch::Contains("two sizes differ"));
  part = {"a", "hello"};
  part.checksum = 1;
  CHECK_THAT(refusal_of({part}), Catch::Contains("member a") && Catch::Contains("checksum"));
}

TEST_CASE("members that share bytes are refused", "[io][zip][hostile]") {
  // The data of `a` are those of `b` with its header: the overlap that a bomb is made of.
  ZipPart inner{"b", "hello"};
  const std::string whole = zip({inner});
  const std::string local = whole.substr(0, whole.find("PK\1\2"));
  ZipPart outer{"a", local};
  inner.header_at = 30 + 1;
  CHECK_THAT(refusal_of({outer, inner}), Catch::Contains("overlap"));
}

TEST_CASE("a small file that unpacks to a huge one is refused", "[io][zip][hostile]") {
  const ZipFile file;
  const std::string zeros(100 << 20, '\0');
  const std::filesystem::path path = file(zip({{"a", zeros, 8}}));
  CHECK_THROWS_AS(read_all(path), gat::LimitError);
}

TEST_CASE("every cut and any flipped bits of an archive end in an orderly refusal", "[io][zip][hostile]") {
  const ZipFile file;
  const std::string bytes = zip({{"a", "hello"}, {"b", std::string(60, 'x') + "y", 8}});
  check_every_truncation(bytes, [&](const std::string& cut) { read_all(file(cut)); });
  check_bit_flips(bytes, 2000, [&](const std::string& damaged) { read_all(file(damaged)); });
}

TEST_CASE("gzip members are unpacked one after the other", "[io][gzip]") {
  const std::string one = deflated("hello ", 31);
  const std::string two = deflated("world", 31);
  CHECK(gat::gunzip(one + two, "f.gz") == "hello world");
  CHECK(gat::gunzip(one + std::string(10, '\0'), "f.gz") == "hello ");
  CHECK_THROWS_AS(gat::gunzip(one + two, "f.gz", 8), gat::LimitError);
  CHECK_THAT(refusal([&] { gat::gunzip(one + "rest", "f.gz"); }), Catch::Contains("after the end"));
  CHECK_THAT(refusal([&] { gat::gunzip("hello", "f.gz"); }), Catch::Contains("not a gzip file"));
  check_every_truncation(one, [](const std::string& cut) { gat::gunzip(cut, "f.gz"); });
  check_bit_flips(one + two, 1000, [](const std::string& damaged) { gat::gunzip(damaged, "f.gz"); });
}

TEST_CASE("a gzip file that unpacks to a huge one is refused", "[io][gzip][hostile]") {
  const std::string bomb = deflated(std::string(100 << 20, '\0'), 31);
  CHECK_THROWS_AS(gat::gunzip(bomb, "f.gz"), gat::LimitError);
}

TEST_CASE("the archive of LINQS Cora has the published sizes", "[io][zip][data]") {
  const auto path = find_test_data("linqs/cora/cora.zip");
  if (!path) return;
  const gat::ZipArchive archive(*path);
  CHECK(archive.read("cora/cora.content").size() == 7'823'427);
  CHECK(archive.read("cora/cora.cites").size() == 69'928);
}
