#include "io/safetensors_header.hpp"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Takes the events of the parser one by one. A tree would keep the last of two equal keys in silence,
// and would be built before its depth could be judged.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  HeaderHandler(SafetensorsHeader& header, const std::string& place) : header_(header), place_(place) {}

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a truth value"); }
  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return refuse("a number that is not whole"); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t number) override {
    if (state_ != State::shape && state_ != State::offsets) return refuse("a number");
    numbers_.push_back(number);
    return true;
  }

  bool string(string_t& text) override {
    if (state_ == State::metadata) {
      if (!header_.metadata.emplace(key_, text).second)
        return fail("the metadata key " + shown(key_) + " occurs twice");
      return true;
    }
    if (state_ != State::entry || key_ != "dtype") return refuse("a string");
    header_.entries.back().type = text;
    return true;
  }

  bool start_object(std::size_t) override {
    switch (state_) {
      case State::outside:
        state_ = State::top;
        return true;
      case State::top:
        state_ = key_ == "__metadata__" ? State::metadata : State::entry;
        if (state_ == State::entry) header_.entries.emplace_back().name = key_;
        seen_ = 0;
        return true;
      default:
        return refuse("an object");
    }
  }

  bool key(string_t& name) override {
    key_ = name;
    if (state_ == State::top)
      return names_.insert(name).second || fail("the name " + shown(name) + " occurs twice");
    if (state_ == State::metadata) return true;
    const unsigned part = name == "dtype" ? 1 : name == "shape" ? 2 : name == "data_offsets" ? 4 : 0;
    if (part == 0) return fail("unknown key " + shown(name) + " in " + tensor());
    if ((seen_ & part) != 0) return fail("the key " + shown(name) + " occurs twice in " + tensor());
    seen_ |= part;
    return true;
  }

  bool end_object() override {
    if (state_ == State::entry && seen_ != 7)
      return fail(tensor() + " must have dtype, shape and data_offsets");
    state_ = state_ == State::top ? State::outside : State::top;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::entry || key_ == "dtype") return refuse("an array");
    state_ = key_ == "shape" ? State::shape : State::offsets;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    SafetensorsHeader::Entry& entry = header_.entries.back();
    if (state_ == State::shape) {
      entry.shape = numbers_;
    } else {
      if (numbers_.size() != 2) return fail(tensor() + " must have two data_offsets");
      entry.begin = numbers_[0];
      entry.end = numbers_[1];
    }
    state_ = State::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw InputError(place_ + ": byte " + std::to_string(8 + position),
                     "the header is not valid JSON; the file is damaged");
  }

 private:
  enum class State { outside, top, metadata, entry, shape, offsets };

  [[noreturn]] bool fail(const std::string& message) const { throw InputError(place_, "header: " + message); }
  [[noreturn]] bool refuse(const std::string& found) const {
    fail(found + " after the key " + shown(key_) + " where the format has none");
  }
  std::string tensor() const { return "tensor " + shown(header_.entries.back().name); }

  SafetensorsHeader& header_;
  const std::string& place_;
  State state_ = State::outside;
  std::string key_;
  unsigned seen_ = 0;  // the keys of the entry, one bit each
  std::vector<std::uint64_t> numbers_;
  std::unordered_set<std::string> names_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& place) {
  if (!json.starts_with('{'))
    throw InputError(place + ": byte 8", "a safetensors header must begin with '{'");
  SafetensorsHeader header;
  HeaderHandler handler(header, place);
  nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
  return header;
}

}  // namespace gat::inline GAT_PRECISION
