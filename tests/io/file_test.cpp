#include "gat/io/file.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace fs = std::filesystem;

namespace {

std::size_t count_files(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a written file has the bytes that were given, and nothing else is left in the folder",
          "[io][file]") {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n", 5);
  gat::write_file(folder / "out", bytes);
  CHECK(gat::read_file(folder / "out") == bytes);
  gat::write_file(folder / "out", "");
  CHECK(gat::read_file(folder / "out").empty());
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("large files pass through the writer's buffer unchanged", "[io][file]") {
  const TemporaryFolder folder;
  std::string expected;
  gat::FileWriter writer(folder / "out");
  for (int i = 0; i < 3000; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    expected += piece;
    writer.write(piece);
  }
  writer.commit();
  CHECK(gat::read_file(folder / "out") == expected);
}

TEST_CASE("a writer that is not committed leaves the old file and no trace", "[io][file]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "out", "old");
  {
    gat::FileWriter writer(folder / "out");
    writer.write(std::string(5 << 20, 'x'));
    CHECK(count_files(folder.path()) == 2);
  }
  CHECK(gat::read_file(folder / "out") == "old");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("two writers of one file do not disturb each other; the last commit counts", "[io][file]") {
  const TemporaryFolder folder;
  gat::FileWriter first(folder / "out");
  gat::FileWriter second(folder / "out");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  CHECK(gat::read_file(folder / "out") == "first");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("replacing a file keeps its permissions, and a link keeps pointing to it", "[io][file]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "real", "old");
  fs::permissions(folder / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder / "link");
  gat::write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(gat::read_file(folder / "real") == "new");
  CHECK(fs::status(folder / "real").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("errors of the file system name the path and the reason", "[io][file]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(gat::read_file(folder / "missing"), gat::FileError);
  CHECK_THROWS_WITH(gat::read_file(folder / "missing"),
                    Catch::Contains("missing") && Catch::Contains("No such file"));
  CHECK_THROWS_AS(gat::read_file(folder.path()), gat::FileError);
  CHECK_THROWS_AS(gat::write_file(folder.path(), "x"), gat::FileError);
  CHECK_THROWS_AS(gat::write_file(folder / "no/such/folder", "x"), gat::FileError);
  CHECK_THROWS_AS(gat::write_file("/dev/null", "x"), gat::FileError);
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("an error at the last step of writing leaves no trace", "[io][file]") {
  // A name longer than a file system allows fails at the very last step, the renaming.
  const TemporaryFolder folder;
  gat::FileWriter writer(folder / std::string(300, 'n'));
  writer.write("x");
  CHECK_THROWS_AS(writer.commit(), gat::FileError);
}

TEST_CASE("a committed writer takes no more", "[io][file]") {
  const TemporaryFolder folder;
  gat::FileWriter writer(folder / "out");
  writer.commit();
  CHECK_THROWS_AS(writer.write("x"), gat::UsageError);
  CHECK_THROWS_AS(writer.commit(), gat::UsageError);
}

TEST_CASE("the byte limit of reading counts for files and for pipes", "[io][file]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "ten", "0123456789");
  CHECK(gat::read_file(folder / "ten", 10).size() == 10);
  CHECK_THROWS_AS(gat::read_file(folder / "ten", 9), gat::LimitError);
  CHECK_THROWS_AS(gat::read_file("/dev/zero", 1 << 22), gat::LimitError);
}
