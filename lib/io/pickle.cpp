#include "gat/io/pickle.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"
#include "io/pickle_machine.hpp"

namespace gat::inline GAT_PRECISION {

using Kind = PickleValue::Kind;

Pickle::Pickle(std::string bytes, std::string place) : place_(std::move(place)), bytes_(std::move(bytes)) {
  PickleMachine(*this).run();
}

Kind PickleValue::kind() const { return static_cast<Kind>(pickle_->values_[id_].kind); }

void PickleValue::refuse(const char* expected) const {
  constexpr std::array<const char*, 13> kNames = {
      "None",    "a boolean",    "an integer", "a real",       "bytes",           "text",  "a list",
      "a tuple", "a dictionary", "an array",   "a CSR matrix", "an element type", "a name"};
  throw InputError(
      place(), std::string("found ") + kNames[static_cast<std::size_t>(kind())] + "; expected " + expected);
}

std::string PickleValue::place() const {
  return pickle_->place_ + ": byte " + std::to_string(pickle_->values_[id_].offset);
}

bool PickleValue::as_boolean() const {
  if (kind() != Kind::boolean) refuse("a boolean");
  return number() != 0;
}

std::int64_t PickleValue::as_integer() const {
  if (kind() != Kind::integer && kind() != Kind::boolean) refuse("an integer");
  return number();
}

double PickleValue::as_real() const {
  if (kind() == Kind::real) return std::bit_cast<double>(number());
  if (kind() != Kind::integer) refuse("a number");
  return static_cast<double>(number());
}

std::string_view PickleValue::as_text() const {
  if (kind() != Kind::text && kind() != Kind::bytes) refuse("text");
  return pickle_->strings_[static_cast<std::size_t>(number())];
}

std::int64_t PickleValue::number() const { return pickle_->values_[id_].number; }

// The ids of members or pairs; an array of objects has those of its list.
const std::vector<std::uint32_t>& PickleValue::members() const {
  if (kind() != Kind::array) return pickle_->members_[static_cast<std::size_t>(number())];
  const Pickle::Array& array = pickle_->arrays_[static_cast<std::size_t>(number())];
  if (!array.built || array.type.kind != ElementType::Kind::object) refuse("an array of objects");
  return PickleValue(*pickle_, array.content).members();
}

Index PickleValue::size() const {
  switch (kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::array:
      return static_cast<Index>(members().size());
    case Kind::dictionary:
      return static_cast<Index>(members().size() / 2);
    default:
      refuse("a list, a tuple or a dictionary");
  }
}

PickleValue PickleValue::at(Index i) const {
  if (kind() != Kind::list && kind() != Kind::tuple && kind() != Kind::array) refuse("a list or a tuple");
  if (i < 0 || i >= size()) {
    throw InputError(
        place(), "has " + std::to_string(size()) + " members; number " + std::to_string(i) + " is missing");
  }
  return {*pickle_, members()[static_cast<std::size_t>(i)]};
}

PickleValue PickleValue::key(Index i) const {
  if (kind() != Kind::dictionary) refuse("a dictionary");
  if (i < 0 || i >= size()) throw InputError(place(), "has no pair of number " + std::to_string(i));
  return {*pickle_, members()[static_cast<std::size_t>(2 * i)]};
}

PickleValue PickleValue::value(Index i) const {
  if (kind() != Kind::dictionary) refuse("a dictionary");
  if (i < 0 || i >= size()) throw InputError(place(), "has no pair of number " + std::to_string(i));
  return {*pickle_, members()[static_cast<std::size_t>(2 * i + 1)]};
}

// A matrix is looked into like the dictionary that is its state. The last of equal keys counts.
std::optional<PickleValue> PickleValue::find(std::string_view text_key) const {
  if (kind() != Kind::dictionary && kind() != Kind::csr_matrix) refuse("a dictionary");
  const std::vector<std::uint32_t>& pairs = members();
  for (std::size_t i = pairs.size(); i >= 2; i -= 2) {
    const PickleValue candidate(*pickle_, pairs[i - 2]);
    if ((candidate.kind() == Kind::text || candidate.kind() == Kind::bytes) &&
        candidate.as_text() == text_key) {
      return PickleValue(*pickle_, pairs[i - 1]);
    }
  }
  return std::nullopt;
}

bool PickleValue::contains(std::string_view text_key) const { return find(text_key).has_value(); }

PickleValue PickleValue::at(std::string_view text_key) const {
  const std::optional<PickleValue> found = find(text_key);
  if (!found) throw InputError(place(), "has no key " + shown(text_key));
  return *found;
}

StoredArray PickleValue::as_array() const {
  if (kind() != Kind::array) refuse("an array");
  const Pickle::Array& array = pickle_->arrays_[static_cast<std::size_t>(number())];
  if (!array.built) throw InputError(place(), "an array without content");
  const bool of_objects = array.type.kind == ElementType::Kind::object;
  const std::string_view bytes =
      of_objects ? std::string_view() : PickleValue(*pickle_, array.content).as_text();
  return {place(), array.type, array.shape, array.fortran_order, std::string(bytes)};
}

CsrMatrix PickleValue::as_csr() const {
  if (kind() != Kind::csr_matrix) refuse("a CSR matrix");
  const std::vector<std::int64_t> shape = at(contains("_shape") ? "_shape" : "shape").as_integers();
  return csr_from_arrays(shape, at("indptr").as_array(), at("indices").as_array(), at("data").as_array(),
                         place());
}

std::vector<std::int64_t> PickleValue::as_integers() const {
  if (kind() == Kind::array) return as_array().as_integers();
  if (kind() != Kind::list && kind() != Kind::tuple) refuse("integers");
  std::vector<std::int64_t> result;
  result.reserve(members().size());
  for (const std::uint32_t id : members()) result.push_back(PickleValue(*pickle_, id).as_integer());
  return result;
}

PickledLists PickleValue::as_lists() const {
  if (kind() != Kind::dictionary) refuse("a dictionary of lists");
  const std::vector<std::uint32_t>& pairs = members();
  PickledLists lists;
  // A list may be shared by many keys; a hostile file could make the sum far larger than itself.
  const std::size_t most = pickle_->bytes_.size();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    lists.keys.push_back(PickleValue(*pickle_, pairs[i]).as_integer());
    const PickleValue list(*pickle_, pairs[i + 1]);
    const std::vector<std::int64_t> members = list.as_integers();
    if (members.size() > most - lists.members.size()) {
      throw LimitError(list.place() + ": the lists have more members than the file has bytes");
    }
    lists.members.insert(lists.members.end(), members.begin(), members.end());
    lists.row_offsets.push_back(static_cast<Index>(lists.members.size()));
  }
  std::vector<std::int64_t> sorted = lists.keys;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw InputError(place(), "the key " + std::to_string(*twice) + " occurs twice");
  return lists;
}

}  // namespace gat::inline GAT_PRECISION
