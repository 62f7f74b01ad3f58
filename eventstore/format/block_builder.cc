#include "eventstore/format/block_builder.h"

#include <capnp/message.h>

#include <optional>
#include <vector>

#include "eventstore/base/assert.h"
#include "eventstore/base/endian.h"
#include "eventstore/format/block.capnp.h"

namespace cairn {
namespace {

constexpr std::size_t kFramingWords = 1;  // segment count and size, for a message of one segment

std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }
std::size_t text_words(std::string_view text) { return words_for(text.size() + 1); }

// An upper bound of the message's size, so that the message fits one segment.
std::size_t message_words_max(const BlockContents& contents) {
  constexpr std::size_t kEventWords = 16;
  std::size_t words = 16;
  for (const std::string_view name : contents.streams) words += 1 + text_words(name);
  for (const std::string_view name : contents.types) words += 1 + text_words(name);
  for (const auto& entry : contents.events) {
    const EventView& event = entry.stored.event;
    words += kEventWords + words_for(event.data.size()) + words_for(event.metadata.size());
    for (const std::string_view tag : event.tags) words += 1 + text_words(tag);
    for (const EventPart& part : entry.stored.parts) words += 3 + words_for(part.bytes.size());
  }
  for (const Note& note : contents.notes) words += 3 + words_for(note.bytes.size());
  return words;
}

capnp::Text::Reader as_text(std::string_view text, std::string& scratch) {
  scratch.assign(text);  // Cap'n Proto reads the terminating zero, which a view may lack
  return {scratch.data(), scratch.size()};
}

capnp::Data::Reader as_data(std::string_view bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

void write_event(format::Event::Builder out, const BlockContents::Event& entry, LogFormat format,
                 std::string& scratch) {
  const StoredEvent& stored = entry.stored;
  const EventView& event = stored.event;
  out.setStream(entry.stream);
  out.setType(entry.type);
  out.setVersion(event.version.value);
  out.setPrevious(stored.previous);
  out.setJump(stored.jump);
  out.setIdHigh(event.id.high());
  out.setIdLow(event.id.low());
  out.setChecksum(event_checksum(stored, format));
  out.setSchema(event.schema.value);
  out.setFlags(stored.flags());
  if (!event.data.empty()) out.setData(as_data(event.data));
  if (!event.metadata.empty()) out.setMetadata(as_data(event.metadata));
  if (event.tags.empty()) return;
  auto tags = out.initTags(static_cast<unsigned>(event.tags.size()));
  for (unsigned i = 0; i < tags.size(); ++i) tags.set(i, as_text(event.tags[i], scratch));
}

// `Block` is the root of one of the formats.
template <typename Block>
void write_events(Block block, const BlockContents& contents, std::string& scratch) {
  auto streams = block.initStreams(static_cast<unsigned>(contents.streams.size()));
  for (unsigned i = 0; i < streams.size(); ++i) streams.set(i, as_text(contents.streams[i], scratch));
  auto types = block.initTypes(static_cast<unsigned>(contents.types.size()));
  for (unsigned i = 0; i < types.size(); ++i) types.set(i, as_text(contents.types[i], scratch));
  auto events = block.initEvents(static_cast<unsigned>(contents.events.size()));
  for (unsigned i = 0; i < events.size(); ++i)
    write_event(events[i], contents.events[i], contents.format, scratch);
}

void write_notes(format::Block::Builder block, std::span<const Note> notes) {
  if (notes.empty()) return;
  auto list = block.initNotes(static_cast<unsigned>(notes.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setKind(notes[i].kind);
    list[i].setFlags(notes[i].required ? 1 : 0);
    list[i].setBytes(as_data(notes[i].bytes));
  }
}

void write_parts(format::Block::Builder block, std::span<const BlockContents::Event> events) {
  std::size_t count = 0;
  for (const auto& entry : events) count += entry.stored.parts.size();
  if (count == 0) return;
  auto list = block.initParts(static_cast<unsigned>(count));
  unsigned at = 0;
  for (unsigned i = 0; i < events.size(); ++i) {
    for (const EventPart& part : events[i].stored.parts) {
      list[at].setEvent(i);
      list[at].setKind(part.kind);
      list[at++].setBytes(as_data(part.bytes));
    }
  }
}

}  // namespace

struct BlockBuilder::Buffer {
  std::vector<capnp::word> words;  // zero outside the message, as Cap'n Proto requires of scratch space
  std::optional<capnp::MallocMessageBuilder> message;
  std::string scratch;
};

BlockBuilder::BlockBuilder() : buffer_(std::make_unique<Buffer>()) {}
BlockBuilder::~BlockBuilder() { buffer_->message.reset(); }

std::span<const std::byte> BlockBuilder::build(const BlockContents& contents) {
  CAIRN_ASSERT(!contents.events.empty() || (!contents.notes.empty() && contents.number > 0), contents.number);
  CAIRN_ASSERT(contents.events.empty() || contents.events.back().stored.event.position.value ==
                                              contents.first_position.value + contents.events.size() - 1,
               contents.first_position.value, contents.events.size());
  buffer_->message.reset();  // zeroes the words that it wrote
  const std::size_t header_words = BlockHeader::bytes_of(contents.format) / 8;
  const std::size_t words_max = header_words + kFramingWords + message_words_max(contents);
  if (buffer_->words.size() < words_max) {
    // Not resize(): a capnp::word can be neither copied nor moved, and clang refuses to compile it.
    buffer_->words = std::vector<capnp::word>(words_max + words_max / 2);
  }
  capnp::word* const start = buffer_->words.data();
  const std::size_t front = header_words + kFramingWords;
  auto& message = buffer_->message.emplace(kj::arrayPtr(start + front, buffer_->words.size() - front));

  if (contents.format == LogFormat::k1) {
    CAIRN_ASSERT(contents.notes.empty() && contents.number == 0, contents.notes.size(), contents.number);
    write_events(message.initRoot<format::Block1>(), contents, buffer_->scratch);
  } else {
    auto block = message.initRoot<format::Block>();
    write_events(block, contents, buffer_->scratch);
    write_notes(block, contents.notes);
    write_parts(block, contents.events);
  }

  const auto segments = message.getSegmentsForOutput();
  CAIRN_ASSERT(segments.size() == 1, segments.size(), words_max);
  const std::size_t segment_words = segments[0].size();

  auto* const bytes = reinterpret_cast<std::byte*>(start);
  std::byte* const framing = bytes + header_words * 8;
  store_le<std::uint32_t>(framing, 0);  // number of segments, less one
  store_le<std::uint32_t>(framing + 4, static_cast<std::uint32_t>(segment_words));
  BlockHeader header{.format = contents.format,
                     .first_position = contents.first_position,
                     .event_count = static_cast<std::uint32_t>(contents.events.size()),
                     .message_words = static_cast<std::uint32_t>(kFramingWords + segment_words),
                     .epoch = contents.epoch,
                     .recorded_at = contents.recorded_at,
                     .previous_hash = contents.previous_hash,
                     .checksum = 0,
                     .number = contents.number,
                     .durable = contents.durable};
  header.write_to(bytes);
  const std::span<const std::byte> whole(bytes, (front + segment_words) * 8);
  store_le<std::uint64_t>(bytes + BlockHeader::kChecksumOffset, block_checksum(whole));
  return whole;
}

}  // namespace cairn
