#include "gat/io/npy.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"
#include "test_data.hpp"

using gat::Index;
using Integers = std::vector<std::int64_t>;
using Booleans = std::vector<std::uint8_t>;
using Strings = std::vector<std::string>;

namespace {

gat::StoredArray parse(const std::string& bytes) { return gat::parse_npy(bytes, "a.npy"); }

std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

}  // namespace

TEST_CASE("B40: Fortran order is honoured, in a plain file and in both kinds of zip members",
          "[io][npy][cases]") {
  const std::string bytes = npy("|b1", "(2, 3)", bytes_of({1, 0, 0, 1, 1, 0}), true);
  const Booleans expected{1, 0, 1, 0, 1, 0};
  CHECK(parse(bytes).as_booleans() == expected);
  CHECK(parse(bytes).shape() == std::vector<Index>{2, 3});

  const TemporaryFolder folder;
  gat::write_file(folder / "a.npz", zip({{"stored.npy", bytes}, {"deflated.npy", bytes, 8}}));
  const gat::NpzArchive archive(folder / "a.npz");
  CHECK(archive.names() == Strings{"stored", "deflated"});
  CHECK(archive.array("stored").as_booleans() == expected);
  CHECK(archive.array("deflated").as_booleans() == expected);
}

TEST_CASE("three dimensions in Fortran order come out in C order", "[io][npy]") {
  // Element (i, j, k) of shape (2, 3, 2) holds 100 i + 10 j + k.
  std::string data;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
    }
  }
  CHECK(parse(npy("|i1", "(2, 3, 2)", data, true)).as_integers() ==
        Integers{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121});
}

TEST_CASE("integers of every width and byte order keep their values", "[io][npy]") {
  CHECK(parse(npy("|i1", "(2,)", bytes_of({0xff, 0x7f}))).as_integers() == Integers{-1, 127});
  CHECK(parse(npy("|u1", "(2,)", bytes_of({0xff, 0x7f}))).as_integers() == Integers{255, 127});
  CHECK(parse(npy("<i2", "(1,)", bytes_of({0xfe, 0xff}))).as_integers() == Integers{-2});
  CHECK(parse(npy(">i2", "(1,)", bytes_of({0xff, 0xfe}))).as_integers() == Integers{-2});
  CHECK(parse(npy(">u2", "(1,)", bytes_of({1, 2}))).as_integers() == Integers{258});
  CHECK(parse(npy("<i4", "(1,)", little(0x80000000, 4))).as_integers() == Integers{-2147483648LL});
  CHECK(parse(npy("<u4", "(1,)", little(0x80000000, 4))).as_integers() == Integers{2147483648LL});
  CHECK(parse(npy("<i8", "()", little(~0ULL, 8))).as_integers() == Integers{-1});
  CHECK(parse(npy("<f4", "(2,)", bytes_of({0, 0, 0x40, 0x40, 0, 0, 0x80, 0xbf}))).as_integers() ==
        Integers{3, -1});
}

TEST_CASE("reals of every width and byte order keep their values", "[io][npy]") {
  CHECK(parse(npy("<f2", "(4,)", bytes_of({0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b}))).as_reals() ==
        std::vector<gat::Real>{1, -2, gat::Real(0x1p-24), 65504});
  CHECK(std::isinf(parse(npy("<f2", "(1,)", bytes_of({0, 0x7c}))).as_reals()[0]));
  CHECK(std::isnan(parse(npy("<f2", "(1,)", bytes_of({1, 0x7c}))).as_reals()[0]));
  CHECK(parse(npy("<f4", "(1,)", bytes_of({0, 0, 0, 0x3f}))).as_reals()[0] == gat::Real(0.5));
  CHECK(parse(npy(">f4", "(1,)", bytes_of({0x3f, 0, 0, 0}))).as_reals()[0] == gat::Real(0.5));
  CHECK(parse(npy(">f8", "(1,)", bytes_of({0x3f, 0xe0, 0, 0, 0, 0, 0, 0}))).as_reals()[0] == gat::Real(0.5));
  CHECK(parse(npy("|b1", "(2,)", bytes_of({0, 1}))).as_reals() == std::vector<gat::Real>{0, 1});
}

