#include "gat/io/pickle.hpp"

#include <filesystem>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/io/file.hpp"
#include "gat/io/npy.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "test_data.hpp"

using namespace std::string_literals;
using Kind = gat::PickleValue::Kind;
using Integers = std::vector<std::int64_t>;

namespace {

// The instructions that the tests write, as Python 2 does with protocol 2.
std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
std::string text(const std::string& content) { return "U" + little(content.size(), 1) + content; }
std::string integer(int value) { return "J" + little(static_cast<std::uint32_t>(value), 4); }

std::string dtype(const std::string& name, const std::string& order) {
  return global("numpy", "dtype") + text(name) + "K\0K\1\x87R("s + "K\3" + text(order) + "NNN" + integer(-1) +
         integer(-1) + "K\0tb"s;
}

std::string ndarray(const std::string& shape_tuple, const std::string& type, const std::string& content,
                    bool fortran = false) {
  return global("numpy.core.multiarray", "_reconstruct") + global("numpy", "ndarray") + "K\0\x85"s +
         text("b") + "\x87R(K\1" + shape_tuple + type + (fortran ? "\x88" : "\x89") + content + "tb";
}

// The matrix [[0, 5], [7, 0]].
std::string csr(const std::string& module) {
  const std::string i4 = dtype("i4", "<");
  return global(module, "csr_matrix") + ")\x81}(" + text("format") + text("csr") + text("_shape") +
         "K\2K\2\x86" + text("indptr") +
         ndarray("K\3\x85", i4, text(little(0, 4) + little(1, 4) + little(2, 4))) + text("indices") +
         ndarray("K\2\x85", i4, text(little(1, 4) + little(0, 4))) + text("data") +
         ndarray("K\2\x85", dtype("f4", "<"), text("\0\0\xa0\x40\0\0\xe0\x40"s)) + "ub";
}

std::string pickle(const std::string& content) { return "\x80\2" + content + "."; }

// Runs a pickle and asks its root for everything that there is.
void read_all(const std::string& bytes) {
  const gat::Pickle loaded(bytes, "p");
  const gat::PickleValue root = loaded.root();
  for (const auto& ask : std::vector<void (*)(const gat::PickleValue&)>{
           [](const gat::PickleValue& v) { v.as_csr(); }, [](const gat::PickleValue& v) { v.as_lists(); },
           [](const gat::PickleValue& v) { v.as_array().as_reals(); },
           [](const gat::PickleValue& v) { v.as_integers(); }, [](const gat::PickleValue& v) { v.as_text(); },
           [](const gat::PickleValue& v) { v.as_real(); }}) {
    refuses([&] { ask(root); });
  }
}

std::string refusal_of(const std::string& bytes) {
  return refusal([&] { gat::Pickle(bytes, "p"); });
}

}  // namespace

TEST_CASE("scalars and strings of all kinds are read", "[io][pickle]") {
  const gat::Pickle loaded(
      pickle("(N\x88\x89K\xff"s + "M\1\2" + integer(-7) + "\x8a\5\0\0\0\0\1"s + "\x8a\1\xff" + "\x8a\0"s +
             "G\x3f\xe0\0\0\0\0\0\0"s + text("\xff") + "X\2\0\0\0\xc3\xa9"s + "\x8c\1a" + "C\1b" +
             "B\1\0\0\0c"s + "T\1\0\0\0d"s + "t"),
      "p");
  const gat::PickleValue root = loaded.root();
  REQUIRE(root.kind() == Kind::tuple);
  REQUIRE(root.size() == 16);
  CHECK(root.at(0).is_none());
  CHECK(root.at(1).as_boolean());
  CHECK_FALSE(root.at(2).as_boolean());
  const Integers expected{255, 513, -7, 1LL << 32, -1, 0};
  for (gat::Index i = 0; i < 6; ++i)
    CHECK(root.at(3 + i).as_integer() == expected[static_cast<std::size_t>(i)]);
  CHECK(root.at(9).as_real() == 0.5);
  CHECK(root.at(5).as_real() == -7);
  CHECK(root.at(10).as_text() == "\xff");
  CHECK(root.at(10).kind() == Kind::bytes);
  CHECK(root.at(11).as_text() == "\xc3\xa9");
  CHECK(root.at(12).as_text() == "a");
  CHECK(root.at(13).as_text() == "b");
  CHECK(root.at(15).as_text() == "d");
  CHECK_THAT(refusal([&] { root.at(16); }), Catch::Contains("has 16 members"));
  CHECK_THAT(refusal([&] { root.at(0).as_integer(); }), Catch::Contains("found None; expected an integer"));
}

