#include "gat/io/npy.hpp"

#include <charconv>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
constexpr std::string_view kMagic = "\x93NUMPY";

// The header is a Python literal; this reads the one shape it may have:
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t offset, const std::string& place)
      : text_(text), offset_(offset), place_(place) {}

  void run() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        once(has_type_, key);
        type = parse_element_type(string(), place_);
      } else if (key == "fortran_order") {
        once(has_order_, key);
        fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape_, key);
        parse_shape();
      } else {
        fail("unknown key " + shown(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail("text after the header's dictionary");
    if (!has_type_ || !has_order_ || !has_shape_)
      fail("the header must have 'descr', 'fortran_order' and 'shape'");
  }

  ElementType type;
  std::vector<Index> shape;
  bool fortran_order = false;

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(place_ + ": byte " + std::to_string(offset_ + at_), message);
  }
  void once(bool& seen, std::string_view key) {
    if (seen) fail("the key " + shown(key) + " occurs twice");
    seen = true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "' in the header");
  }
  std::string_view string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    // A list here describes records of several fields.
    if (quote == '[') fail("arrays of records are not supported; save each field as an array of its own");
    if (quote != '\'' && quote != '"') fail("expected a string in the header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string in the header does not end");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("expected True or False in the header");
  }
  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index extent = 0;
      const char* const first = text_.data() + at_;
      const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) fail("expected a size from 0 to 2^63 − 1 in the shape");
      at_ += static_cast<std::size_t>(end - first);
      accept('L');  // long integers of Python 2
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& place_;
  std::size_t at_ = 0;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

StoredArray parse_npy(std::string bytes, const std::string& place) {
  if (!bytes.starts_with(kMagic)) throw InputError(place + ": byte 0", "not a .npy file");
  if (bytes.size() < 10) throw InputError(place, "the .npy header is cut off");
  const auto version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3 || bytes[7] != 0) {
    throw InputError(place + ": byte 6", "unknown .npy version " + std::to_string(version) + "." +
                                             std::to_string(static_cast<unsigned char>(bytes[7])) +
                                             "; expected 1.0, 2.0 or 3.0");
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin) throw InputError(place, "the .npy header is cut off");
  const std::size_t length =
      version == 1 ? load<std::uint16_t>(bytes.data() + 8) : load<std::uint32_t>(bytes.data() + 8);
  if (length > kLongestHeader)
    throw LimitError(place + ": a .npy header of " + std::to_string(length) + " bytes; the limit is 64 KiB");
  if (length > bytes.size() - begin) throw InputError(place, "the .npy header is cut off");
  HeaderParser header(std::string_view(bytes).substr(begin, length), begin, place);
  header.run();
  return {place,         header.type, std::move(header.shape), header.fortran_order, std::move(bytes),
          begin + length};
}

StoredArray read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path), path.string()); }

std::string npy_bytes(const StoredArray& array) {
  if (array.is_object() || array.type().kind == ElementType::Kind::bfloat) {
    throw UsageError("npy_bytes: elements of type " + array.type().name() + " have no .npy form");
  }
  std::string header = "{'descr': '" + array.type().name() +
                       "', 'fortran_order': " + (array.fortran_order() ? "True" : "False") + ", 'shape': (";
  for (const Index extent : array.shape()) header += std::to_string(extent) + ", ";
  if (array.rank() > 1) header.resize(header.size() - 2);
  header += "), }";
  constexpr std::size_t kPrefix = 10;
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  append_little_endian(bytes, static_cast<std::uint16_t>(header.size()));
  return bytes.append(header).append(array.bytes());
}

std::vector<std::string> NpzArchive::names() const {
  constexpr std::string_view kEnding = ".npy";
  std::vector<std::string> names;
  for (const std::string& member : zip_.names()) {
    if (member.ends_with(kEnding)) names.push_back(member.substr(0, member.size() - kEnding.size()));
  }
  return names;
}

bool NpzArchive::contains(std::string_view name) const { return zip_.contains(std::string(name) + ".npy"); }

StoredArray NpzArchive::array(std::string_view name) const {
  const std::string member = std::string(name) + ".npy";
  return parse_npy(zip_.read(member), zip_.place(member));
}

}  // namespace gat::inline GAT_PRECISION
