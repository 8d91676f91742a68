#include "io/pickle_machine.hpp"

#include <limits>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostValues = std::size_t{1} << 27;

// The instructions (CPython's Lib/pickletools.py lists them all).
// clang-format off
enum Instruction : unsigned char {
  kMark = '(', kStop = '.', kPushNone = 'N', kFalse = 0x89, kTrue = 0x88,
  kInt = 'J', kInt1 = 'K', kInt2 = 'M', kLong1 = 0x8a, kReal = 'G',
  kBytes4 = 'T', kBytes1 = 'U', kBinBytes4 = 'B', kBinBytes1 = 'C', kBinBytes8 = 0x8e,
  kText1 = 0x8c, kText4 = 'X', kText8 = 0x8d,
  kTuple0 = ')', kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87, kTuple = 't',
  kList = ']', kDictionary = '}', kAppend = 'a', kAppends = 'e', kSetItem = 's', kSetItems = 'u',
  kPut1 = 'q', kPut4 = 'r', kMemoize = 0x94, kGet1 = 'h', kGet4 = 'j',
  kGlobal = 'c', kStackGlobal = 0x93, kReduce = 'R', kNewObject = 0x81, kBuild = 'b',
  kProtocol = 0x80, kFrame = 0x95
};
// clang-format on

}  // namespace

PickleMachine::PickleMachine(Pickle& pickle) : pickle_(pickle), bytes_(pickle.bytes_) {
  // The value 0 is the None that all uses share.
  add(Kind::none, 0);
}

void PickleMachine::fail(const std::string& message) const {
  throw InputError(pickle_.place_ + ": byte " + std::to_string(begin_), message);
}

void PickleMachine::run() {
  while (!stopped_) {
    begin_ = at_;
    const auto code = next<unsigned char>();
    if (!run_scalar(code) && !run_memo(code) && !run_container(code) && !run_string(code) &&
        !run_object(code)) {
      fail("the pickle instruction " + shown(bytes_.substr(begin_, 1)) +
           " is not one of plain data; save the data again with pickle protocol 2, 3 or 4");
    }
  }
  if (stack_.size() != 1 || !marks_.empty()) fail("a pickle must end with one value");
  if (at_ != bytes_.size()) fail("there are bytes after the end of the pickle");
  pickle_.root_ = stack_.back();
}

bool PickleMachine::run_scalar(unsigned char code) {
  switch (code) {
    case kPushNone:
      push(0);
      break;
    case kTrue:
      push(Kind::boolean, 1);
      break;
    case kFalse:
      push(Kind::boolean, 0);
      break;
    case kInt:
      push(Kind::integer, next<std::int32_t>());
      break;
    case kInt1:
      push(Kind::integer, next<std::uint8_t>());
      break;
    case kInt2:
      push(Kind::integer, next<std::uint16_t>());
      break;
    case kLong1:
      push_long();
      break;
    case kReal: {
      const std::string_view bytes = take(8);
      push(Kind::real, load<std::int64_t>(bytes.data(), true));  // the one big-endian number
      break;
    }
    default:
      return false;
  }
  return true;
}

bool PickleMachine::run_string(unsigned char code) {
  switch (code) {
    case kBytes1:
    case kBinBytes1:
      push_string(Kind::bytes, take(next<std::uint8_t>()));
      break;
    case kBytes4: {
      const auto length = next<std::int32_t>();
      if (length < 0) fail("a string of negative length");
      push_string(Kind::bytes, take(static_cast<std::uint64_t>(length)));
      break;
    }
    case kBinBytes4:
      push_string(Kind::bytes, take(next<std::uint32_t>()));
      break;
    case kBinBytes8:
      push_string(Kind::bytes, take(next<std::uint64_t>()));
      break;
    case kText1:
      push_string(Kind::text, take(next<std::uint8_t>()));
      break;
    case kText4:
      push_string(Kind::text, take(next<std::uint32_t>()));
      break;
    case kText8:
      push_string(Kind::text, take(next<std::uint64_t>()));
      break;
    default:
      return false;
  }
  return true;
}

bool PickleMachine::run_container(unsigned char code) {
  const auto last = [&](std::size_t count) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + count) fail("the stack is empty");
    return stack_.size() - count;
  };
  switch (code) {
    case kMark:
      marks_.push_back(stack_.size());
      break;
    case kTuple0:
      push_sequence(Kind::tuple, stack_.size());
      break;
    case kTuple1:
      push_sequence(Kind::tuple, last(1));
      break;
    case kTuple2:
      push_sequence(Kind::tuple, last(2));
      break;
    case kTuple3:
      push_sequence(Kind::tuple, last(3));
      break;
    case kTuple:
      push_sequence(Kind::tuple, pop_mark());
      break;
    case kList:
      push_sequence(Kind::list, stack_.size());
      break;
    case kDictionary:
      push_sequence(Kind::dictionary, stack_.size());
      break;
    case kAppend:
      append(last(1));
      break;
    case kAppends:
      append(pop_mark());
      break;
    case kSetItem:
      set_items(last(2));
      break;
    case kSetItems:
      set_items(pop_mark());
      break;
    default:
      return false;
  }
  return true;
}

bool PickleMachine::run_memo(unsigned char code) {
  switch (code) {
    case kPut1:
      remember(next<std::uint8_t>());
      break;
    case kPut4:
      remember(next<std::uint32_t>());
      break;
    case kMemoize:
      remember(num_remembered_);
      break;
    case kGet1:
      recall(next<std::uint8_t>());
      break;
    case kGet4:
      recall(next<std::uint32_t>());
      break;
    default:
      return false;
  }
  return true;
}

