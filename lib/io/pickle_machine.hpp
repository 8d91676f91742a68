/// The machine that fills a `Pickle`; it knows data instructions only.
#pragma once

#include "gat/io/pickle.hpp"

namespace gat::inline GAT_PRECISION {

/// One run over the bytes of a pickle. The stack, the marks and the memo hold ids into the pickle's
/// table of values; nothing is copied and nothing recurses.
class PickleMachine {
 public:
  explicit PickleMachine(Pickle& pickle);
  void run();

 private:
  using Id = Pickle::Id;
  using Kind = PickleValue::Kind;

  // Each group of instructions; false when the instruction is of another group.
  bool run_scalar(unsigned char code);
  bool run_string(unsigned char code);
  bool run_container(unsigned char code);
  bool run_memo(unsigned char code);
  bool run_object(unsigned char code);

  // Reading.
  std::string_view take(std::uint64_t count);
  template <class Number>
  Number next();
  std::string_view line();

  // The stack.
  Id add(Kind kind, std::int64_t number);
  void push(Id id) { stack_.push_back(id); }
  void push(Kind kind, std::int64_t number) { push(add(kind, number)); }
  Id pop();
  Id top() const;
  std::size_t pop_mark();
  Kind kind(Id id) const;
  std::int64_t number(Id id) const { return pickle_.values_[id].number; }
  std::vector<Id>& members(Id id) { return pickle_.members_[static_cast<std::size_t>(number(id))]; }
  std::string_view string(Id id, const char* what) const;

  // Values.
  void push_string(Kind kind, std::string_view text);
  void push_long();
  void push_sequence(Kind kind, std::size_t first);
  void append(std::size_t first);
  void set_items(std::size_t first);
  void remember(std::uint64_t slot);
  void recall(std::uint64_t slot);

  // Names and what stands for their use.
  void push_name(std::string_view module, std::string_view name);
  void reduce();
  void make_csr();
  void make_type(const std::vector<Id>& arguments);
  void decode(const std::vector<Id>& arguments);
  void build();
  void build_array(Id target, Id state);
  void build_type(Id target, Id state);
  [[noreturn]] void fail(const std::string& message) const;

  Pickle& pickle_;
  std::string_view bytes_;
  std::size_t at_ = 0;     // the next byte
  std::size_t begin_ = 0;  // of the instruction that runs
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Id> memo_;
  std::size_t num_remembered_ = 0;
  std::size_t decoded_bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace gat::inline GAT_PRECISION
