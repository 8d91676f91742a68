// The names that a pickle may use, and what is built when it uses them.
#include <array>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"
#include "io/pickle_machine.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::size_t kHighestRank = 64;

enum class Name {
  array_class,
  array_maker,
  type_maker,
  csr_class,
  list_class,
  bytes_class,
  dictionary_class,
  encode
};
struct AllowedName {
  std::string_view module;
  std::string_view name;
  Name meaning;
};
constexpr std::array kAllowedNames = {
    AllowedName{"numpy.core.multiarray", "_reconstruct", Name::array_maker},
    AllowedName{"numpy._core.multiarray", "_reconstruct", Name::array_maker},
    AllowedName{"numpy", "ndarray", Name::array_class},
    AllowedName{"numpy", "dtype", Name::type_maker},
    AllowedName{"scipy.sparse.csr", "csr_matrix", Name::csr_class},
    AllowedName{"scipy.sparse._csr", "csr_matrix", Name::csr_class},
    AllowedName{"collections", "defaultdict", Name::dictionary_class},
    AllowedName{"__builtin__", "list", Name::list_class},
    AllowedName{"builtins", "list", Name::list_class},
    AllowedName{"__builtin__", "bytes", Name::bytes_class},
    AllowedName{"builtins", "bytes", Name::bytes_class},
    AllowedName{"_codecs", "encode", Name::encode},
};

}  // namespace

void PickleMachine::push_name(std::string_view module, std::string_view name) {
  for (const AllowedName& allowed : kAllowedNames) {
    if (allowed.module == module && allowed.name == name) {
      push(Kind::name, static_cast<std::int64_t>(allowed.meaning));
      return;
    }
  }
  fail("the pickle asks for " + shown(std::string(module) + " " + std::string(name)) +
       ", which is not plain data; nothing was run. Save the data as .npz or as text");
}

// A use of a name: the arguments lie on top of it.
void PickleMachine::reduce() {
  const Id arguments_id = pop();
  const Id callable = pop();
  if (kind(callable) != Kind::name || kind(arguments_id) != Kind::tuple)
    fail("a call of something that is no allowed name");
  const std::vector<Id>& arguments = members(arguments_id);
  switch (static_cast<Name>(number(callable))) {
    case Name::array_maker:
      push(Kind::array, static_cast<std::int64_t>(pickle_.arrays_.size()));
      pickle_.arrays_.emplace_back();
      return;
    case Name::type_maker:
      return make_type(arguments);
    case Name::encode:
      return decode(arguments);
    case Name::dictionary_class:
      return push_sequence(Kind::dictionary, stack_.size());
    case Name::bytes_class:
      if (arguments.empty()) return push_string(Kind::bytes, {});
      break;
    case Name::array_class:
    case Name::csr_class:
    case Name::list_class:
      break;
  }
  fail("an unusual call of an allowed name; save the data as .npz or as text");
}

void PickleMachine::make_csr() {
  const Id arguments = pop();
  const Id type = pop();
  if (kind(type) != Kind::name || static_cast<Name>(number(type)) != Name::csr_class ||
      kind(arguments) != Kind::tuple || !members(arguments).empty()) {
    fail("a new object of a class other than csr_matrix");
  }
  push_sequence(Kind::csr_matrix, stack_.size());
}

void PickleMachine::make_type(const std::vector<Id>& arguments) {
  if (arguments.empty()) fail("an element type without a name");
  const std::string place = pickle_.place_ + ": byte " + std::to_string(begin_);
  pickle_.types_.push_back(parse_element_type(string(arguments[0], "an element type"), place));
  push(Kind::type, static_cast<std::int64_t>(pickle_.types_.size() - 1));
}

// Protocol 2 of Python 3 writes bytes as text to be encoded in Latin-1: each character is a byte.
void PickleMachine::decode(const std::vector<Id>& arguments) {
  if (arguments.size() != 2) fail("an unusual call of encode");
  const std::string_view text = string(arguments[0], "text");
  const std::string_view encoding = string(arguments[1], "an encoding");
  if (kind(arguments[0]) != Kind::text || (encoding != "latin1" && encoding != "latin-1")) {
    fail("an encoding other than latin1");
  }
  // Each text is written for one use. Without a bound one text could be decoded over and over.
  decoded_bytes_ += text.size();
  if (decoded_bytes_ > bytes_.size())
    throw LimitError(pickle_.place_ + ": more encoded bytes than the file is long");
  std::string& bytes = pickle_.decoded_.emplace_back();
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead > 0xc3) fail("a character that is not Latin-1");
    bytes += lead < 0x80 ? text[i] : static_cast<char>((lead & 3) << 6 | (text[++i] & 0x3f));
  }
  push_string(Kind::bytes, bytes);
}

void PickleMachine::build() {
  const Id state = pop();
  const Id target = top();
  switch (kind(target)) {
    case Kind::array:
      return build_array(target, state);
    case Kind::type:
      return build_type(target, state);
    case Kind::csr_matrix:
      if (kind(state) != Kind::dictionary) fail("a CSR matrix whose state is no dictionary");
      // Shared, not copied: a file could do this again and again.
      pickle_.values_[target].number = number(state);
      return;
    default:
      fail("a state for something that has none");
  }
}

// (version, shape, element type, Fortran order, bytes or list of objects)
void PickleMachine::build_array(Id target, Id state) {
  if (kind(state) != Kind::tuple || members(state).size() != 5) fail("an array's state must have five parts");
  const std::vector<Id>& parts = members(state);
  if (kind(parts[1]) != Kind::tuple || kind(parts[2]) != Kind::type)
    fail("an array without shape or element type");
  if (members(parts[1]).size() > kHighestRank) fail("an array of too many dimensions");
  if (kind(parts[3]) != Kind::boolean && kind(parts[3]) != Kind::integer) fail("an array without an order");
  Pickle::Array& array = pickle_.arrays_[static_cast<std::size_t>(number(target))];
  array.type = pickle_.types_[static_cast<std::size_t>(number(parts[2]))];
  array.shape.clear();
  for (const Id extent : members(parts[1])) {
    if (kind(extent) != Kind::integer) fail("a shape that holds more than integers");
    array.shape.push_back(number(extent));
  }
  array.fortran_order = number(parts[3]) != 0;
  const bool of_objects = array.type.kind == ElementType::Kind::object;
  if (kind(parts[4]) != (of_objects ? Kind::list : Kind::bytes))
    fail("an array whose content does not fit its element type");
  array.content = parts[4];
  array.built = true;
}

// (version, byte order, subtype, names, fields, size, alignment, flags[, metadata])
void PickleMachine::build_type(Id target, Id state) {
  if (kind(state) != Kind::tuple || members(state).size() < 8)
    fail("an element type's state must have eight parts");
  const std::vector<Id>& parts = members(state);
  const std::string_view order = string(parts[1], "a byte order");
  for (const std::size_t i : {2, 3, 4}) {
    if (kind(parts[i]) != Kind::none)
      fail("arrays of records are not supported; save each field as an array of its own");
  }
  if (order != "<" && order != ">" && order != "|" && order != "=")
    fail("unknown byte order " + shown(order));
  pickle_.types_[static_cast<std::size_t>(number(target))].big_endian = order == ">";
}

}  // namespace gat::inline GAT_PRECISION
