#include "eventstore/format/block_reader.h"

#include <string>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

// The offsets of the fields of block.capnp, in words; docs/format.md has an example.
constexpr std::size_t kBlockStreams = 0, kBlockTypes = 1, kBlockEvents = 2, kBlockPointersOfFormat1 = 3;
constexpr std::size_t kBlockNotes = 3, kBlockParts = 4, kBlockPointers = 5;
constexpr std::size_t kNames = 0, kVersion = 1, kPrevious = 2, kJump = 3, kIdHigh = 4, kIdLow = 5,
                      kChecksum = 6, kSchemaAndFlags = 7, kEventDataWords = 8;
constexpr std::size_t kData = 8, kMetadata = 9, kTags = 10, kEventWords = 11;
// Of a note: kind and flags, then the bytes. Of a part: event and kind, then the bytes.
constexpr std::size_t kSmallDataWords = 1, kSmallBytes = 1, kSmallWords = 2;
constexpr std::uint32_t kNoteRequired = 1;

constexpr std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

Error damaged(const BlockHeader& header, const std::string& what) {
  Error error =
      make_error(Errc::kCorruption, fmt::format("log block {}: {}", header.first_position.value, what));
  error.position = header.first_position.value;
  return error;
}

constexpr bool is_known_note(std::uint32_t kind) { return kind == Note::kOpening; }

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
  const std::byte* const table = block.data() + header.bytes();
  if (header.message_words < 2 || load_le<std::uint32_t>(table) != 0 ||
      load_le<std::uint32_t>(table + 4) != header.message_words - 1) {
    return damaged(header, "message framing is wrong");
  }
  message_ = MessageWords(block.subspan(header.bytes() + 8));
  if (!find_lists(header.format)) return damaged(header, "the message is not a block");
  if (event_list_.count != header.event_count) return damaged(header, "event count is wrong");
  if (check == BlockCheck::kWholeBlock && !read_names()) return damaged(header, "a name cannot be read");
  if (!read_notes()) return damaged(header, "a note cannot be read");
  for (const NoteView& note : notes_) {
    if (note.required && !is_known_note(note.kind)) {
      return make_error(
          Errc::kFailedPrecondition,
          fmt::format("log block {} has a note of kind {}, which this program does not know and would "
                      "have to: a newer program wrote it",
                      header.first_position.value, note.kind));
    }
  }
  header_ = header;
  check_ = check;
  open_ = true;
  return {};
}

bool BlockReader::find_lists(LogFormat format) {
  std::size_t root = 0;
  note_list_ = {};
  part_list_ = {};
  const bool first = format == LogFormat::k1;
  return message_.find_root(first ? kBlockPointersOfFormat1 : kBlockPointers, root) &&
         message_.find_pointers(root + kBlockStreams, stream_list_) &&
         message_.find_pointers(root + kBlockTypes, type_list_) &&
         message_.find_structs(root + kBlockEvents, kEventDataWords, kEventWords, event_list_) &&
         (first || (message_.find_structs(root + kBlockNotes, kSmallDataWords, kSmallWords, note_list_) &&
                    message_.find_structs(root + kBlockParts, kSmallDataWords, kSmallWords, part_list_)));
}

bool BlockReader::read_notes() {
  notes_.clear();
  for (std::size_t i = 0; i < note_list_.count; ++i) {
    const std::size_t at = note_list_.at(i);
    NoteView& note = notes_.emplace_back();
    note.kind = low_half(message_.word(at));
    note.required = (high_half(message_.word(at)) & kNoteRequired) != 0;
    if (!message_.read_data(at + kSmallBytes, note.bytes)) return false;
  }
  return true;
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
  const std::uint32_t flags = high_half(message_.word(at + kSchemaAndFlags));
  // Few events have parts; `stored` has those of the event before.
  if (flags > event_flags::kStoreMadeId || !stored.parts.empty())
    sound = sound && read_parts(position, flags, stored);
  if (!sound) return damaged_event(header_, position, "cannot be read");
  view.position = position;
  view.version = {message_.word(at + kVersion)};
  view.id = Uuid::from_halves(message_.word(at + kIdHigh), message_.word(at + kIdLow));
  view.schema = {low_half(message_.word(at + kSchemaAndFlags))};
  view.recorded_at = header_.recorded_at;
  stored.previous = message_.word(at + kPrevious);
  stored.jump = message_.word(at + kJump);
  stored.store_made_id = (flags & event_flags::kStoreMadeId) != 0;
  if (check_ == BlockCheck::kEachEvent &&
      event_checksum(stored, header_.format) != message_.word(at + kChecksum)) {
    return damaged_event(header_, position, "does not match its checksum");
  }
  return flags > event_flags::kStoreMadeId ? check_known(position, flags, stored) : Status();
}

Status BlockReader::check_known(GlobalPosition position, std::uint32_t flags,
                                const StoredEvent& stored) const {
  if ((flags & ~event_flags::kKnown) != 0)
    return damaged_event(header_, position, fmt::format("has flags {:#x}", flags));
  for (const EventPart& part : stored.parts) {
    if ((part.kind & EventPart::kRequired) == 0) continue;
    Error error =
        make_error(Errc::kFailedPrecondition,
                   fmt::format("the event at position {} has a part of kind {}, which this program does not "
                               "know and would have to: a newer program wrote it",
                               position.value, part.kind & ~EventPart::kRequired));
    error.position = position.value;
    return error;
  }
  return {};
}

// The parts of a block are in the order of its events.
bool BlockReader::read_parts(GlobalPosition position, std::uint32_t flags, StoredEvent& stored) {
  stored.parts = {};
  stored.event.content_type = {};
  stored.event.command_id = {};
  stored.event.sealed = false;
  if ((flags & event_flags::kHasParts) == 0) return true;
  const std::uint64_t event = position.value - header_.first_position.value;
  std::size_t from = 0, to = part_list_.count;
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (low_half(message_.word(part_list_.at(middle))) < event) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  parts_.clear();
  for (; from < part_list_.count && low_half(message_.word(part_list_.at(from))) == event; ++from) {
    const std::size_t at = part_list_.at(from);
    EventPart& part = parts_.emplace_back();
    part.kind = high_half(message_.word(at));
    if (!message_.read_data(at + kSmallBytes, part.bytes)) return false;
    if (part.kind == EventPart::kContentType) stored.event.content_type = part.bytes;
    if (part.kind == EventPart::kCommandId) stored.event.command_id = part.bytes;
    if (part.kind == EventPart::kSealed) stored.event.sealed = true;
  }
  stored.parts = parts_;
  return !parts_.empty();
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