bool PickleMachine::run_object(unsigned char code) {
  switch (code) {
    case kGlobal: {
      const std::string_view module = line();
      push_name(module, line());
      break;
    }
    case kStackGlobal: {
      const std::string_view name = string(pop(), "a name");
      push_name(string(pop(), "a module"), name);
      break;
    }
    case kReduce:
      reduce();
      break;
    case kNewObject:
      make_csr();
      break;
    case kBuild:
      build();
      break;
    case kProtocol:
      if (next<std::uint8_t>() > 4)
        fail("a pickle of a protocol above 4; save the data again with protocol 4");
      break;
    case kFrame:
      if (next<std::uint64_t>() > bytes_.size() - at_) fail("a frame longer than the rest of the file");
      break;
    case kStop:
      stopped_ = true;
      break;
    default:
      return false;
  }
  return true;
}

std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    fail("the pickle is cut off: " + std::to_string(count) + " bytes expected, " +
         std::to_string(bytes_.size() - at_) + " left");
  }
  const std::string_view result = bytes_.substr(at_, static_cast<std::size_t>(count));
  at_ += result.size();
  return result;
}

template <class Number>
Number PickleMachine::next() {
  return load<Number>(take(sizeof(Number)).data());
}

std::string_view PickleMachine::line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) fail("the pickle is cut off within a name");
  const std::string_view result = take(end - at_);
  ++at_;
  return result;
}

PickleMachine::Id PickleMachine::add(Kind kind, std::int64_t number) {
  if (pickle_.values_.size() == kMostValues) {
    throw LimitError(pickle_.place_ + " holds more than the limit of " + std::to_string(kMostValues) +
                     " values");
  }
  Pickle::Value value;
  value.number = number;
  value.offset = begin_ & ((std::uint64_t{1} << 56) - 1);
  value.kind = static_cast<std::uint8_t>(kind);
  pickle_.values_.push_back(value);
  return static_cast<Id>(pickle_.values_.size() - 1);
}

// Values below the last mark belong to what is still being gathered.
PickleMachine::Id PickleMachine::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("the stack is empty");
  return stack_.back();
}

PickleMachine::Id PickleMachine::pop() {
  const Id id = top();
  stack_.pop_back();
  return id;
}

std::size_t PickleMachine::pop_mark() {
  if (marks_.empty()) fail("there is no mark");
  const std::size_t first = marks_.back();
  marks_.pop_back();
  return first;
}

PickleMachine::Kind PickleMachine::kind(Id id) const { return static_cast<Kind>(pickle_.values_[id].kind); }

std::string_view PickleMachine::string(Id id, const char* what) const {
  if (kind(id) != Kind::text && kind(id) != Kind::bytes)
    fail("expected " + std::string(what) + " as a string");
  return pickle_.strings_[static_cast<std::size_t>(number(id))];
}

void PickleMachine::push_string(Kind kind, std::string_view text) {
  if (kind == Kind::text && find_invalid_utf8(text) != std::string_view::npos) fail("text that is not UTF-8");
  push(kind, static_cast<std::int64_t>(pickle_.strings_.size()));
  pickle_.strings_.push_back(text);
}

// An integer of any length in two's complement, lowest byte first.
void PickleMachine::push_long() {
  const std::string_view bytes = take(next<std::uint8_t>());
  if (bytes.size() > 8) fail("an integer of more than 64 bits");
  std::uint64_t bits = !bytes.empty() && (bytes.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  push(Kind::integer, static_cast<std::int64_t>(bits));
}

void PickleMachine::push_sequence(Kind kind, std::size_t first) {
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Id> content(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  push(kind, static_cast<std::int64_t>(pickle_.members_.size()));
  pickle_.members_.push_back(std::move(content));
}

void PickleMachine::append(std::size_t first) {
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (first <= floor || kind(stack_[first - 1]) != Kind::list)
    fail("members are appended to something that is no list");
  std::vector<Id>& list = members(stack_[first - 1]);
  list.insert(list.end(), begin, stack_.end());
  stack_.erase(begin, stack_.end());
}

void PickleMachine::set_items(std::size_t first) {
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (first <= floor || kind(stack_[first - 1]) != Kind::dictionary)
    fail("items are set in something that is no dictionary");
  if ((stack_.size() - first) % 2 != 0) fail("a key without a value");
  std::vector<Id>& pairs = members(stack_[first - 1]);
  pairs.insert(pairs.end(), begin, stack_.end());
  stack_.erase(begin, stack_.end());
}

// Every slot takes an instruction to fill, so an honest number is smaller than the file is long.
void PickleMachine::remember(std::uint64_t slot) {
  if (slot >= bytes_.size()) fail("a memo slot of number " + std::to_string(slot) + " in so short a file");
  if (slot >= memo_.size()) memo_.resize(static_cast<std::size_t>(slot) + 1, kNothing);
  memo_[static_cast<std::size_t>(slot)] = top();
  ++num_remembered_;
}

void PickleMachine::recall(std::uint64_t slot) {
  if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kNothing) {
    fail("the memo slot " + std::to_string(slot) + " is empty");
  }
  push(memo_[static_cast<std::size_t>(slot)]);
}

}  // namespace gat::inline GAT_PRECISION
