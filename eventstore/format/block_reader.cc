#include "eventstore/format/block_reader.h"

#include <string>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

// The offsets of the fields of block.capnp, in words; docs/format.md has an example.
constexpr std::size_t kBlockStreams = 0, kBlockTypes = 1, kBlockEvents = 2, kBlockPointers = 3;
constexpr std::size_t kNames = 0, kVersion = 1, kPrevious = 2, kJump = 3, kIdHigh = 4, kIdLow = 5,
                      kChecksum = 6, kSchemaAndFlags = 7, kEventDataWords = 8;
constexpr std::size_t kData = 8, kMetadata = 9, kTags = 10, kEventWords = 11;

constexpr std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

Error damaged(const BlockHeader& header, const std::string& what) {
  Error error =
      make_error(Errc::kCorruption, fmt::format("log block {}: {}", header.first_position.value, what));
  error.position = header.first_position.value;
  return error;
}

Error damaged_event(const BlockHeader& header, GlobalPosition position, const std::string& what) {
  return damaged(header, fmt::format("event at position {} {}", position.value, what));
}

}  // namespace

Status BlockReader::open(std::span<const std::byte> block, BlockCheck check) {
  close();
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(block));
  if (check == BlockCheck::kWholeBlock) {
    if (const std::uint64_t sum = block_checksum(block); sum != header.checksum) {
      return damaged(header, "checksum does not match the block's bytes");
    }
  }
  // The builder writes one segment, so the segment table is one word. Anything else is damage.
  const std::byte* const table = block.data() + BlockHeader::kBytes;
  if (header.message_words < 2 || load_le<std::uint32_t>(table) != 0 ||
      load_le<std::uint32_t>(table + 4) != header.message_words - 1) {
    return damaged(header, "message framing is wrong");
  }
  message_ = MessageWords(block.subspan(BlockHeader::kBytes + 8));
  if (!find_lists()) return damaged(header, "the message is not a block");
  if (event_list_.count != header.event_count) return damaged(header, "event count is wrong");
  if (check == BlockCheck::kWholeBlock && !read_names()) return damaged(header, "a name cannot be read");
  header_ = header;
  check_ = check;
  return {};
}

bool BlockReader::find_lists() {
  std::size_t root = 0;
  return message_.find_root(kBlockPointers, root) &&
         message_.find_pointers(root + kBlockStreams, stream_list_) &&
         message_.find_pointers(root + kBlockTypes, type_list_) &&
         message_.find_structs(root + kBlockEvents, kEventDataWords, kEventWords, event_list_);
}

bool BlockReader::read_names() {
  streams_.resize(stream_list_.count);
  types_.resize(type_list_.count);
  bool sound = true;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    sound = message_.read_text(stream_list_.at(i), streams_[i]) && sound;
  for (std::size_t i = 0; i < types_.size(); ++i)
    sound = message_.read_text(type_list_.at(i), types_[i]) && sound;
  return sound;
}

Result<StoredEvent> BlockReader::read(GlobalPosition position) {
  StoredEvent stored;
  CAIRN_CHECK(read_into(position, stored));
  return stored;
}

Result<BlockReader::Names> BlockReader::names_of(GlobalPosition position) const {
  CAIRN_ASSERT(contains(position), position.value, header_.first_position.value);
  const std::size_t at = event_list_.at(position.value - header_.first_position.value);
  const Names names{low_half(message_.word(at + kNames)), high_half(message_.word(at + kNames))};
  if (names.stream >= stream_list_.count || names.type >= type_list_.count) {
    return damaged_event(header_, position, "names no stream or type");
  }
  return names;
}

Status BlockReader::read_into(GlobalPosition position, StoredEvent& stored) {
  CAIRN_TRY(const auto names, names_of(position));
  const auto [stream, type] = names;
  const std::size_t at = event_list_.at(position.value - header_.first_position.value);
  EventView& view = stored.event;
  bool sound = true;
  if (check_ == BlockCheck::kWholeBlock) {
    view.stream = streams_[stream];
    view.type = types_[type];
  } else {
    sound = message_.read_text(stream_list_.at(stream), view.stream) &&
            message_.read_text(type_list_.at(type), view.type);
  }
  sound = sound && message_.read_data(at + kData, view.data) &&
          message_.read_data(at + kMetadata, view.metadata) && read_tags(at + kTags, stored);
  if (!sound) return damaged_event(header_, position, "cannot be read");
  view.position = position;
  view.version = {message_.word(at + kVersion)};
  view.id = Uuid::from_halves(message_.word(at + kIdHigh), message_.word(at + kIdLow));
  view.schema = {low_half(message_.word(at + kSchemaAndFlags))};
  view.recorded_at = header_.recorded_at;
  stored.previous = message_.word(at + kPrevious);
  stored.jump = message_.word(at + kJump);
  stored.store_made_id = (high_half(message_.word(at + kSchemaAndFlags)) & 1u) != 0;
  if (check_ == BlockCheck::kEachEvent && event_checksum(stored) != message_.word(at + kChecksum)) {
    return damaged_event(header_, position, "does not match its checksum");
  }
  return {};
}

bool BlockReader::read_tags(std::size_t at, StoredEvent& stored) {
  stored.event.tags = {};
  if (message_.word(at) == 0) return true;
  MessageWords::List list;
  if (!message_.find_pointers(at, list)) return false;
  tags_.resize(list.count);
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    if (!message_.read_text(list.at(i), tags_[i])) return false;
  }
  stored.event.tags = tags_;
  return true;
}

}  // namespace cairn
