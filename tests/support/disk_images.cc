#include "tests/support/disk_images.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

#include <sys/stat.h>

namespace cairn::test {

namespace {

constexpr std::size_t kSectorBytes = 512;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

bool changes_names(IoRecordKind kind) {
  return kind == IoRecordKind::kMake || kind == IoRecordKind::kRename || kind == IoRecordKind::kRemove;
}
bool changes_content(IoRecordKind kind) {
  return kind == IoRecordKind::kWrite || kind == IoRecordKind::kTruncate || kind == IoRecordKind::kExtend;
}

}  // namespace

// For each file and folder: how many of its size and name changes survive, and which part of its sectors.
class DiskImages::Survival {
 public:
  explicit Survival(Random* random) : random_(random) {}  // nullptr: everything survives

  // Called for each node before its changes, with how many of them are not durable.
  void begin(std::size_t pending) {
    if (random_ == nullptr) return;
    first_ones_ = random_->below(pending + 1);
    static const std::vector<std::uint64_t> kParts = {0, 1, 8, 15, 16};
    part_ = random_->pick(kParts);
  }
  bool sector() { return random_ == nullptr || random_->below(16) < part_; }
  // Whether the next change of size or name survives.
  bool next_change() {
    if (random_ == nullptr) return true;
    if (first_ones_ == 0) return false;
    --first_ones_;
    return true;
  }

 private:
  Random* random_;
  std::uint64_t first_ones_ = 0;
  std::uint64_t part_ = 0;  // of 16 sectors
};

DiskImages::DiskImages() {
  std::filesystem::create_directory(folder());
  std::ofstream(folder_ / "records", std::ios::binary) << std::string(sizeof(IoRecordControl), '\0');
}

void DiskImages::connect(ChildProcess::Command& command) const {
  preload(command, test_preload("io_record_preload"));
  command.environment.emplace_back("CAIRN_IO_RECORD_TO", (folder_ / "records").string());
  command.environment.emplace_back("CAIRN_IO_RECORD_OF", folder().string());
}

void DiskImages::kill_after(std::uint64_t records) {
  IoRecordControl control{};
  std::fstream file(folder_ / "records", std::ios::binary | std::ios::in | std::ios::out);
  file.read(reinterpret_cast<char*>(&control), sizeof control);
  control.kill_after = records == 0 ? 0 : control.records + records;
  file.seekp(0);
  file.write(reinterpret_cast<const char*>(&control), sizeof control);
}

void DiskImages::load() {
  records_.clear();
  std::ifstream file(folder_ / "records", std::ios::binary);
  file.ignore(sizeof(IoRecordControl));
  Record record{};
  while (file.read(reinterpret_cast<char*>(&record.head), sizeof record.head)) {
    record.bytes.resize(record.head.bytes);
    file.read(record.bytes.data(), static_cast<std::streamsize>(record.bytes.size()));
    record.durable_at = record.head.durable != 0 ? records_.size() + 1 : kNever;
    records_.push_back(record);
  }
  // From the end: the earliest end of a sync of each node that began behind the record in hand.
  std::map<std::uint64_t, std::size_t> synced_at;
  std::map<std::size_t, std::size_t> end_of;  // number of the beginning -> number of the end
  for (std::size_t i = records_.size(); i-- > 0;) {
    Record& now = records_[i];
    const std::size_t number = i + 1;
    if (now.head.kind == IoRecordKind::kSyncEnd) end_of[now.head.offset] = number;
    if (now.head.kind == IoRecordKind::kSyncBegin && end_of.contains(number)) {
      auto [entry, first] = synced_at.try_emplace(now.head.node, end_of[number]);
      if (!first) entry->second = std::min(entry->second, end_of[number]);
    }
    const bool names = changes_names(now.head.kind);
    if (!names && !changes_content(now.head.kind)) continue;
    const auto found = synced_at.find(names ? now.head.folder : now.head.node);
    if (found != synced_at.end()) now.durable_at = std::min(now.durable_at, found->second);
  }
}

std::vector<std::string> DiskImages::lines_before(std::size_t records) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < records; ++i) {
    if (records_[i].head.kind != IoRecordKind::kOutput) continue;
    std::istringstream text(records_[i].bytes);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  }
  return lines;
}

