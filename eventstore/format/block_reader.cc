#include "eventstore/format/block_reader.h"

#include <capnp/message.h>
#include <kj/exception.h>

#include <cstring>
#include <optional>
#include <string>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/format/block.capnp.h"

namespace cairn {
namespace {

std::string_view view_of(capnp::Text::Reader text) { return {text.begin(), text.size()}; }
std::string_view view_of(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

Error damaged(const BlockHeader& header, const std::string& what) {
  Error error =
      make_error(Errc::kCorruption, "log block " + std::to_string(header.first_position.value) + ": " + what);
  error.position = header.first_position.value;
  return error;
}

// The bytes have been bounded by then; the limits only keep damaged pointers from leading in circles.
capnp::ReaderOptions reader_options(std::size_t words) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = std::uint64_t{words} * 64 + (1u << 20);
  options.nestingLimit = 8;
  return options;
}

}  // namespace

struct BlockReader::Message {
  std::optional<capnp::SegmentArrayMessageReader> reader;
  kj::ArrayPtr<const capnp::word> segment;
  capnp::List<capnp::Text>::Reader streams;
  capnp::List<capnp::Text>::Reader types;
  capnp::List<format::Event>::Reader events;
};

BlockReader::BlockReader() : message_(std::make_unique<Message>()) {}
BlockReader::~BlockReader() = default;

Status BlockReader::open(std::span<const std::byte> block, BlockCheck check) {
  close();
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(block));
  if (check == BlockCheck::kWholeBlock) {
    if (const std::uint64_t sum = block_checksum(block); sum != header.checksum) {
      return damaged(header, "checksum does not match the block's bytes");
    }
  }
  if (reinterpret_cast<std::uintptr_t>(block.data()) % alignof(capnp::word) != 0) {
    aligned_copy_.resize(block.size() / 8);
    std::memcpy(aligned_copy_.data(), block.data(), block.size());
    block = std::as_bytes(std::span(aligned_copy_));
  }
  // One segment is all we write, so its table is one word; anything else is damage, and is not handed on.
  const std::byte* const table = block.data() + BlockHeader::kBytes;
  if (header.message_words < 2 || load_le<std::uint32_t>(table) != 0 ||
      load_le<std::uint32_t>(table + 4) != header.message_words - 1) {
    return damaged(header, "message framing is wrong");
  }
  message_->segment = {reinterpret_cast<const capnp::word*>(table + 8), header.message_words - 1};
  try {
    message_->reader.emplace(kj::arrayPtr(&message_->segment, 1), reader_options(header.message_words));
    const auto root = message_->reader->getRoot<format::Block>();
    message_->streams = root.getStreams();
    message_->types = root.getTypes();
    message_->events = root.getEvents();
    if (message_->events.size() != header.event_count) return damaged(header, "event count is wrong");
    if (check == BlockCheck::kWholeBlock) {
      streams_.clear();
      types_.clear();
      for (const auto name : message_->streams) streams_.push_back(view_of(name));
      for (const auto name : message_->types) types_.push_back(view_of(name));
    }
  } catch (const kj::Exception& exception) {
    return damaged(header, std::string("message: ") + exception.getDescription().cStr());
  }
  header_ = header;
  check_ = check;
  return {};
}

Result<StoredEvent> BlockReader::read(GlobalPosition position) {
  StoredEvent stored;
  CAIRN_CHECK(read_into(position, stored));
  return stored;
}

Status BlockReader::read_into(GlobalPosition position, StoredEvent& stored) {
  CAIRN_ASSERT(contains(position), position.value, header_.first_position.value);
  const auto index = static_cast<unsigned>(position.value - header_.first_position.value);
  std::uint64_t checksum = 0;
  try {
    const format::Event::Reader event = message_->events[index];
    const std::uint32_t stream = event.getStream();
    const std::uint32_t type = event.getType();
    if (stream >= message_->streams.size() || type >= message_->types.size()) {
      return damaged(header_,
                     "event at position " + std::to_string(position.value) + " names no stream or type");
    }
    const bool names_read = check_ == BlockCheck::kWholeBlock;
    EventView& view = stored.event;
    view.position = position;
    view.version = {event.getVersion()};
    view.stream = names_read ? streams_[stream] : view_of(message_->streams[stream]);
    view.type = names_read ? types_[type] : view_of(message_->types[type]);
    view.id = Uuid::from_halves(event.getIdHigh(), event.getIdLow());
    view.schema = {event.getSchema()};
    view.recorded_at = header_.recorded_at;
    view.data = view_of(event.getData());
    view.metadata = event.hasMetadata() ? view_of(event.getMetadata()) : std::string_view();
    view.tags = {};
    if (event.hasTags()) {
      tags_.clear();
      for (const auto tag : event.getTags()) tags_.push_back(view_of(tag));
      view.tags = tags_;
    }
    stored.previous = event.getPrevious();
    stored.jump = event.getJump();
    stored.store_made_id = (event.getFlags() & 1u) != 0;
    checksum = event.getChecksum();
  } catch (const kj::Exception& exception) {
    return damaged(header_, "event at position " + std::to_string(position.value) + ": " +
                                exception.getDescription().cStr());
  }
  if (check_ == BlockCheck::kEachEvent && event_checksum(stored) != checksum) {
    return damaged(header_,
                   "event at position " + std::to_string(position.value) + " does not match its checksum");
  }
  return {};
}

}  // namespace cairn
