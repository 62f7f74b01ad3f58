#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "eventstore/base/file.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/datafile/avro_file_header.h"
#include "schemaregistry/datafile/avro_file_reader.h"
#include "schemaregistry/datafile/avro_file_writer.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/support/debian_python.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kEverything[] = R"({"type":"record","name":"R","namespace":"a.b","doc":"lost","fields":[
    {"name":"n","type":"long","default":7},
    {"name":"flag","type":"boolean"},
    {"name":"f","type":"float"},
    {"name":"d","type":"double"},
    {"name":"text","type":["null","string"],"default":null},
    {"name":"kind","type":{"type":"enum","name":"Kind","symbols":["X","Y"],"default":"X"}},
    {"name":"hash","type":{"type":"fixed","name":"Hash","size":3}},
    {"name":"raw","type":"bytes"},
    {"name":"list","type":{"type":"array","items":"int"}},
    {"name":"map","type":{"type":"map","values":"Kind"}},
    {"name":"next","type":["null","R"],"default":null}]})";

std::string everything(int n, int depth = 1) {
  std::string avro;
  append_avro_long(avro, n * 1'000'003LL);
  avro += static_cast<char>(n % 2);
  append_avro_float(avro, static_cast<float>(n));
  append_avro_float(avro, n / 3.0);
  append_avro_long(avro, n % 2);
  if (n % 2 == 1) append_avro_bytes(avro, "text " + std::to_string(n));
  append_avro_long(avro, n % 2);
  avro += "abc";
  append_avro_bytes(avro, std::string(static_cast<std::size_t>(n % 50), '\0'));
  if (n % 3 > 0) append_avro_long(avro, n % 3);
  for (int i = 0; i < n % 3; ++i) append_avro_long(avro, i - 1);
  append_avro_long(avro, 0);
  append_avro_long(avro, 1);
  append_avro_bytes(avro, "key");
  append_avro_long(avro, 1);
  append_avro_long(avro, 0);
  append_avro_long(avro, depth > 0 ? 1 : 0);
  if (depth > 0) avro += everything(n, depth - 1);
  return avro;
}

class AvroFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_avro_files()) GTEST_SKIP() << "this build has no Avro C++; `./run deps` fetches it";
  }

  void write(const std::vector<std::string>& records, std::string_view schema_text = kEverything) const {
    const Schema schema = *parse_schema(schema_text);
    auto writer = *AvroFileWriter::create(path_, schema);
    for (const std::string& record : records) ASSERT_THAT(writer.write(record), succeeds());
    ASSERT_THAT(writer.finish(), succeeds());
  }

  // The records of the file; what failed goes into `failure_`.
  std::vector<std::string> read() {
    std::vector<std::string> records;
    failure_.clear();
    auto reader = AvroFileReader::open(path_);
    if (!reader) {
      EXPECT_EQ(reader.error().code, Errc::kInvalidArgument);
      failure_ = reader.error().message;
      return records;
    }
    std::string record;
    for (;;) {
      const auto more = reader->next(record);
      if (!more) {
        EXPECT_EQ(more.error().code, Errc::kCorruption);
        failure_ = more.error().message;
      }
      if (!more || !*more) return records;
      records.push_back(record);
    }
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "x.avro";
  std::string failure_;
};

