#include "schemaregistry/datafile/avro_file_reader.h"

#if CAIRN_HAVE_AVRO

#include <avro/DataFile.hh>
#include <exception>
#include <utility>

#include "schemaregistry/datafile/avro_file_header.h"
#include "schemaregistry/datafile/datum_copier.h"
#include "schemaregistry/model/parse_schema.h"

namespace cairn {

class AvroFileReader::Impl {
 public:
  Impl(std::filesystem::path path, Schema schema)
      : path_(std::move(path)), schema_(std::move(schema)), file_(path_.c_str()) {
    file_.init();
  }

  const Schema& schema() const { return schema_; }

  Result<bool> next(std::string& avro) {
    avro.clear();
    if (is_over_) return false;
    try {
      if (!file_.hasMore()) {
        is_over_ = true;
        return false;
      }
      file_.decr();
      const Status copied = copier_.copy(schema_.root(), file_.decoder(), avro);
      if (!copied) return damaged(copied.error().message);
    } catch (const std::exception& error) {
      return damaged(error.what());
    }
    ++records_;
    return true;
  }

 private:
  Error damaged(const std::string& what) {
    is_over_ = true;
    return make_error(Errc::kCorruption,
                      path_.string() + " is damaged behind record " + std::to_string(records_) + ": " + what);
  }

  std::filesystem::path path_;
  Schema schema_;
  avro::DataFileReaderBase file_;
  DatumCopier copier_;
  std::uint64_t records_ = 0;
  bool is_over_ = false;
};

Result<AvroFileReader> AvroFileReader::open(const std::filesystem::path& path) {
  // Checked before the library parses it: the library would recurse as deep as the schema is nested.
  CAIRN_TRY(const AvroFileHeader header, read_avro_file_header(path));
  if (header.codec != "null" && header.codec != "deflate") {
    return make_error(Errc::kInvalidArgument, path.string() + " is compressed with " + header.codec +
                                                  "; only deflate, and no compression, can be read");
  }
  auto schema = parse_schema(header.schema);
  if (!schema) {
    return make_error(Errc::kInvalidArgument,
                      path.string() + ": the schema in the file is not valid: " + schema.error().message);
  }
  try {
    return AvroFileReader(std::make_unique<Impl>(path, *std::move(schema)));
  } catch (const std::exception& error) {
    return make_error(Errc::kInvalidArgument, path.string() + ": " + error.what());
  }
}

const Schema& AvroFileReader::schema() const { return impl_->schema(); }
Result<bool> AvroFileReader::next(std::string& avro) { return impl_->next(avro); }

}  // namespace cairn

#else

#include "eventstore/base/assert.h"
#include "schemaregistry/datafile/without_avro.h"

namespace cairn {

class AvroFileReader::Impl {
 public:
  Schema schema;
};

Result<AvroFileReader> AvroFileReader::open(const std::filesystem::path&) {
  return built_without_avro_files();
}
const Schema& AvroFileReader::schema() const { return impl_->schema; }  // There is no reader to ask.
Result<bool> AvroFileReader::next(std::string&) { return built_without_avro_files(); }

}  // namespace cairn

#endif

namespace cairn {

AvroFileReader::AvroFileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AvroFileReader::AvroFileReader(AvroFileReader&&) noexcept = default;
AvroFileReader& AvroFileReader::operator=(AvroFileReader&&) noexcept = default;
AvroFileReader::~AvroFileReader() = default;

}  // namespace cairn