TEST_CASE("values that do not fit are refused with the place, never changed", "[io][npy]") {
  const auto message = [](const std::string& bytes) { return refusal([&] { parse(bytes).as_integers(); }); };
  CHECK_THAT(message(npy("<u8", "(2,)", little(1, 8) + little(1ULL << 63, 8))),
             Catch::Contains("a.npy: element 1: 9223372036854775808 is too large"));
  CHECK_THAT(message(npy("<f4", "(1,)", bytes_of({0, 0, 0, 0x3f}))), Catch::Contains("not a whole number"));
  CHECK_THAT(message(npy("<f4", "(1,)", bytes_of({0, 0, 0xc0, 0x7f}))),
             Catch::Contains("not a whole number"));
  CHECK_THAT(message(npy("<f4", "(1,)", bytes_of({0, 0, 0, 0x5f}))), Catch::Contains("not a whole number"));
  CHECK_THAT(message(npy("<U1", "(1,)", little('a', 4))), Catch::Contains("; expected integers"));
  CHECK_THAT(refusal([] { parse(npy("|u1", "(1,)", "\2")).as_booleans(); }),
             Catch::Contains("expected 0 or 1"));
  if (sizeof(gat::Real) == 4) {
    const std::string huge = npy("<f8", "(1,)", bytes_of({0, 0, 0, 0, 0, 0, 0, 0x7f}));
    CHECK_THAT(refusal([&] { parse(huge).as_reals(); }), Catch::Contains("too large for single precision"));
  }
}

TEST_CASE("text comes out as UTF-8 without the zeros that fill it up", "[io][npy]") {
  const std::string text =
      little('a', 4) + little(0xe9, 4) + little(0, 4) + little(0x1f600, 4) + little(0, 8);
  CHECK(parse(npy("<U3", "(2,)", text)).as_strings() == Strings{"a\xc3\xa9", "\xf0\x9f\x98\x80"});
  CHECK(parse(npy(">U2", "(1,)", bytes_of({0, 0, 1, 0, 0, 0, 0, 0}))).as_strings() == Strings{"\xc4\x80"});
  CHECK(parse(npy("|S3", "(2,)", std::string("ab\0abc", 6))).as_strings() == Strings{"ab", "abc"});
  CHECK(parse(npy("<U0", "(2,)", "")).as_strings() == Strings{"", ""});
  CHECK(refuses([] { parse(npy("<U1", "(1,)", little(0xd800, 4))).as_strings(); }));
  CHECK(refuses([] { parse(npy("|S1", "(1,)", "\xe9")).as_strings(); }));
}

TEST_CASE("an array of objects can be skipped; its values are refused by name", "[io][npy]") {
  const TemporaryFolder folder;
  gat::write_file(folder / "a.npz", zip({{"names.npy", npy("|O", "()", "\x80\2N.")}}));
  const gat::StoredArray array = gat::NpzArchive(folder / "a.npz").array("names");
  CHECK(array.is_object());
  CHECK(array.bytes() == "\x80\2N.");
  CHECK_THAT(refusal([&] { array.as_strings(); }),
             Catch::Contains("a.npz: member names.npy") && Catch::Contains("Python objects"));
  CHECK(refuses([&] { array.as_integers(); }));
  CHECK(refuses([&] { array.as_reals(); }));
  CHECK(refuses([&] { array.as_booleans(); }));
}

