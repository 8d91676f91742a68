#include "io/zip_directory.hpp"

#include <algorithm>
#include <unordered_set>

#include "gat/core/error.hpp"
#include "io/bytes.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr std::uint64_t kMostMembers = 1'000'000;
constexpr std::uint16_t kZip64Extra = 1;

// Why a name may not be used, or null. Nothing of ours writes members to disk, but an archive with
// such a name was made to do harm.
const char* reason_against(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name.find('\0') != std::string_view::npos) return "a zero byte in a name";
  if (name[0] == '/' || name[0] == '\\' || (name.size() > 1 && name[1] == ':')) return "an absolute name";
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    if (name.substr(begin, end - begin) == "..") return "a name with '..'";
    begin = end + 1;
  }
  return nullptr;
}

// Little-endian fields of one record, read in turn.
class Record {
 public:
  explicit Record(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  Number next() {
    const Number number = load<Number>(bytes_.data());
    bytes_.remove_prefix(sizeof(Number));
    return number;
  }
  std::string_view take(std::size_t count) {
    const std::string_view head = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return head;
  }
  void skip(std::size_t count) { bytes_.remove_prefix(count); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

class DirectoryReader {
 public:
  DirectoryReader(const Descriptor& file, const std::filesystem::path& path)
      : file_(file), path_(path), file_size_(size_of(file, path)) {}

  std::vector<ZipMember> run() {
    find_directory();
    std::vector<ZipMember> members = read_members();
    for (ZipMember& member : members) locate(member);
    check_overlaps(members);
    std::erase_if(members, [](const ZipMember& member) { return member.name.ends_with('/'); });
    return members;
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& message) const {
    throw InputError(path_.string() + ": byte " + std::to_string(at), message);
  }

  // Allocates only what the file can hold.
  std::string bytes_at(std::uint64_t offset, std::uint64_t count, const char* what) const {
    if (offset > file_size_ || count > file_size_ - offset) {
      fail(offset, std::string(what) + " of " + std::to_string(count) +
                       " bytes does not fit into the file of " + std::to_string(file_size_) +
                       " bytes; it is damaged or cut off");
    }
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (read_at(file_.get(), offset, bytes.data(), bytes.size(), path_) != bytes.size()) {
      fail(offset, "the file became shorter while it was read");
    }
    return bytes;
  }

  void find_directory();
  void find_zip64_directory();
  std::vector<ZipMember> read_members() const;
  ZipMember parse_entry(Record& record, std::uint64_t at) const;
  void read_zip64_sizes(std::string_view extra, ZipMember& member, std::uint64_t at) const;
  void locate(ZipMember& member) const;
  void check_overlaps(const std::vector<ZipMember>& members) const;

  const Descriptor& file_;
  const std::filesystem::path& path_;
  const std::uint64_t file_size_;
  std::uint64_t end_record_ = 0;
  std::uint64_t directory_ = 0;
  std::uint64_t directory_size_ = 0;
  std::uint64_t num_members_ = 0;
};

// The end record is the last thing in the file, but for a comment whose length it states.
void DirectoryReader::find_directory() {
  constexpr std::uint64_t kRecord = 22;
  constexpr std::uint64_t kLongestComment = 0xffff;
  const std::uint64_t tail_size = std::min(file_size_, kRecord + kLongestComment);
  const std::string tail = bytes_at(file_size_ - tail_size, tail_size, "the end");
  std::uint64_t from_end = kRecord;
  for (;; ++from_end) {
    if (from_end > tail_size)
      fail(0, "not a zip file, or one cut off: there is no end record; fetch it again");
    const std::string_view record =
        std::string_view(tail).substr(static_cast<std::size_t>(tail_size - from_end));
    if (record.starts_with("PK\5\6") && load<std::uint16_t>(record.data() + 20) == from_end - kRecord) break;
  }
  end_record_ = file_size_ - from_end;
  Record record(std::string_view(tail).substr(static_cast<std::size_t>(tail_size - from_end + 4)));
  const auto disk = record.next<std::uint16_t>();
  const auto directory_disk = record.next<std::uint16_t>();
  const auto members_here = record.next<std::uint16_t>();
  num_members_ = record.next<std::uint16_t>();
  directory_size_ = record.next<std::uint32_t>();
  directory_ = record.next<std::uint32_t>();
  std::uint64_t end = end_record_;
  if (end_record_ >= 20 && bytes_at(end_record_ - 20, 4, "the Zip64 locator") == "PK\6\7") {
    find_zip64_directory();
    end = end_record_ - 20;
  } else if (disk != 0 || directory_disk != 0 || members_here != num_members_) {
    fail(end_record_, "an archive in several parts; join them first");
  }
  if (directory_ > end || directory_size_ > end - directory_) {
    fail(end_record_, "the directory does not lie before the end record; the file is damaged");
  }
  if (num_members_ > kMostMembers) {
    throw LimitError(path_.string() + " lists " + std::to_string(num_members_) +
                     " members, above the limit of " + std::to_string(kMostMembers));
  }
}

void DirectoryReader::find_zip64_directory() {
  const std::string locator = bytes_at(end_record_ - 20, 20, "the Zip64 locator");
  const auto at = load<std::uint64_t>(locator.data() + 8);
  if (load<std::uint32_t>(locator.data() + 4) != 0 || load<std::uint32_t>(locator.data() + 16) > 1) {
    fail(end_record_ - 20, "an archive in several parts; join them first");
  }
  const std::string bytes = bytes_at(at, 56, "the Zip64 end record");
  if (!bytes.starts_with("PK\6\6")) fail(at, "expected the Zip64 end record; the file is damaged");
  Record record(bytes);
  record.skip(24);
  const auto members_here = record.next<std::uint64_t>();
  num_members_ = record.next<std::uint64_t>();
  directory_size_ = record.next<std::uint64_t>();
  directory_ = record.next<std::uint64_t>();
  if (members_here != num_members_) fail(at, "an archive in several parts; join them first");
}

std::vector<ZipMember> DirectoryReader::read_members() const {
  const std::string bytes = bytes_at(directory_, directory_size_, "the directory");
  std::vector<ZipMember> members;
  std::unordered_set<std::string> names;
  Record record(bytes);
  for (std::uint64_t i = 0; i < num_members_; ++i) {
    const std::uint64_t at = directory_ + bytes.size() - record.left();
    members.push_back(parse_entry(record, at));
    if (!names.insert(members.back().name).second) {
      fail(at, "the member " + shown(members.back().name) + " occurs twice");
    }
  }
  if (record.left() != 0)
    fail(directory_ + bytes.size() - record.left(), "the directory holds more than its members");
  return members;
}

ZipMember DirectoryReader::parse_entry(Record& record, std::uint64_t at) const {
  constexpr std::size_t kFixed = 46;
  if (record.left() < kFixed || record.take(4) != "PK\1\2")
    fail(at, "expected a directory entry; the file is damaged");
  ZipMember member;
  record.skip(4);
  const auto flags = record.next<std::uint16_t>();
  const auto method = record.next<std::uint16_t>();
  record.skip(4);
  member.checksum = record.next<std::uint32_t>();
  member.packed_size = record.next<std::uint32_t>();
  member.size = record.next<std::uint32_t>();
  const std::size_t name_length = record.next<std::uint16_t>();
  const std::size_t extra_length = record.next<std::uint16_t>();
  const std::size_t comment_length = record.next<std::uint16_t>();
  record.skip(8);
  member.header = record.next<std::uint32_t>();
  if (record.left() < name_length + extra_length + comment_length) fail(at, "a directory entry is cut off");
  member.name = record.take(name_length);
  read_zip64_sizes(record.take(extra_length), member, at);
  record.skip(comment_length);

  if (const char* reason = reason_against(member.name))
    fail(at, std::string(reason) + ": " + shown(member.name));
  const std::string what = "member " + shown(member.name);
  if ((flags & 0x2041) != 0) fail(at, what + " is encrypted; store it without a password");
  if (method != 0 && method != 8) {
    fail(at, what + " is packed by method " + std::to_string(method) +
                 "; only stored (0) and deflated (8) are known");
  }
  member.deflated = method == 8;
  if (!member.deflated && member.packed_size != member.size) {
    fail(at, what + " is stored, but its two sizes differ");
  }
  return member;
}

// A field of all ones in the entry stands in the Zip64 extra field instead, in this order.
void DirectoryReader::read_zip64_sizes(std::string_view extra, ZipMember& member, std::uint64_t at) const {
  constexpr std::uint64_t kElsewhere = 0xffffffff;
  std::string_view numbers;
  while (extra.size() >= 4) {
    const auto id = load<std::uint16_t>(extra.data());
    const std::size_t length = load<std::uint16_t>(extra.data() + 2);
    if (length > extra.size() - 4) fail(at, "an extra field is cut off");
    if (id == kZip64Extra) numbers = extra.substr(4, length);
    extra.remove_prefix(4 + length);
  }
  for (std::uint64_t* const field : {&member.size, &member.packed_size, &member.header}) {
    if (*field != kElsewhere) continue;
    if (numbers.size() < 8) fail(at, "a Zip64 size of member " + shown(member.name) + " is missing");
    *field = load<std::uint64_t>(numbers.data());
    numbers.remove_prefix(8);
  }
}

// The data follow the member's own header, whose extra field may differ from the directory's.
void DirectoryReader::locate(ZipMember& member) const {
  constexpr std::uint64_t kFixed = 30;
  const std::string what = "member " + shown(member.name);
  const std::string bytes = bytes_at(member.header, kFixed, "a member's header");
  Record record(bytes);
  if (record.take(4) != "PK\3\4")
    fail(member.header, "expected the header of " + what + "; the file is damaged");
  record.skip(2);
  const auto flags = record.next<std::uint16_t>();
  const auto method = record.next<std::uint16_t>();
  record.skip(8);
  const auto packed_size = record.next<std::uint32_t>();
  const auto size = record.next<std::uint32_t>();
  const std::uint64_t name_length = record.next<std::uint16_t>();
  const std::uint64_t extra_length = record.next<std::uint16_t>();
  if (bytes_at(member.header + kFixed, name_length, "a member's name") != member.name ||
      (method == 8) != member.deflated || (flags & 0x2041) != 0) {
    fail(member.header, "the header of " + what + " contradicts the directory");
  }
  // Bit 3: the sizes follow the data. All ones: they stand in the extra field.
  const auto contradicts = [&](std::uint32_t here, std::uint64_t there) {
    return (flags & 8) == 0 && here != 0xffffffff && here != there;
  };
  if (contradicts(packed_size, member.packed_size) || contradicts(size, member.size)) {
    fail(member.header, "the sizes of " + what + " contradict the directory");
  }
  member.data = member.header + kFixed + name_length + extra_length;
  if (member.data > directory_ || member.packed_size > directory_ - member.data) {
    fail(member.header, what + " of " + std::to_string(member.packed_size) +
                            " packed bytes does not lie before the directory; the file is damaged");
  }
}

void DirectoryReader::check_overlaps(const std::vector<ZipMember>& members) const {
  std::vector<const ZipMember*> order;
  for (const ZipMember& member : members) order.push_back(&member);
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->data + order[i - 1]->packed_size > order[i]->header) {
      fail(order[i]->header,
           "members " + shown(order[i - 1]->name) + " and " + shown(order[i]->name) + " overlap");
    }
  }
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const Descriptor& file, const std::filesystem::path& path) {
  return DirectoryReader(file, path).run();
}

}  // namespace gat::inline GAT_PRECISION