TEST_CASE("a dictionary of lists gives its keys and members in order", "[io][pickle]") {
  const std::string start =
      global("collections", "defaultdict") + "q\1" + global("__builtin__", "list") + "\x85R(";
  const gat::Pickle loaded(pickle(start + "K\0](K\1K\2eK\1]K\0aK\2]u"s), "p");
  const gat::PickledLists lists = loaded.root().as_lists();
  CHECK(lists.keys == Integers{0, 1, 2});
  CHECK(lists.row_offsets == std::vector<gat::Index>{0, 2, 3, 3});
  CHECK(lists.members == Integers{1, 2, 0});

  const gat::Pickle twice(pickle("}(K\0]K\0]u"s), "p");
  CHECK_THAT(refusal([&] { twice.root().as_lists(); }), Catch::Contains("the key 0 occurs twice"));
}

TEST_CASE("the last of equal text keys counts, as in Python", "[io][pickle]") {
  const gat::Pickle loaded(pickle("}(" + text("a") + "K\1" + text("a") + "K\2" + "u" + text("b") + "K\3s"),
                           "p");
  CHECK(loaded.root().at("a").as_integer() == 2);
  CHECK(loaded.root().at("b").as_integer() == 3);
  CHECK(loaded.root().size() == 3);
  CHECK(loaded.root().key(0).as_text() == "a");
  CHECK(loaded.root().value(0).as_integer() == 1);
  CHECK_FALSE(loaded.root().contains("c"));
  CHECK_THAT(refusal([&] { loaded.root().at("c"); }), Catch::Contains("has no key 'c'"));
}

TEST_CASE("arrays keep byte order, shape and Fortran order", "[io][pickle]") {
  const std::string content = text(little(1, 4) + little(2, 4) + little(3, 4) + little(4, 4));
  const gat::Pickle c(pickle(ndarray("K\2K\2\x86", dtype("i4", "<"), content)), "p");
  CHECK(c.root().as_array().as_integers() == Integers{1, 2, 3, 4});
  CHECK(c.root().as_integers() == Integers{1, 2, 3, 4});
  const gat::Pickle f(pickle(ndarray("K\2K\2\x86", dtype("i4", "<"), content, true)), "p");
  CHECK(f.root().as_array().as_integers() == Integers{1, 3, 2, 4});
  const gat::Pickle big(pickle(ndarray("K\1\x85", dtype("i4", ">"), text("\0\0\1\0"s))), "p");
  CHECK(big.root().as_array().as_integers() == Integers{256});
}

TEST_CASE("a CSR matrix is read under the old and the new name of its module", "[io][pickle]") {
  for (const char* module : {"scipy.sparse.csr", "scipy.sparse._csr"}) {
    const gat::Pickle loaded(pickle(csr(module)), "p");
    const gat::CsrMatrix matrix = loaded.root().as_csr();
    CHECK(matrix.rows == 2);
    CHECK(matrix.cols == 2);
    CHECK(matrix.row_offsets == std::vector<gat::EdgeId>{0, 1, 2});
    CHECK(matrix.column_indices == std::vector<gat::NodeId>{1, 0});
    CHECK(matrix.values == std::vector<gat::Real>{5, 7});
  }
}

