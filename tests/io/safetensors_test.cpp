#include "gat/io/safetensors.hpp"

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/io/file.hpp"
#include "io/builders.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"

using gat::Index;
using gat::StoredArray;
using Kind = gat::ElementType::Kind;
using Integers = std::vector<std::int64_t>;

namespace {

std::string file_of(const std::string& header, const std::string& data = {}) {
  return little(header.size(), 8) + header + data;
}

gat::TensorFile parse(const std::string& bytes) { return gat::parse_safetensors(bytes, "m.safetensors"); }

std::string refusal_of(const std::string& header, const std::string& data = {}) {
  return refusal([&] { parse(file_of(header, data)); });
}

std::string entry(const std::string& dtype, const std::string& shape, int begin, int end) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(begin) +
         "," + std::to_string(end) + "]}";
}

}  // namespace

TEST_CASE("tensors and metadata are read", "[io][safetensors]") {
  const gat::TensorFile file =
      parse(file_of("{\"b\":" + entry("F32", "1,2", 0, 8) + ",\"__metadata__\":{\"k\":\"v\\u00e9\"},\"a\":" +
                        entry("I64", "", 8, 16) + ",\"none\":" + entry("U8", "0,4", 8, 8) + "}  ",
                    std::string("\0\0\x80\x3f\0\0\0\x3f", 8) + little(7, 8)));
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.find("b")->as_reals() == std::vector<gat::Real>{1, 0.5});
  CHECK(file.find("b")->shape() == std::vector<Index>{1, 2});
  CHECK(file.find("a")->as_integers() == Integers{7});
  CHECK(file.find("a")->rank() == 0);
  CHECK(file.find("none")->size() == 0);
  CHECK(file.find("missing") == nullptr);
  CHECK(file.metadata == std::map<std::string, std::string>{{"k", "v\xc3\xa9"}});
}

TEST_CASE("all supported element types are read", "[io][safetensors]") {
  const auto one = [](const std::string& dtype, const std::string& data) {
    return *parse(file_of("{\"t\":" + entry(dtype, "1", 0, static_cast<int>(data.size())) + "}", data))
                .find("t");
  };
  CHECK(one("BF16", std::string("\xc0\x3f", 2)).as_reals()[0] == gat::Real(1.5));
  CHECK(one("F16", std::string("\x00\x3e", 2)).as_reals()[0] == gat::Real(1.5));
  CHECK(one("F64", std::string("\0\0\0\0\0\0\xf8\x3f", 8)).as_reals()[0] == gat::Real(1.5));
  CHECK(one("BOOL", "\1").as_booleans()[0] == 1);
  CHECK(one("I8", "\xff").as_integers()[0] == -1);
  CHECK(one("U16", "\xff\xff").as_integers()[0] == 65535);
  CHECK(one("I32", "\xff\xff\xff\xff").as_integers()[0] == -1);
  CHECK_THAT(refusal([&] { one("F8_E4M3", "\1"); }), Catch::Contains("'F8_E4M3' is not supported"));
  CHECK_THAT(refusal([&] { one("C64", std::string(8, '\0')); }), Catch::Contains("not supported"));
}

TEST_CASE("the writer sorts by width and name, aligns the data and is read back", "[io][safetensors]") {
  gat::TensorFile file;
  const std::vector<gat::Real> reals{0.25, -1};
  file.tensors.push_back({"z", StoredArray::of(reals, {2})});
  file.tensors.push_back({"b", {"", {Kind::natural, 1, false}, {3}, false, "\1\2\3"}});
  file.tensors.push_back({"y", StoredArray::of(Integers{1LL << 40}, {1, 1})});
  file.tensors.push_back({"a", StoredArray::of(reals, {2})});
  file.metadata = {{"quote\"", "line\nbreak"}, {"format", "pt"}};
  const std::string bytes = gat::safetensors_bytes(file);
  CHECK(bytes == gat::safetensors_bytes(file));
  const std::size_t header_size =
      static_cast<unsigned char>(bytes[0]) + 256U * static_cast<unsigned char>(bytes[1]);
  CHECK((8 + header_size) % 8 == 0);
  CHECK(bytes[8] == '{');
  const gat::TensorFile back = parse(bytes);
  CHECK(back.metadata == file.metadata);
  std::string order;
  for (const gat::Tensor& tensor : back.tensors) order += tensor.name;
  CHECK(order == (sizeof(gat::Real) == 4 ? "yazb" : "ayzb"));
  CHECK(back.find("a")->as_reals() == reals);
  CHECK(back.find("y")->as_integers() == Integers{1LL << 40});
  CHECK(back.find("b")->as_integers() == Integers{1, 2, 3});
}

TEST_CASE("writing goes through a temporary file and gives what reading takes", "[io][safetensors]") {
  const TemporaryFolder folder;
  gat::TensorFile file;
  gat::write_safetensors(folder / "m.safetensors", file);
  CHECK(gat::read_safetensors(folder / "m.safetensors").tensors.empty());
  CHECK(gat::read_file(folder / "m.safetensors") == file_of("{}      "));
}

