/// Reads data out of Python pickles (protocols 2, 3 and 4) without running anything.
///
/// A pickle is a program. This machine knows only its data instructions and a fixed list of names:
/// NumPy arrays and their types, SciPy CSR matrices, default dictionaries of lists, and the encoding of
/// byte strings. Those names build plain data; any other name is refused, and no class is ever
/// constructed and no function ever called.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gat/io/stored_array.hpp"

namespace gat::inline GAT_PRECISION {

class Pickle;

/// A dictionary node → list of nodes, in the order of the file.
struct PickledLists {
  std::vector<std::int64_t> keys;
  std::vector<Index> row_offsets{0};  // keys + 1; the list of keys[k] is members[row_offsets[k]] …
  std::vector<std::int64_t> members;
};

/// A value inside a `Pickle`; cheap to copy, valid as long as the pickle lives.
///
/// A function that does not fit the kind throws `InputError` saying what was found instead. Values may
/// be shared and, in a hostile file, contain themselves: follow only the structure that is expected.
class PickleValue {
 public:
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    real,
    bytes,  // also the strings of Python 2
    text,   // UTF-8
    list,
    tuple,
    dictionary,
    array,
    csr_matrix,
    type,  // a NumPy element type
    name   // the name of an allowed class or function
  };

  Kind kind() const;
  /// Where the value begins: `path: byte n`.
  std::string place() const;
  bool is_none() const { return kind() == Kind::none; }
  bool as_boolean() const;
  std::int64_t as_integer() const;   // also a boolean
  double as_real() const;            // also an integer
  std::string_view as_text() const;  // text or bytes

  /// The number of members of a list, a tuple or an array of objects, of pairs of a dictionary.
  Index size() const;
  /// Member i of a list, a tuple or an array of objects. Throws `InputError` when i is out of range.
  PickleValue at(Index i) const;
  /// Pair i of a dictionary, in the order of the file.
  PickleValue key(Index i) const;
  PickleValue value(Index i) const;
  /// Whether a dictionary has this text as a key, and what the key stands for (the last one counts).
  bool contains(std::string_view text_key) const;
  PickleValue at(std::string_view text_key) const;

  /// A NumPy array with its element type, shape and bytes (copied).
  StoredArray as_array() const;
  /// A SciPy CSR matrix, validated.
  CsrMatrix as_csr() const;
  /// The integers of a list, a tuple or an array.
  std::vector<std::int64_t> as_integers() const;
  /// A dictionary integer → list of integers; a key that occurs twice is an error.
  PickledLists as_lists() const;

 private:
  friend class Pickle;
  PickleValue(const Pickle& pickle, std::uint32_t id) : pickle_(&pickle), id_(id) {}
  [[noreturn]] void refuse(const char* expected) const;
  std::int64_t number() const;
  const std::vector<std::uint32_t>& members() const;
  std::optional<PickleValue> find(std::string_view text_key) const;

  const Pickle* pickle_;
  std::uint32_t id_;
};

/// The values of one pickle. All of them lie side by side in one table, so nothing recurses, however
/// deeply they are nested. At most 2^27 values (`LimitError`);
/// the stack and the memo are never larger than the file is long.
class Pickle {
 public:
  /// Runs the machine. `place` names the file in messages, which add the byte offset. Throws
  /// `InputError` for damaged or unknown instructions, for names that are not allowed, and for bytes
  /// after the end.
  Pickle(std::string bytes, std::string place);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  PickleValue root() const { return {*this, root_}; }
  const std::string& place() const { return place_; }

 private:
  friend class PickleValue;
  friend class PickleMachine;
  using Id = std::uint32_t;
  struct Value {
    std::int64_t number = 0;        // boolean, integer, bits of a real, code of a name, or index into a table
    std::uint64_t offset : 56 = 0;  // the byte at which the value begins, for messages
    std::uint64_t kind : 8 = 0;
  };
  struct Array {
    bool built = false;
    bool fortran_order = false;
    ElementType type;
    std::vector<Index> shape;
    Id content = 0;  // bytes, or the list of objects
  };

  std::string place_;
  std::string bytes_;
  Id root_ = 0;
  std::vector<Value> values_;
  std::vector<std::string_view> strings_;  // of bytes and text
  std::deque<std::string> decoded_;        // strings that are not in the file as they are
  std::vector<std::vector<Id>> members_;   // of lists, tuples; of dictionaries and matrices: key, value, …
  std::vector<Array> arrays_;
  std::vector<ElementType> types_;
};

}  // namespace gat::inline GAT_PRECISION
