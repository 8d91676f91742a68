#include "gat/io/text_table.hpp"

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/io/npy.hpp"
#include "gat/io/safetensors.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"
#include "test_data.hpp"

using gat::HeaderRule;
using gat::Index;
using gat::TextTable;

namespace {

// The fields of all rows: "a|b;c|d".
std::string rows_of(const TextTable& table) {
  std::string result;
  for (Index i = 0; i < table.num_rows(); ++i) {
    if (i > 0) result += ";";
    for (Index c = 0; c < table.num_fields(i); ++c)
      result += (c > 0 ? "|" : "") + std::string(table.field(i, c));
  }
  return result;
}

TextTable parse(const std::string& text, const gat::TextTableOptions& options = {}) {
  return {text, "t.txt", options};
}

}  // namespace

TEST_CASE("B34: header and delimiter come from the content, not from the name", "[io][table][cases]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "edges.csv", "0\t1\n1\t2");
  const TextTable tabs(folder / "edges.csv");
  CHECK(rows_of(tabs) == "0|1;1|2");
  CHECK(tabs.delimiter() == '\t');
  CHECK_FALSE(tabs.has_header());

  const TextTable with = parse("source,target\n0,1\n1,2\n");
  CHECK(rows_of(with) == "0|1;1|2");
  CHECK(with.has_header());
  CHECK(with.delimiter() == ',');
  CHECK(with.header() == std::vector<std::string_view>{"source", "target"});
  CHECK(with.find_column("Target") == 1);
  CHECK_FALSE(with.find_column("weight"));

  const TextTable without = parse("0,1\n1,2\n");
  CHECK(rows_of(without) == "0|1;1|2");
  CHECK_FALSE(without.has_header());
  CHECK(without.header().empty());
}

TEST_CASE("B35: a byte-order mark and carriage returns are dropped and reported", "[io][table][cases]") {
  const TextTable labels = parse(
      "\xef\xbb\xbf"
      "0\tA\r\n1\tA\n");
  CHECK(rows_of(labels) == "0|A;1|A");
  CHECK(labels.had_byte_order_mark());
  CHECK(labels.had_carriage_returns());
  const TextTable edges = parse(
      "\xef\xbb\xbf"
      "0\t1\r\n");
  CHECK(rows_of(edges) == "0|1");
  CHECK(rows_of(parse("0 1\r2 3\r")) == "0|1;2|3");
  CHECK_FALSE(parse("0 1\n").had_carriage_returns());
}

TEST_CASE("B37: blanks do not count, and a comment sign only at the start of a line", "[io][table][cases]") {
  const TextTable table = parse("# c\n0  1\n\n1 2\t\na#1 0");
  CHECK(rows_of(table) == "0|1;1|2;a#1|0");
  CHECK_FALSE(table.has_header());
  CHECK(table.place(Index{0}) == "t.txt:2");
  CHECK(table.place(Index{2}) == "t.txt:5");
  CHECK(rows_of(parse("% c\n  0   1  \n \t \n 2\t3")) == "0|1;2|3");
  gat::TextTableOptions no_comments;
  no_comments.comments = false;
  CHECK(rows_of(parse("#1 2\n3 4", no_comments)) == "#1|2;3|4");
}

namespace {

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("B38: reading and writing do not depend on the locale", "[io][table][cases]") {
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  bool found = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
    found = found || std::setlocale(LC_ALL, name) != nullptr;
  }
  if (!found) WARN("no locale of C with a decimal comma is installed; only that of C++ streams is tested");
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));

  const TextTable table = parse("0.5 1.25e-1 0.005\n0,5 1 2\n");
  CHECK(table.parse_real(table.field(0, 0)) == gat::Real(0.5));
  CHECK(table.parse_real(table.field(0, 1)) == gat::Real(0.125));
  CHECK(table.parse_real(table.field(0, 2)) == gat::Real(0.005));
  CHECK(refuses([&] { table.parse_real(table.field(1, 0)); }));
  const std::vector<std::int64_t> many(123456, 1);
  const std::string npy_file = gat::npy_bytes(gat::StoredArray::of(many, {123456}));
  const std::string tensor_file = gat::safetensors_bytes({{{"a", gat::StoredArray::of(many, {123456})}}, {}});

  std::locale::global(before);
  std::setlocale(LC_ALL, c_before.c_str());
  CHECK(npy_file == gat::npy_bytes(gat::StoredArray::of(many, {123456})));
  CHECK_THAT(tensor_file, Catch::Contains("\"shape\":[123456],\"data_offsets\":[0,987648]"));
}

TEST_CASE("B47: ids may be larger than 32 bits", "[io][table][cases]") {
  const TextTable table = parse("4294967296 0\n");
  CHECK(table.parse_integer(table.field(0, 0)) == 4294967296LL);
}

