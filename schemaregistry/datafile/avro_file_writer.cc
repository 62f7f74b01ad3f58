#include "schemaregistry/datafile/avro_file_writer.h"

#if CAIRN_HAVE_AVRO

#include <fcntl.h>
#include <unistd.h>

#include <avro/Compiler.hh>
#include <avro/DataFile.hh>
#include <avro/ValidSchema.hh>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>

#include "eventstore/base/file.h"
#include "schemaregistry/model/canonical_form.h"

namespace cairn {

namespace {

// The size of a block before compression. Readers hold one block in memory.
constexpr std::size_t kBlockBytes = 64u << 10;

Error write_error(const std::filesystem::path& path, const std::exception& error) {
  return make_error(Errc::kIo, "writing " + path.string() + ": " + error.what());
}

Status sync_file(const std::filesystem::path& path) {
  CAIRN_TRY(const File file, File::open(path, O_RDONLY));
  if (::fsync(file.descriptor()) != 0) return system_error("syncing " + path.string(), errno);
  return {};
}

}  // namespace

bool has_avro_files() { return true; }

class AvroFileWriter::Impl {
 public:
  Impl(std::filesystem::path path, const avro::ValidSchema& schema)
      : path_(std::move(path)),
        part_(path_.string() + ".part"),
        file_(std::make_unique<avro::DataFileWriterBase>(part_.c_str(), schema, kBlockBytes,
                                                         avro::DEFLATE_CODEC)) {}

  ~Impl() {
    if (file_ == nullptr) return;
    try {
      file_->close();
      file_.reset();
    } catch (const std::exception&) {
      abandon();
    }
    remove_part();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Status write(std::string_view avro) {
    if (file_ == nullptr)
      return make_error(Errc::kFailedPrecondition, path_.string() + " is not being written");
    try {
      file_->syncIfNeeded();
      // A fixed is encoded as its bytes alone, so it copies any value.
      file_->encoder().encodeFixed(reinterpret_cast<const std::uint8_t*>(avro.data()), avro.size());
      file_->incr();
    } catch (const std::exception& error) {
      abandon();
      remove_part();
      return write_error(path_, error);
    }
    return {};
  }

  Status finish() {
    if (file_ == nullptr)
      return make_error(Errc::kFailedPrecondition, path_.string() + " is not being written");
    try {
      file_->close();
      file_.reset();
    } catch (const std::exception& error) {
      abandon();
      remove_part();
      return write_error(path_, error);
    }
    if (Status named = give_name(); !named) {
      remove_part();
      return named;
    }
    return {};
  }

 private:
  Status give_name() {
    CAIRN_CHECK(sync_file(part_));
    std::error_code error;
    std::filesystem::rename(part_, path_, error);
    if (error) return system_error("naming " + path_.string(), error.value());
    const auto folder = path_.parent_path();
    return sync_folder(folder.empty() ? "." : folder);
  }

  // After a failure the library's destructor would try to write once more, fail again, and end the process
  // with an exception that cannot be caught. So the object is leaked, with its open file.
  void abandon() { static_cast<void>(file_.release()); }

  void remove_part() const {
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::unique_ptr<avro::DataFileWriterBase> file_;
};

Result<AvroFileWriter> AvroFileWriter::create(const std::filesystem::path& path, const Schema& schema) {
  avro::ValidSchema known;
  try {
    known = avro::compileJsonSchemaFromString(canonical_form(schema));
  } catch (const std::exception& error) {
    return make_error(Errc::kInvalidArgument, std::string("Avro cannot use this schema: ") + error.what());
  }
  try {
    return AvroFileWriter(std::make_unique<Impl>(path, known));
  } catch (const std::exception& error) {
    return write_error(path, error);
  }
}

Status AvroFileWriter::write(std::string_view avro) { return impl_->write(avro); }
Status AvroFileWriter::finish() { return impl_->finish(); }

}  // namespace cairn

#else

#include "schemaregistry/datafile/without_avro.h"

namespace cairn {

bool has_avro_files() { return false; }

class AvroFileWriter::Impl {};

Result<AvroFileWriter> AvroFileWriter::create(const std::filesystem::path&, const Schema&) {
  return built_without_avro_files();
}
Status AvroFileWriter::write(std::string_view) { return built_without_avro_files(); }
Status AvroFileWriter::finish() { return built_without_avro_files(); }

}  // namespace cairn

#endif

namespace cairn {

AvroFileWriter::AvroFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AvroFileWriter::AvroFileWriter(AvroFileWriter&&) noexcept = default;
AvroFileWriter& AvroFileWriter::operator=(AvroFileWriter&&) noexcept = default;
AvroFileWriter::~AvroFileWriter() = default;

}  // namespace cairn
