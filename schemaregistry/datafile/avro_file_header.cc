#include "schemaregistry/datafile/avro_file_header.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "eventstore/base/file.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/model/parse_schema.h"

namespace cairn {

namespace {

constexpr std::string_view kMagic{"Obj\x01", 4};
// The limit of a header: the largest schema that is accepted, and other metadata.
constexpr std::size_t kHeaderBytesMax = 2 * kSchemaBytesMax;

Result<std::string> read_beginning(const std::filesystem::path& path) {
  auto file = File::open(path, O_RDONLY);
  if (!file) return make_error(Errc::kInvalidArgument, file.error().message);
  std::string bytes(kHeaderBytesMax, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file->descriptor(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return make_error(Errc::kInvalidArgument, system_error("reading " + path.string(), errno).message);
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

// A map of bytes; false when the bytes do not begin with one.
bool take_metadata(AvroBytes& bytes, AvroFileHeader& header) {
  std::int64_t count = 0;
  while (bytes.take_long(count) && count != INT64_MIN) {
    if (count == 0) return true;
    std::int64_t block_bytes = 0;
    if (count < 0 && !bytes.take_long(block_bytes)) return false;
    for (count = count < 0 ? -count : count; count > 0; --count) {
      std::string_view key;
      std::string_view value;
      if (!bytes.take_bytes(key) || !bytes.take_bytes(value)) return false;
      if (key == "avro.schema") header.schema = value;
      if (key == "avro.codec") header.codec = value;
    }
  }
  return false;
}

}  // namespace

Result<AvroFileHeader> read_avro_file_header(const std::filesystem::path& path) {
  CAIRN_TRY(const std::string beginning, read_beginning(path));
  if (!beginning.starts_with(kMagic)) {
    return make_error(Errc::kInvalidArgument, path.string() + " is not an .avro file");
  }
  AvroBytes bytes(std::string_view(beginning).substr(kMagic.size()));
  AvroFileHeader header{.schema = "", .codec = "null"};
  if (!take_metadata(bytes, header) || header.schema.empty()) {
    return make_error(Errc::kInvalidArgument,
                      path.string() + ": the head of this .avro file is damaged or too long");
  }
  return header;
}

}  // namespace cairn