TEST_CASE("what has no place in the format is refused when it is written", "[io][safetensors]") {
  const auto write = [](std::vector<gat::Tensor> tensors, std::map<std::string, std::string> metadata = {}) {
    gat::safetensors_bytes({std::move(tensors), std::move(metadata)});
  };
  const StoredArray one = StoredArray::of(Integers{1}, {1});
  CHECK_NOTHROW(write({{"a", one}}));
  CHECK_THROWS_AS(write({{"a", one}, {"a", one}}), gat::UsageError);
  CHECK_THROWS_AS(write({{"__metadata__", one}}), gat::UsageError);
  CHECK_THROWS_AS(write({{"\xff", one}}), gat::UsageError);
  CHECK_THROWS_AS(write({}, {{"k", "\xff"}}), gat::UsageError);
  CHECK_THROWS_AS(write({{"a", {"", {Kind::real, 4, true}, {1}, false, "abcd"}}}), gat::UsageError);
  CHECK_THROWS_AS(write({{"a", {"", {Kind::natural, 1, false}, {2, 2}, true, "abcd"}}}), gat::UsageError);
  CHECK_THROWS_AS(write({{"a", {"", {Kind::text, 4, false}, {1}, false, "abcd"}}}), gat::UsageError);
}

TEST_CASE("names and keys that occur twice are refused", "[io][safetensors][hostile]") {
  const std::string a = "\"a\":" + entry("U8", "1", 0, 1);
  CHECK_THAT(refusal_of("{" + a + "," + a + "}", "x"), Catch::Contains("the name 'a' occurs twice"));
  CHECK_THAT(
      refusal_of("{\"a\":" + entry("U8", "1", 0, 1) + ",\"\\u0061\":" + entry("U8", "1", 1, 2) + "}", "xy"),
      Catch::Contains("occurs twice"));
  CHECK_THAT(refusal_of(R"({"__metadata__":{"k":"1","k":"2"}})"),
             Catch::Contains("the metadata key 'k' occurs twice"));
  CHECK_THAT(refusal_of(R"({"__metadata__":{},"__metadata__":{}})"), Catch::Contains("occurs twice"));
  CHECK_THAT(refusal_of(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"),
             Catch::Contains("'dtype' occurs twice"));
}

TEST_CASE("holes, overlaps and sizes that lie are refused", "[io][safetensors][hostile]") {
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "1", 1, 2) + "}", "xy"),
             Catch::Contains("without hole or overlap"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "2", 0, 2) + ",\"b\":" + entry("U8", "2", 1, 3) + "}", "xyz"),
             Catch::Contains("overlap"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "1", 0, 1) + ",\"b\":" + entry("U8", "1", 2, 3) + "}", "xyz"),
             Catch::Contains("hole"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "1", 0, 1) + "}", "xy"),
             Catch::Contains("1 bytes after the last tensor"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "2", 0, 2) + "}", "x"), Catch::Contains("contradicts"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("F32", "2", 0, 4) + "}", "xxxx"), Catch::Contains("contradicts"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("F32", "4611686018427387904", 0, 0) + "}"),
             Catch::Contains("2^64"));
  CHECK_THAT(refusal_of("{\"a\":" + entry("U8", "18446744073709551615,0", 0, 0) + "}"),
             Catch::Contains("2^63"));
  CHECK_THAT(refusal_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "x"),
             Catch::Contains("tensor 'a'"));
  CHECK_FALSE(refusal_of("{\"a\":" + entry("U8", "18446744073709551616", 0, 0) + "}").empty());
}

TEST_CASE("headers of another form are refused", "[io][safetensors][hostile]") {
  for (const char* header : {"",
                             " {}",
                             "[]",
                             "{",
                             "{}x",
                             "{} {}",
                             "{\"a\":1}",
                             "{\"a\":[]}",
                             "{\"a\":\"x\"}",
                             "{\"a\":{}}",
                             "{\"a\":null}",
                             R"({"a":{"dtype":"U8","shape":[0]}})",
                             R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}})",
                             R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})",
                             R"({"a":{"dtype":"U8","shape":0,"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":["U8"],"shape":[0],"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":"U8","shape":[0.0],"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":"U8","shape":[[0]],"data_offsets":[0,0]}})",
                             R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1}})",
                             R"({"a":{"dtype":"U8","shape":["0"],"data_offsets":[0,0]}})",
                             R"({"__metadata__":{"k":1}})",
                             R"({"__metadata__":{"k":{}}})",
                             R"({"__metadata__":{"k":["v"]}})",
                             R"({"__metadata__":"x"})",
                             "{\"__metadata__\":{\"k\":\"\xff\"}}"}) {
    INFO(header);
    CHECK_FALSE(refusal_of(header).empty());
  }
  CHECK_FALSE(refusal_of("{\"a\":" + std::string(1 << 20, '[')).empty());
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK_FALSE(refusal_of(objects).empty());
}

TEST_CASE("a header length beyond the file or the limit is refused", "[io][safetensors][hostile]") {
  CHECK_THAT(refusal([] { parse(little(3, 8) + "{}"); }),
             Catch::Contains("a header of 3 bytes in a file of 10"));
  // A length beyond the file is damage (or a text file); the limit is for headers that are really there.
  CHECK_THROWS_AS(parse(little(100'000'001, 8) + "{}"), gat::InputError);
  CHECK_THROWS_AS(parse(little(~0ULL, 8) + "{}"), gat::InputError);
  CHECK_THROWS_AS(parse(little(100'000'001, 8) + std::string(100'000'001, ' ')), gat::LimitError);
}

TEST_CASE("every cut and any flipped bits of a tensor file end in an orderly refusal",
          "[io][safetensors][hostile]") {
  const std::string bytes =
      file_of("{\"a\":" + entry("F32", "2", 0, 8) +
                  ",\"__metadata__\":{\"k\":\"v\"},\"b\":" + entry("U8", "3", 8, 11) + "}",
              "12345678abc");
  check_every_truncation(bytes, [](const std::string& cut) { parse(cut); });
  check_bit_flips(bytes, 5000, [](const std::string& damaged) {
    for (const gat::Tensor& tensor : parse(damaged).tensors) tensor.array.as_reals();
  });
}
