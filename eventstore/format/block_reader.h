#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/format/block_header.h"
#include "eventstore/format/message_words.h"
#include "eventstore/format/stored_event.h"

namespace cairn {

// Which checksums are verified: the block's, when it is opened; or each event's, when the event is read,
// which is cheaper for one event of a large block.
enum class BlockCheck { kWholeBlock, kEachEvent };

// Reads the events of one block in place. Reusable. Not thread-safe. The bytes given to open() must outlive
// the views that are read from them.
class BlockReader {
 public:
  BlockReader() = default;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  // Opens `block` in place of the previous one. Fails with kCorruption when the header, the checksum or the
  // structure is wrong, and with kFailedPrecondition when the block has a note that this program would have
  // to know; then no block is open.
  Status open(std::span<const std::byte> block, BlockCheck check);

  const BlockHeader& header() const { return header_; }
  bool contains(GlobalPosition position) const {
    return is_open() && position >= header_.first_position && position <= header_.last_position();
  }
  bool is_open() const { return open_; }
  void close() {
    header_ = {};
    open_ = false;
  }

  // The event at `position`. Its views are valid as long as the block's bytes, its tags and parts until the
  // next call. Fails with kCorruption. REQUIRES: contains(position).
  Result<StoredEvent> read(GlobalPosition position);

  // The same into memory of the caller, which saves time when many events are read.
  Status read_into(GlobalPosition position, StoredEvent& stored);

  // The names of an event, without reading the rest of it: indexes into streams() and types().
  struct Names {
    std::uint32_t stream = 0;
    std::uint32_t type = 0;
  };
  // REQUIRES: contains(position).
  Result<Names> names_of(GlobalPosition position) const;

  // All names in the block. REQUIRES: opened with kWholeBlock.
  const std::vector<std::string_view>& streams() const { return streams_; }
  const std::vector<std::string_view>& types() const { return types_; }

  struct NoteView {
    std::uint32_t kind = 0;
    bool required = false;
    std::string_view bytes;
  };
  const std::vector<NoteView>& notes() const { return notes_; }

 private:
  bool find_lists(LogFormat format);
  bool read_notes();
  bool read_parts(GlobalPosition position, std::uint32_t flags, StoredEvent& stored);
  // Fails if a newer program wrote the event and this one would have to know what is in it.
  Status check_known(GlobalPosition position, std::uint32_t flags, const StoredEvent& stored) const;
  bool read_names();
  bool read_tags(std::size_t at, StoredEvent& stored);

  BlockHeader header_;
  bool open_ = false;
  BlockCheck check_ = BlockCheck::kWholeBlock;
  MessageWords message_;
  MessageWords::List stream_list_, type_list_, event_list_, note_list_, part_list_;
  std::vector<std::string_view> streams_;  // with kWholeBlock: read once for all events
  std::vector<std::string_view> types_;
  std::vector<std::string_view> tags_;
  std::vector<EventPart> parts_;
  std::vector<NoteView> notes_;
};

}  // namespace cairn