TEST_F(AvroFileTest, RecordsComeBackAsTheyWere) {
  std::vector<std::string> records;
  for (int n = 0; n < 5'000; ++n) records.push_back(everything(n));
  write(records);
  EXPECT_THAT(read(), ElementsAreArray(records));
  EXPECT_THAT(failure_, IsEmpty());
  EXPECT_EQ(read_avro_file_header(path_)->codec, "deflate");
  std::size_t bytes = 0;
  for (const std::string& record : records) bytes += record.size();
  EXPECT_LT(std::filesystem::file_size(path_), bytes / 2);  // it is compressed
}

TEST_F(AvroFileTest, AFileMayHaveNoRecords) {
  write({});
  EXPECT_THAT(read(), IsEmpty());
  EXPECT_THAT(failure_, IsEmpty());
}

TEST_F(AvroFileTest, ARecordMayBeLargerThanABlock) {
  std::string avro;
  append_avro_bytes(avro, std::string(1'000'000, 'x'));
  write({avro, avro}, R"("bytes")");
  EXPECT_THAT(read(), ElementsAreArray({avro, avro}));
}

TEST_F(AvroFileTest, TheFileIsRenamedWhenItIsComplete) {
  ASSERT_THAT(write_file(path_, "before"), succeeds());
  const Schema schema = *parse_schema(R"("long")");
  {
    auto writer = *AvroFileWriter::create(path_, schema);
    ASSERT_THAT(writer.write("\x02"), succeeds());
    EXPECT_TRUE(std::filesystem::exists(path_.string() + ".part"));
  }
  EXPECT_EQ(*read_file(path_), "before");
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
  write({"\x02"}, R"("long")");
  EXPECT_THAT(read(), ElementsAreArray({"\x02"}));
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
}

TEST_F(AvroFileTest, AFileThatCannotBeMadeIsAnError) {
  const Schema schema = *parse_schema(R"("long")");
  const auto writer = AvroFileWriter::create(folder_ / "no" / "x.avro", schema);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, Errc::kIo);
}