TEST_CASE("an array of objects gives its members", "[io][pickle]") {
  const gat::Pickle loaded(pickle(ndarray(")", dtype("O8", "|"), "]" + csr("scipy.sparse.csr") + "a")), "p");
  REQUIRE(loaded.root().size() == 1);
  CHECK(loaded.root().at(0).as_csr().values.size() == 2);
  CHECK(loaded.root().as_array().is_object());
}

TEST_CASE("bytes that Python 3 wrote as Latin-1 text are bytes again", "[io][pickle]") {
  const std::string encode = global("_codecs", "encode");
  const gat::Pickle loaded(pickle(encode + "X\3\0\0\0a\xc3\xbf"s + "X\6\0\0\0latin1\x86R"s), "p");
  CHECK(loaded.root().kind() == Kind::bytes);
  CHECK(loaded.root().as_text() == "a\xff");
  CHECK_THAT(refusal_of(pickle(encode + "X\2\0\0\0\xc4\x80"s + "X\6\0\0\0latin1\x86R"s)),
             Catch::Contains("not Latin-1"));
  CHECK_THAT(refusal_of(pickle(encode + "X\1\0\0\0aX\3\0\0\0hex\x86R"s)),
             Catch::Contains("other than latin1"));
}

TEST_CASE("protocol 4 with frames, a memo and names from the stack is read", "[io][pickle]") {
  const std::string body =
      "\x8c\x05numpy\x94\x8c\x05"
      "dtype\x94\x93\x94\x8c\x02i4\x94\x89\x88\x87\x94R\x94h\2\x86.";
  const gat::Pickle loaded("\x80\4\x95"s + little(body.size(), 8) + body, "p");
  CHECK(loaded.root().at(0).kind() == Kind::type);
  CHECK(loaded.root().at(1).kind() == Kind::name);
}

TEST_CASE("B40: a pickle that asks for anything but plain data is refused and nothing runs",
          "[io][pickle][cases]") {
  const std::filesystem::path witness = std::filesystem::temp_directory_path() / "gat-pickle-witness";
  const std::string command = "touch " + witness.string();
  std::filesystem::remove(witness);
  CHECK_THAT(refusal_of(pickle(global("os", "system") + text(command) + "\x85R")),
             Catch::Contains("p: byte 2: the pickle asks for 'os system'"));
  CHECK_THAT(refusal_of("cos\nsystem\n(S'" + command + "'\ntR."), Catch::Contains("os system"));
  CHECK_THAT(refusal_of(pickle("\x8c\5posix\x8c\6system\x93")), Catch::Contains("posix system"));
  CHECK_FALSE(std::filesystem::exists(witness));
  CHECK_THAT(refusal_of(pickle(global("\x1b[2Jbuiltins", "eval"))), Catch::Contains("\\x1b[2Jbuiltins eval"));
  CHECK_FALSE(refusal_of(pickle(global("numpy", "load"))).empty());
  CHECK_FALSE(refusal_of(pickle(global("numpy.core.multiarray\\", "_reconstruct"))).empty());
  // Allowed names in uses that are not those of data.
  CHECK_FALSE(refusal_of(pickle(global("builtins", "list") + ")R")).empty());
  CHECK_FALSE(refusal_of(pickle(global("numpy", "ndarray") + ")\x81")).empty());
  CHECK_FALSE(refusal_of(pickle(global("scipy.sparse.csr", "csr_matrix") + "K\1\x85\x81")).empty());
  CHECK_FALSE(refusal_of(pickle(global("numpy", "dtype") + "}b")).empty());
  CHECK_FALSE(refusal_of(pickle("K\1)R")).empty());
}