TEST_CASE("headers of versions 1, 2 and 3 are read, other versions are refused", "[io][npy]") {
  const std::string header = "{'shape': (3L,), 'fortran_order': False, \"descr\": '|u1'}\n";
  const auto version = [&](char major, char minor) {
    return std::string("\x93NUMPY") + major + minor + little(header.size(), major == 1 ? 2 : 4) + header +
           "\1\2\3";
  };
  for (const char major : {1, 2, 3}) CHECK(parse(version(major, 0)).as_integers() == Integers{1, 2, 3});
  CHECK_THAT(refusal([&] { parse(version(4, 0)); }), Catch::Contains("unknown .npy version 4.0"));
  CHECK(refuses([&] { parse(version(1, 1)); }));
  CHECK(refuses(
      [] { parse(std::string("\x93NUMPY\2\0", 8) + little(1 << 17, 4) + std::string(1 << 17, ' ')); }));
}

TEST_CASE("headers with anything but the three known keys are refused", "[io][npy][hostile]") {
  const auto dictionary = [](const std::string& text) { return refuses([&] { parse(npy(text, "\1")); }); };
  CHECK_FALSE(dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}"));
  CHECK(dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}"));
  CHECK(dictionary("{'descr': '|u1', 'fortran_order': False}"));
  CHECK(dictionary("{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}"));
  CHECK(dictionary("{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (1,)}"));
  CHECK(dictionary("{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}"));
  CHECK(dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': (1.0,)}"));
  CHECK(dictionary("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} + x()"));
  CHECK(dictionary("__import__('os')"));
  for (const std::string dtype :
       {"<c8", "<M8[ns]", "|V4", "<f16", "<f1", "<i3", "|b2", "<i", "<", "", "<i-1", "U99999999999"}) {
    INFO(dtype);
    CHECK(refuses([&] { parse(npy(dtype, "(1,)", std::string(16, '\0'))); }));
  }
}

TEST_CASE("shapes that disagree with the data are refused before memory is taken", "[io][npy][hostile]") {
  for (const std::string shape : {"(2,)", "(4611686018427387904,)", "(4294967296, 4294967296, 4294967296)",
                                  "(-1,)", "(99999999999999999999,)", "(1, 1, 0)"}) {
    INFO(shape);
    CHECK(refuses([&] { parse(npy("<i8", shape, std::string(8, '\0'))); }));
  }
  CHECK(parse(npy("<i8", "(0, 4611686018427387904, 8)", "")).as_integers().empty());
}

TEST_CASE("every cut and any flipped bits of an array end in an orderly refusal", "[io][npy][hostile]") {
  const auto read = [](const std::string& bytes) {
    const gat::StoredArray array = parse(bytes);
    if (array.type().kind == gat::ElementType::Kind::text) {
      array.as_strings();
    } else {
      array.as_reals();
      array.as_integers();
    }
  };
  const std::string numbers = npy("<i4", "(2, 2)", std::string(16, '\1'), true);
  check_every_truncation(numbers, read);
  check_bit_flips(numbers, 3000, read);
  check_bit_flips(npy("<U2", "(2, 2)", std::string(32, '\0')), 3000, read);
}

TEST_CASE("written arrays are read back unchanged, with the data at a multiple of 64 bytes", "[io][npy]") {
  gat::Matrix matrix(2, 3);
  for (Index k = 0; k < 6; ++k)
    matrix(k / 3, k % 3) = gat::Real(0.1) * static_cast<gat::Real>(k) - gat::Real(0.25);
  const std::string bytes = gat::npy_bytes(gat::StoredArray::of(matrix));
  const gat::Matrix back = parse(bytes).as_matrix();
  REQUIRE((back.rows() == 2 && back.cols() == 3));
  for (Index k = 0; k < 6; ++k) CHECK(back(k / 3, k % 3) == matrix(k / 3, k % 3));
  CHECK((bytes.size() - 6 * sizeof(gat::Real)) % 64 == 0);

  const Integers values{-1, 1LL << 40, 0};
  const gat::StoredArray integers = parse(gat::npy_bytes(gat::StoredArray::of(values, {3})));
  CHECK(integers.as_integers() == values);
  CHECK(integers.shape() == std::vector<Index>{3});
  CHECK(parse(gat::npy_bytes(gat::StoredArray::of(Integers{7}, {}))).rank() == 0);
  CHECK_THROWS_AS(gat::StoredArray::of(values, {4}), gat::ShapeError);
}

TEST_CASE("a view of a part of a matrix is stored without its gaps", "[io][npy]") {
  gat::Matrix matrix(2, 3);
  for (Index k = 0; k < 6; ++k) matrix(k / 3, k % 3) = static_cast<gat::Real>(k);
  CHECK(gat::StoredArray::of(matrix.view().columns(1, 2)).as_integers() == Integers{1, 2, 4, 5});
}

TEST_CASE("the three arrays of a sparse matrix are put together and checked", "[io][npy]") {
  const auto integers = [](const Integers& values) {
    return gat::StoredArray::of(values, {static_cast<Index>(values.size())});
  };
  const auto build = [&](const Integers& shape, const Integers& offsets, const Integers& columns) {
    return gat::csr_from_arrays(shape, integers(offsets), integers(columns),
                                integers(Integers(columns.size(), 5)), "m");
  };
  const gat::CsrMatrix matrix = build({2, 3}, {0, 2, 3}, {2, 0, 1});
  CHECK(matrix.cols == 3);
  CHECK(matrix.column_indices == std::vector<gat::NodeId>{2, 0, 1});
  CHECK(matrix.values == std::vector<gat::Real>{5, 5, 5});
  CHECK(build({0, 0}, {0}, {}).rows == 0);
  CHECK(refuses([&] { build({2, 3}, {0, 2, 3}, {2, 0, 3}); }));
  CHECK(refuses([&] { build({2, 3}, {0, 2, 3}, {2, 0, -1}); }));
  CHECK(refuses([&] { build({2, 3}, {0, 4, 3}, {2, 0, 1}); }));
  CHECK(refuses([&] { build({2, 3}, {1, 2, 3}, {2, 0, 1}); }));
  CHECK(refuses([&] { build({2, 3}, {0, 3}, {2, 0, 1}); }));
  CHECK(refuses([&] { build({2}, {0, 2, 3}, {2, 0, 1}); }));
  CHECK(refuses([&] { build({2, 1LL << 40}, {0, 2, 3}, {2, 0, 1}); }));
  CHECK(refuses([&] { build({std::numeric_limits<std::int64_t>::max(), 3}, {0, 2, 3}, {2, 0, 1}); }));
}

TEST_CASE("the masks of a heterophilous graph cover every node once", "[io][npy][data]") {
  const auto path = find_test_data("heterophilous/chameleon.npz");
  if (!path) return;
  const gat::NpzArchive archive(*path);
  CHECK(archive.array("train_masks").fortran_order());
  const Booleans train = archive.array("train_masks").as_booleans();
  const Booleans validation = archive.array("val_masks").as_booleans();
  const Booleans test = archive.array("test_masks").as_booleans();
  const std::size_t nodes = archive.array("node_labels").as_integers().size();
  REQUIRE(train.size() == 10 * nodes);
  for (std::size_t i = 0; i < train.size(); ++i) REQUIRE(train[i] + validation[i] + test[i] == 1);
}

TEST_CASE("the arrays of Cora have the published shapes, and its objects can be passed over",
          "[io][npy][data]") {
  const auto path = find_test_data("gnn-benchmark/cora.npz");
  if (!path) return;
  const gat::NpzArchive archive(*path);
  const Integers shape = archive.array("attr_shape").as_integers();
  CHECK(shape == Integers{2708, 1433});
  const gat::CsrMatrix features = gat::csr_from_arrays(
      shape, archive.array("attr_indptr"), archive.array("attr_indices"), archive.array("attr_data"), "cora");
  CHECK(features.num_entries() == 49216);
  CHECK(archive.array("node_names").as_strings().size() == 2708);
  CHECK(archive.array("class_names").as_strings().size() == 7);
}