TEST_CASE("the delimiter that cuts all rows alike is chosen", "[io][table]") {
  CHECK(rows_of(parse("7\t0,1,0\t2\n8\t1,1,0\t0\n")) == "7|0,1,0|2;8|1,1,0|0");
  CHECK(rows_of(parse("1, 2\n2, 1\n")) == "1|2;2|1");
  CHECK(rows_of(parse("1;0,5\n2;1,5\n")) == "1|0,5;2|1,5");
  CHECK(rows_of(parse("New York\t1\nRome\t2\n")) == "New York|1;Rome|2");
  CHECK(rows_of(parse("0\t\t1\n1\t\t2\n")) == "0|1;1|2");
  CHECK(rows_of(parse("0\t1\n1 2\n")) == "0|1;1|2");
  CHECK(rows_of(parse("0,1,2\n1,0\n2\n")) == "0|1|2;1|0;2");
  CHECK(rows_of(parse("1708\n2707\n")) == "1708;2707");
  gat::TextTableOptions commas;
  commas.delimiter = ',';
  CHECK(rows_of(parse("a b,c\n", commas)) == "a b|c");
}

TEST_CASE("empty fields stay, and rows of different length are told apart", "[io][table]") {
  const TextTable table = parse("0,,2\n,1,\n0,1\n");
  CHECK(rows_of(table) == "0||2;|1|;0|1");
  CHECK_FALSE(table.is_rectangular());
  CHECK(table.num_columns() == 3);
  CHECK(parse("0,1\n1,2\n").is_rectangular());
  CHECK(rows_of(parse("\tsource\ttarget\n0\t1\t2\n")) == "0|1|2");
}

TEST_CASE("quoted fields may hold delimiters and quotes", "[io][table]") {
  const TextTable table = parse("1,\"Smith, J.\"\n2,\"say \"\"hi\"\"\"\n3,\"\"\n4, \"x\" \n");
  CHECK(rows_of(table) == "1|Smith, J.;2|say \"hi\";3|;4|x");
  CHECK(rows_of(parse("\"New York\" Rome\nOslo \"\"\n")) == "New York|Rome;Oslo|");
  CHECK_THAT(refusal([] { parse("1,2\n1,\"open\n"); }),
             Catch::Contains("t.txt:2:3: a double quote is not closed"));
  CHECK_THAT(refusal([] { parse("1,2\n1,\"a\"b\n"); }), Catch::Contains("t.txt:2:6"));
}

TEST_CASE("headers are found by words above numbers and by the usual words", "[io][table]") {
  CHECK(parse("paper score\n1 0.5\n2 nan\n").has_header());
  CHECK(parse("node_id\tfeature(feature_amount:931)\tlabel\n0\t1,2\t3\n").has_header());
  CHECK(parse("id,label\np1,AI\np2,ML\n").has_header());
  CHECK(parse("id,0,1,2\n5,0.5,1,0\n").has_header());
  CHECK(parse("source,target\n").has_header());
  CHECK(parse("label\nA\nB\n").has_header());
  CHECK_FALSE(parse("a#1 0\n1 2\n").has_header());
  CHECK_FALSE(parse("alice bob\nbob carol\n").has_header());
  CHECK_FALSE(parse("from to\nto from\nfrom from\nx to\n").has_header());
  CHECK_FALSE(parse("").has_header());
  CHECK_FALSE(parse("0 1\n").has_header());
}

TEST_CASE("a declared header rule overrules the content", "[io][table]") {
  gat::TextTableOptions options;
  options.header = HeaderRule::yes;
  CHECK(rows_of(parse("0,1\n1,2\n", options)) == "1|2");
  CHECK(parse("", options).num_rows() == 0);
  options.header = HeaderRule::no;
  CHECK(rows_of(parse("source,target\n0,1\n", options)) == "source|target;0|1");
}

TEST_CASE("files without content have no rows", "[io][table]") {
  for (const std::string text : {"", "\n", "\n\n \n", "# only\n# comments", "\xef\xbb\xbf"})
    CHECK(parse(text).num_rows() == 0);
}

TEST_CASE("wrong numbers are refused with file, line and column", "[io][table]") {
  const TextTable table = parse("0,1.5,x\n1,nan,2.0\n,1e999,99999999999999999999\n");
  CHECK(table.parse_real(table.field(0, 1)) == gat::Real(1.5));
  CHECK_THAT(refusal([&] { table.parse_real(table.field(0, 2)); }),
             Catch::StartsWith("t.txt:1:7: found 'x'; expected a number"));
  CHECK_THAT(refusal([&] { table.parse_real(table.field(1, 1)); }),
             Catch::StartsWith("t.txt:2:3: found 'nan'; expected a finite number"));
  CHECK(std::isnan(table.parse_real(table.field(1, 1), true)));
  CHECK_THAT(refusal([&] { table.parse_integer(table.field(1, 2)); }),
             Catch::StartsWith("t.txt:2:7: found '2.0'; expected a whole number"));
  CHECK_THAT(refusal([&] { table.parse_integer(table.field(2, 0)); }),
             Catch::StartsWith("t.txt:3:1: found ''"));
  CHECK_THAT(refusal([&] { table.parse_real(table.field(2, 1)); }), Catch::StartsWith("t.txt:3:2"));
  CHECK_THAT(refusal([&] { table.parse_integer(table.field(2, 2)); }), Catch::StartsWith("t.txt:3:8"));
  const TextTable lists = parse("7\t0,x,0\n8\t1,1,0\n");
  CHECK(lists.place(lists.field(0, 1).substr(2, 1)) == "t.txt:1:5");
  const TextTable last = parse("1,");
  CHECK(last.place(last.field(0, 1)) == "t.txt:1:3");
}