TEST_CASE("instructions that are not data are refused by their byte", "[io][pickle][hostile]") {
  for (const std::string& code :
       {"i"s, "o"s, "P"s, "Q"s, "\x82\1"s, "\x92"s, "\x97"s, "S'a'\n"s, "I1\n"s, "0"s, "2"s}) {
    CHECK_THAT(refusal_of(pickle("K\1" + code)), Catch::Contains("p: byte 4: the pickle instruction"));
  }
  CHECK_THAT(refusal_of("\x80\5N."), Catch::Contains("protocol above 4"));
  CHECK_THAT(refusal_of(pickle("N") + "N"), Catch::Contains("after the end"));
  CHECK_FALSE(refusal_of(pickle("NN")).empty());
  CHECK_FALSE(refusal_of(pickle("")).empty());
  CHECK_FALSE(refusal_of(pickle("(N")).empty());
}

TEST_CASE("instructions on an empty or unfit stack are refused", "[io][pickle][hostile]") {
  for (const std::string& code :
       {"\x85"s, "\x86"s, "\x87"s, "t"s,       "a"s,    "e"s,   "s"s,         "u"s,
        "R"s,    "b"s,    "\x81"s, "\x93"s,    "q\1"s,  "h\1"s, "j\1\0\0\0"s, "]N(Na"s,
        "N(Ne"s, "](Nu"s, "}(Nu"s, "](N\x86"s, "(q\0"s, "](R"s, "N(b"s}) {
    INFO(code);
    CHECK(refuses([&] { gat::Pickle(pickle(code), "p"); }));
  }
}

TEST_CASE("giant lengths and memo numbers take no memory", "[io][pickle][hostile]") {
  for (const std::string& code :
       {"T\xff\xff\xff\x7f"s, "T\xff\xff\xff\xff"s, "B\xff\xff\xff\xff"s, "X\xff\xff\xff\xff"s,
        "\x8e\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"s,
        "\x95\xff\xff\xff\xff\xff\xff\xff\xff"s, "Nr\xff\xff\xff\xff"s, "\x8a\xff"s,
        "\x8a\x09"
        "123456789"s}) {
    CHECK(refuses([&] { gat::Pickle(pickle(code), "p"); }));
  }
}

TEST_CASE("deep nesting and lists that hold themselves do no harm", "[io][pickle][hostile]") {
  const int depth = 1'000'000;
  const gat::Pickle deep(pickle(std::string(depth, ']') + std::string(depth - 1, 'a')), "p");
  CHECK(deep.root().size() == 1);
  const gat::Pickle tuples(pickle("N" + std::string(depth, '\x85')), "p");
  CHECK(tuples.root().at(0).size() == 1);
  const gat::Pickle itself(pickle("]q\1h\1a"), "p");
  CHECK(itself.root().at(0).at(0).size() == 1);
  CHECK(refuses([&] { itself.root().as_integers(); }));
  CHECK(refuses([&] { gat::Pickle(std::string(depth, '('), "p"); }));
}

TEST_CASE("bombs made of the memo are refused", "[io][pickle][hostile]") {
  // One text of 1000 bytes decoded 1000 times.
  const std::string once = "h\1h\2h\3\x86R";
  std::string bomb =
      global("_codecs", "encode") + "q\1X\xe8\3\0\0"s + std::string(1000, 'x') + "q\2X\6\0\0\0latin1q\3\x87"s;
  for (int i = 0; i < 1000; ++i) bomb += once;
  CHECK_THROWS_AS(gat::Pickle(pickle("(" + bomb + "t"), "p"), gat::LimitError);
  // One list of 1000 members under 1000 keys.
  std::string lists = "](";
  for (int i = 0; i < 1000; ++i) lists += "K\1";
  lists += "eq\1}(";
  for (int i = 0; i < 1000; ++i) lists += "M" + little(static_cast<std::uint64_t>(i), 2) + "h\1";
  const gat::Pickle shared(pickle(lists + "u\x86"), "p");
  CHECK_THROWS_AS(shared.root().at(1).as_lists(), gat::LimitError);
}