TEST_F(AvroFileTest, AFullDiskIsAnErrorAndNotACrash) {
  const std::filesystem::path full = folder_ / "full.avro";
  std::filesystem::create_symlink("/dev/full", full.string() + ".part");
  const Schema schema = *parse_schema(R"("bytes")");
  auto writer = AvroFileWriter::create(full, schema);
  std::string avro;
  append_avro_bytes(avro, std::string(200'000, 'x'));
  bool failed = !writer.ok();
  for (int i = 0; !failed && i < 100; ++i) failed = !writer->write(avro).ok();
  if (!failed) failed = !writer->finish().ok();
  EXPECT_TRUE(failed);
  EXPECT_FALSE(std::filesystem::exists(full));
}

TEST_F(AvroFileTest, OtherFilesAreRefused) {
  for (const std::string content : {"", "Obj", "hello, world", "Obj\x01", "Obj\x01\x02"}) {
    ASSERT_THAT(write_file(path_, content), succeeds());
    read();
    EXPECT_THAT(failure_, HasSubstr(".avro file")) << content;
  }
  path_ = folder_ / "nowhere.avro";
  read();
  EXPECT_THAT(failure_, HasSubstr("nowhere.avro"));
}

// A file that has nothing but a head.
std::string head(const std::string& schema, const std::string& codec) {
  std::string bytes = "Obj\x01";
  append_avro_long(bytes, 2);
  append_avro_bytes(bytes, "avro.schema");
  append_avro_bytes(bytes, schema);
  append_avro_bytes(bytes, "avro.codec");
  append_avro_bytes(bytes, codec);
  append_avro_long(bytes, 0);
  return bytes + std::string(16, 's');
}

// A block behind such a head.
std::string block(std::int64_t count, const std::string& data) {
  std::string bytes;
  append_avro_long(bytes, count);
  append_avro_bytes(bytes, data);
  return bytes + std::string(16, 's');
}

TEST_F(AvroFileTest, HostileHeadersAreRefused) {
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += R"({"type":"array","items":)";
  for (const auto& [content, message] : std::vector<std::pair<std::string, std::string>>{
           {head(deep, "null"), "not valid"},
           {head(R"("nothing")", "null"), "not valid"},
           {head(R"("long")", "snappy"), "compressed with snappy"}}) {
    ASSERT_THAT(write_file(path_, content), succeeds());
    read();
    EXPECT_THAT(failure_, HasSubstr(message));
  }
}

TEST_F(AvroFileTest, BlocksWithSizesAreUnderstood) {
  // [1, 2] and [3] as blocks with their size in front, as some writers have them.
  const std::string data("\x03\x04\x02\x04\x01\x02\x06\x00", 8);
  ASSERT_THAT(write_file(path_, head(R"({"type":"array","items":"int"})", "null") + block(1, data)),
              succeeds());
  EXPECT_THAT(read(), ElementsAreArray({std::string("\x04\x02\x04\x02\x06\x00", 6)})) << failure_;
}

TEST_F(AvroFileTest, LengthsAndCountsAreNotTrusted) {
  std::string huge;
  append_avro_long(huge, INT64_MAX);
  std::string negative;
  append_avro_long(negative, -5);
  std::string lowest;
  append_avro_long(lowest, INT64_MIN);
  for (const auto& [schema, data] : std::vector<std::pair<std::string, std::string>>{
           {R"("bytes")", huge},
           {R"("string")", negative},
           {R"({"type":"array","items":"null"})", huge},
           {R"({"type":"array","items":"long"})", lowest},
           {R"({"type":"map","values":"long"})", huge},
           {R"(["null"])", huge},
           {R"(["null"])", negative},
           {R"("long")", std::string(11, '\xff')},
           {R"({"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]})",
            std::string(100'000, '\x02')}}) {
    ASSERT_THAT(write_file(path_, head(schema, "null") + block(1, data)), succeeds());
    EXPECT_THAT(read(), IsEmpty());
    EXPECT_THAT(failure_, HasSubstr("damaged")) << schema;
  }
  ASSERT_THAT(write_file(path_, head(R"("long")", "null") + block(1000, "\x02")), succeeds());
  EXPECT_THAT(read(), SizeIs(1));
  EXPECT_THAT(failure_, HasSubstr("damaged behind record 1"));
}

TEST_F(AvroFileTest, ADamagedFileGivesNoMoreThanWhatWasWritten) {
  std::vector<std::string> records;
  for (int n = 0; n < 40; ++n) records.push_back(everything(n));
  write(records);
  const std::string whole = *read_file(path_);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    ASSERT_THAT(write_file(path_, whole.substr(0, size)), succeeds());
    EXPECT_LE(read().size(), records.size()) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    ASSERT_THAT(write_file(path_, damaged), succeeds());
    read();  // must terminate
  }
}

TEST_F(AvroFileTest, OtherImplementationsReadIt) {
  if (!debian_python_has("avro.datafile")) {
    GTEST_SKIP() << "python3-avro is not installed, so nobody else can be asked to read the file";
  }
  std::vector<std::string> records;
  for (int n = 0; n < 3'000; ++n) records.push_back(everything(n, 0));
  write(records);
  const std::filesystem::path script = folder_ / "read.py";
  ASSERT_THAT(write_file(script, R"(
import sys, avro.datafile, avro.io
reader = avro.datafile.DataFileReader(open(sys.argv[1], 'rb'), avro.io.DatumReader())
assert reader.codec == 'deflate', reader.codec
count = 0
for n, record in enumerate(reader):
    assert record['n'] == n * 1000003, record
    assert record['text'] == ('text %d' % n if n % 2 else None), record
    assert record['kind'] == 'XY'[n % 2], record
    assert record['hash'] == b'abc', record
    assert record['raw'] == b'\0' * (n % 50), record
    assert record['list'] == [i - 1 for i in range(n % 3)], record
    assert record['map'] == {'key': 'Y'}, record
    assert record['d'] == n / 3, record
    count += 1
assert count == 3000, count
)"),
              succeeds());
  EXPECT_EQ(
      std::system((kDebianPython + std::string(" ") + (script.string() + " " + path_.string())).c_str()), 0);
}

TEST_F(AvroFileTest, FilesOfOtherImplementationsAreRead) {
  if (!debian_python_has("avro.datafile")) {
    GTEST_SKIP() << "python3-avro is not installed, so nobody else can be asked to write a file";
  }
  const std::filesystem::path script = folder_ / "write.py";
  ASSERT_THAT(write_file(script, R"(
import sys, avro.datafile, avro.io, avro.schema
schema = avro.schema.parse('{"type":"record","name":"R","fields":[{"name":"a","type":["null","long"]}]}')
writer = avro.datafile.DataFileWriter(open(sys.argv[1], 'wb'), avro.io.DatumWriter(), schema, codec=sys.argv[2])
writer.append({'a': None})
writer.append({'a': 21})
writer.close()
)"),
              succeeds());
  for (const std::string codec : {"deflate", "null"}) {
    ASSERT_EQ(std::system(
                  (kDebianPython + std::string(" ") + (script.string() + " " + path_.string() + " " + codec))
                      .c_str()),
              0);
    EXPECT_THAT(read(), ElementsAreArray({std::string("\0", 1), std::string("\x02\x2a")})) << failure_;
  }
}

}  // namespace
}  // namespace cairn::test
