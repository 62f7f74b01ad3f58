#include "eventstore/follow/system_streams.h"

#include <algorithm>
#include <utility>

#include "eventstore/types.h"

namespace cairn {
namespace {

constexpr std::size_t kNamesAtOnce = 1'000;
constexpr unsigned kReaders = 8;
constexpr int kLooksAtIndexMax = 10;

}  // namespace

IndexState SystemStreams::begin(const std::filesystem::path& index_folder, const Uuid& store_id) {
  // A server beside us may be writing the meta pages, or making the index; without it we read the whole log.
  for (int look = 0; look < kLooksAtIndexMax && std::filesystem::exists(index_folder / "data.mdb"); ++look) {
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
    std::lock_guard lock(mutex_);
    StreamHead& head = heads_.try_emplace(std::string(event.stream)).first->second;
    if (event.version <= head.version) continue;  // the index knew it
    if (event.version.value != head.version.value + 1 || stored.previous != head.path.head()) {
      return make_error(Errc::kCorruption, "position " + std::to_string(p) + " is version " +
                                               std::to_string(event.version.value) + " of '" +
                                               std::string(event.stream) + "', which is at version " +
                                               std::to_string(head.version.value));
    }
    head.advance(event.position, event.recorded_at);
  }
  return {};
}

std::optional<StreamHead> SystemStreams::find(std::string_view stream) const {
  std::lock_guard lock(mutex_);
  const auto found = heads_.find(stream);
  return found == heads_.end() ? std::nullopt : std::optional(found->second);
}

GlobalPosition SystemStreams::last_position() const {
  std::lock_guard lock(mutex_);
  GlobalPosition last;
  for (const auto& [name, head] : heads_) last = std::max(last, head.last_position());
  return last;
}

std::vector<std::pair<std::string, StreamHead>> SystemStreams::list(
    std::string_view after, std::size_t limit, const std::function<bool(std::string_view)>& wanted) const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, StreamHead>> streams;
  for (auto at = heads_.upper_bound(after); at != heads_.end() && streams.size() < limit; ++at) {
    if (wanted(at->first)) streams.emplace_back(at->first, at->second);
  }
  return streams;
}

}  // namespace cairn