TEST_CASE("arrays that contradict themselves are refused", "[io][pickle][hostile]") {
  const std::string i4 = dtype("i4", "<");
  const auto asked = [](const std::string& content) {
    return refuses([&] { gat::Pickle(pickle(content), "p").root().as_array().as_integers(); });
  };
  CHECK_FALSE(asked(ndarray("K\1\x85", i4, text("abcd"))));
  CHECK(asked(ndarray("K\2\x85", i4, text("abcd"))));
  CHECK(asked(ndarray(integer(-1) + "\x85", i4, text("abcd"))));
  CHECK(asked(ndarray("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85", i4, text("abcd"))));
  CHECK(asked(ndarray("K\1", i4, text("abcd"))));
  CHECK(asked(ndarray("N\x85", i4, text("abcd"))));
  CHECK(asked(ndarray("K\1\x85", "N", text("abcd"))));
  CHECK(asked(ndarray("K\1\x85", i4, "]")));
  CHECK(asked(ndarray("K\1\x85", dtype("c8", "<"), text("abcdefgh"))));
  CHECK(asked(ndarray("K\1\x85", dtype("i4", "?"), text("abcd"))));
  CHECK(asked(global("numpy.core.multiarray", "_reconstruct") + ")R"));
}

TEST_CASE("every cut and any flipped bits of a pickle end in an orderly refusal", "[io][pickle][hostile]") {
  const std::string matrix = pickle(csr("scipy.sparse.csr"));
  const std::string graph =
      pickle(global("collections", "defaultdict") + "q\1" + global("__builtin__", "list") +
             "\x85Rq\2(K\0](K\1K\2eK\1]q\3K\0aK\2h\3u"s);
  for (const std::string& bytes : {matrix, graph}) {
    check_every_truncation(bytes, [](const std::string& cut) { read_all(cut); });
    check_bit_flips(bytes, 5000, [](const std::string& damaged) { read_all(damaged); });
  }
}

TEST_CASE("the Planetoid files have the published sizes", "[io][pickle][data]") {
  struct Expected {
    const char* set;
    gat::Index rows, cols, entries;
    std::size_t nodes;
  };
  for (const Expected& e :
       {Expected{"cora", 1708, 1433, 31261, 2708}, Expected{"citeseer", 2312, 3703, 73173, 3327},
        Expected{"pubmed", 18717, 500, 937891, 19717}}) {
    const std::string stem = std::string("planetoid/") + e.set + "/ind." + e.set;
    const auto allx = find_test_data(stem + ".allx");
    if (!allx) return;
    const gat::Pickle features(gat::read_file(*allx), allx->string());
    const gat::CsrMatrix matrix = features.root().as_csr();
    CHECK(matrix.rows == e.rows);
    CHECK(matrix.cols == e.cols);
    CHECK(matrix.num_entries() == e.entries);
    const auto ally = find_test_data(stem + ".ally");
    const gat::Pickle labels(gat::read_file(*ally), ally->string());
    CHECK(labels.root().as_array().as_matrix().rows() == e.rows);
    const auto graph = find_test_data(stem + ".graph");
    const gat::Pickle edges(gat::read_file(*graph), graph->string());
    const gat::PickledLists lists = edges.root().as_lists();
    CHECK(lists.keys.size() == e.nodes);
    CHECK(lists.keys.back() == static_cast<std::int64_t>(e.nodes) - 1);
  }
}

TEST_CASE("a matrix within an array of objects of an npz archive is read", "[io][pickle][data]") {
  const auto path = find_test_data("graphdata/dblp.npz");
  if (!path) return;
  const gat::StoredArray array = gat::NpzArchive(*path).array("adj_matrix");
  const gat::Pickle loaded(std::string(array.bytes()), array.place());
  CHECK(loaded.root().at(0).as_csr().num_entries() == 105734);
}