std::string DiskImages::content_of(std::uint64_t node, std::size_t made_at, std::size_t records,
                                   Survival& survival) const {
  std::vector<const Record*> changes;
  std::size_t pending = 0;
  for (std::size_t i = made_at; i < records; ++i) {
    const Record& record = records_[i];
    if (record.head.node != node || !changes_content(record.head.kind)) continue;
    changes.push_back(&record);
    pending += record.durable_at > records ? 1 : 0;
  }
  survival.begin(pending);
  std::string content;
  std::size_t size = 0;  // of the file; sectors behind it are not seen
  for (const Record* change : changes) {
    const bool durable = change->durable_at <= records;
    const std::size_t end = change->head.offset + change->bytes.size();
    const bool sized = durable || survival.next_change();
    if (change->head.kind == IoRecordKind::kTruncate) {
      if (!sized) continue;
      size = end;
      content.resize(std::min(content.size(), size));
      continue;
    }
    if (sized) size = std::max(size, end);
    if (change->head.kind == IoRecordKind::kExtend) continue;
    content.resize(std::max(content.size(), end), '\0');
    for (std::size_t at = change->head.offset; at < end;) {
      const std::size_t until = std::min(end, (at / kSectorBytes + 1) * kSectorBytes);
      if (durable || survival.sector())
        content.replace(at, until - at, change->bytes, at - change->head.offset, until - at);
      at = until;
    }
  }
  content.resize(size, '\0');
  return content;
}

void DiskImages::make(std::size_t records, Survival& survival, const std::filesystem::path& target) const {
  struct Entry {
    std::uint64_t node;
    std::size_t made_at;  // the number of the record: nodes are used again
  };
  std::map<std::uint64_t, std::vector<std::size_t>> changes_of;  // folder -> records
  for (std::size_t i = 0; i < records; ++i) {
    if (changes_names(records_[i].head.kind)) changes_of[records_[i].head.folder].push_back(i);
  }
  const auto entries_of = [&](std::uint64_t folder, std::size_t made_at) {
    std::map<std::string, Entry> entries;
    const std::vector<std::size_t>& changes = changes_of[folder];
    survival.begin(static_cast<std::size_t>(std::count_if(
        changes.begin(), changes.end(), [&](std::size_t i) { return records_[i].durable_at > records; })));
    for (const std::size_t i : changes) {
      const Record& change = records_[i];
      if (i < made_at || (change.durable_at > records && !survival.next_change())) continue;
      const std::string first = change.bytes.c_str();
      if (change.head.kind == IoRecordKind::kMake) {
        entries[first] = {change.head.node, i + 1};
      } else if (auto moved = entries.extract(first);
                 change.head.kind == IoRecordKind::kRename && !moved.empty()) {
        entries[change.bytes.substr(first.size() + 1)] = moved.mapped();
      }
    }
    return entries;
  };
  const std::function<void(std::uint64_t, std::size_t, const std::filesystem::path&)> make_folder =
      [&](std::uint64_t node, std::size_t made_at, const std::filesystem::path& path) {
        std::filesystem::create_directory(path);
        for (const auto& [name, entry] : entries_of(node, made_at)) {
          if (records_[entry.made_at - 1].head.offset == 1) {
            make_folder(entry.node, entry.made_at, path / name);
          } else {
            std::ofstream(path / name, std::ios::binary)
                << content_of(entry.node, entry.made_at, records, survival);
          }
        }
      };
  struct stat root {};
  if (::stat(folder().c_str(), &root) != 0) std::abort();
  std::filesystem::remove_all(target);
  make_folder(root.st_ino, 0, target);
}

void DiskImages::make(std::size_t records, Random& random, const std::filesystem::path& target) const {
  Survival survival(&random);
  make(records, survival, target);
}

void DiskImages::make_whole(const std::filesystem::path& target) const {
  Survival survival(nullptr);
  make(records_.size(), survival, target);
}

}  // namespace cairn::test
