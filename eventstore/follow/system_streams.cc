#include "eventstore/follow/system_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/types.h"

namespace cairn {
namespace {

constexpr std::size_t kNamesAtOnce = 1'000;
constexpr unsigned kReaders = 8;
constexpr int kIndexAttemptsMax = 10;

}  // namespace

IndexState SystemStreams::begin(const std::filesystem::path& index_folder, const Uuid& store_id) {
  // The server may be writing LMDB's meta pages, or creating the index. Without an index the follower reads
  // the whole log.
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(heads_.empty(), heads_.size());
  for (int attempt = 0; attempt < kIndexAttemptsMax && std::filesystem::exists(index_folder / "data.mdb");
       ++attempt) {
    const auto state = read_index(index_folder, store_id);
    if (state.ok()) return *state;
    heads_.clear();
  }
  return {};
}

Result<IndexState> SystemStreams::read_index(const std::filesystem::path& folder, const Uuid& store_id) {
  CAIRN_TRY(const auto index,
            Index::open(folder, {.readers_max = kReaders, .access = lmdb::Access::kReadOnly}));
  CAIRN_TRY(const IndexReader reader, index->read());
  CAIRN_TRY(const auto state, reader.state());
  if (!state || state->store_id != store_id) return IndexState{};
  for (std::string from;;) {
    CAIRN_TRY(const auto names, reader.names("$", from, kNamesAtOnce));
    for (const std::string& name : names) {
      CAIRN_TRY(auto head, reader.find(name));
      if (head) heads_.emplace(name, *std::move(head));
    }
    if (names.size() < kNamesAtOnce) return *state;
    from = names.back() + '\0';
  }
}

Status SystemStreams::take(BlockReader& block) {
  const auto& names = block.streams();
  if (std::none_of(names.begin(), names.end(), is_system_stream)) return {};
  const BlockHeader& header = block.header();
  for (std::uint64_t p = header.first_position.value; p <= header.last_position().value; ++p) {
    CAIRN_TRY(const auto named, block.names_of({p}));
    if (!is_system_stream(names[named.stream])) continue;
    CAIRN_TRY(const StoredEvent stored, block.read({p}));
    const EventView& event = stored.event;
    const MutexLock lock(mutex_);
    StreamHead& head = heads_.try_emplace(std::string(event.stream)).first->second;
    if (event.version <= head.version) continue;  // the index has it
    if (event.version.value != head.version.value + 1 || stored.previous != head.path.head()) {
      return make_error(Errc::kCorruption,
                        fmt::format("position {} is version {} of '{}', which is at version {}", p,
                                    event.version.value, event.stream, head.version.value));
    }
    head.advance(event.position, event.recorded_at);
  }
  return {};
}

std::optional<StreamHead> SystemStreams::find(std::string_view stream) const {
  const MutexLock lock(mutex_);
  const auto found = heads_.find(stream);
  return found == heads_.end() ? std::nullopt : std::optional(found->second);
}

GlobalPosition SystemStreams::last_position() const {
  const MutexLock lock(mutex_);
  GlobalPosition last;
  for (const auto& [name, head] : heads_) last = std::max(last, head.last_position());
  return last;
}

}  // namespace cairn
