#include "tools/cli/avro/avro_event_file.h"

#include <fstream>

#include "schemaregistry/codec/check_sink.h"
#include "schemaregistry/codec/json_sink.h"
#include "tools/cli/avro/event_envelope.h"

namespace cairn::cli {

bool is_avro_file(const std::filesystem::path& path) {
  if (path.extension() == ".avro") return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // A pipe can be read only once.
  char magic[4] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic, sizeof magic) &&
         std::string_view(magic, sizeof magic) == std::string_view("Obj\x01", 4);
}

Result<AvroEventFile> AvroEventFile::open(const std::filesystem::path& path) {
  CAIRN_TRY(AvroFileReader opened, AvroFileReader::open(path));
  auto reader = std::make_unique<AvroFileReader>(std::move(opened));
  CAIRN_TRY(DecodePlan plan, DecodePlan::compile(reader->schema(), reader->schema()));
  return AvroEventFile(std::move(reader), std::move(plan));
}

Result<bool> AvroEventFile::next(std::string& line) {
  CAIRN_TRY(const bool more, reader_->next(record_));
  if (!more) return false;
  CAIRN_CHECK(check_avro(plan_, record_));
  json_.clear();
  CAIRN_CHECK(append_avro_as_json(plan_, record_, json_));
  CAIRN_TRY(line, import_line_of(json_));
  return true;
}

}  // namespace cairn::cli