TEST_CASE("numbers are read whole or not at all", "[io][table]") {
  CHECK(gat::to_real("+1e-3") == gat::Real(1e-3));
  CHECK(gat::to_real("-.5") == gat::Real(-0.5));
  CHECK(gat::to_real("0.1") == gat::Real(0.1));
  CHECK(gat::to_real("1e-4000") == gat::Real(0));
  CHECK(gat::to_real("-0." + std::string(400, '0') + "1") == gat::Real(0));
  CHECK(gat::to_real("1e-40") == gat::Real(1e-40));
  CHECK(gat::to_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(gat::to_integer("+5") == 5);
  for (const char* bad : {"", " 1", "1 ", "1,5", "0x10", "1e", "+-1", "++1", "+", "-", ".", "1e4000",
                          "-1"
                          "e4000",
                          "1.0.0", "1f"}) {
    INFO(bad);
    CHECK_FALSE(gat::to_real(bad));
    CHECK_FALSE(gat::to_integer(bad));
  }
  CHECK_FALSE(gat::to_integer("9223372036854775808"));
  CHECK(std::isinf(*gat::to_real("-inf")));
}

TEST_CASE("text in another encoding is refused with the place", "[io][table][hostile]") {
  CHECK_THAT(refusal([] { parse("0 1\n1 caf\xe9\n"); }),
             Catch::Contains("t.txt:2:6: the byte '\\xe9' is not UTF-8 text"));
  CHECK_THAT(refusal([] {
               parse(
                   std::string("\xff\xfe"
                               "0\0",
                               4));
             }),
             Catch::Contains("the text is UTF-16"));
  CHECK_THAT(refusal([] { parse(std::string("0 1\n\0", 5)); }), Catch::Contains("t.txt:2:1"));
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
    CHECK(refuses([&] { parse(bad); }));
  CHECK(rows_of(parse("\xc3\xa9 \xe2\x82\xac\n\xf0\x9f\x98\x80 \xed\x9f\xbf\n")) ==
        "\xc3\xa9|\xe2\x82\xac;\xf0\x9f\x98\x80|\xed\x9f\xbf");
}

TEST_CASE("a line above 16 MiB is refused", "[io][table][hostile]") {
  const std::string longest(1 << 24, '1');
  CHECK(parse(longest).num_rows() == 1);
  CHECK_THROWS_AS(parse(longest + "1"), gat::LimitError);
}

TEST_CASE("tables can be copied and moved", "[io][table]") {
  TextTable table = parse("0 x");
  const TextTable copy = table;
  const TextTable moved = std::move(table);
  CHECK(rows_of(copy) == "0|x");
  CHECK(rows_of(moved) == "0|x");
}

TEST_CASE("a table packed by gzip is unpacked", "[io][table]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "edges.csv.gz", deflated("0,1\n1,2\n", 31));
  CHECK(rows_of(TextTable(folder / "edges.csv.gz")) == "0|1;1|2");
}

TEST_CASE("any flipped bits of a table end in rows or in an orderly refusal", "[io][table][hostile]") {
  const std::string text = "source,target,\"na \"\"me\"\"\"\n0,1,a\r\n1,2,\"b,c\"\n# x\n";
  const auto read = [](const std::string& bytes) {
    const TextTable table = parse(bytes);
    rows_of(table);
    for (Index i = 0; i < table.num_rows(); ++i) {
      for (Index c = 0; c < table.num_fields(i); ++c) table.parse_real(table.field(i, c));
    }
  };
  check_bit_flips(text, 5000, read);
  for (std::size_t n = 0; n < text.size(); ++n) CHECK_NOTHROW(refuses([&] { read(text.substr(0, n)); }));
}

TEST_CASE("shared edge lists have the published numbers of rows", "[io][table][data]") {
  const auto votes = find_test_data("graphs/edgelist/wiki-Vote.txt");
  if (!votes) return;
  const TextTable table(*votes);
  CHECK(table.num_rows() == 103689);
  CHECK(table.is_rectangular());
  CHECK(table.delimiter() == '\t');
  CHECK_FALSE(table.has_header());
  CHECK(table.had_carriage_returns());
  const TextTable hamming(*find_test_data("graphs/edgelist/hamming6-4.edgelist"));
  CHECK(hamming.num_rows() == 704);
  const TextTable film(*find_test_data("geom-gcn/new_data/film/out1_node_feature_label.txt"));
  CHECK(film.has_header());
  CHECK(film.num_columns() == 3);
  CHECK(film.num_rows() == 7600);
  const TextTable years(*find_test_data("ogb/ogbn_arxiv/raw/node_year.csv.gz"));
  CHECK(years.num_rows() == 169343);
  CHECK(years.num_columns() == 1);
}
