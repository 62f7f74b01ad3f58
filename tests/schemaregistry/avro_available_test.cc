// Avro C++ is optional, and Debian's version is older than C++20. This test shows that, where the build has
// it, it compiles as C++20, links, and works.

#include <gtest/gtest.h>

#if CAIRN_HAVE_AVRO

#include <avro/Compiler.hh>
#include <avro/Decoder.hh>
#include <avro/Encoder.hh>
#include <avro/Generic.hh>
#include <avro/GenericDatum.hh>
#include <avro/Specific.hh>
#include <avro/Stream.hh>
#include <avro/ValidSchema.hh>
#include <cstdint>
#include <string>

namespace {

constexpr char kItemAdded[] = R"({"type": "record", "name": "ItemAdded", "fields": [
    {"name": "sku", "type": "string"}, {"name": "quantity", "type": "long"}]})";

TEST(AvroAvailableTest, ARecordComesBackAsItWasWritten) {
  const avro::ValidSchema schema = avro::compileJsonSchemaFromString(kItemAdded);
  avro::GenericDatum written(schema);
  written.value<avro::GenericRecord>().field("sku").value<std::string>() = "apple";
  written.value<avro::GenericRecord>().field("quantity").value<std::int64_t>() = 3;

  auto bytes = avro::memoryOutputStream();
  auto encoder = avro::binaryEncoder();
  encoder->init(*bytes);
  avro::encode(*encoder, written);
  encoder->flush();
  EXPECT_EQ(bytes->byteCount(), 1u + 5u + 1u);

  auto input = avro::memoryInputStream(*bytes);
  auto decoder = avro::binaryDecoder();
  decoder->init(*input);
  avro::GenericDatum read(schema);
  avro::decode(*decoder, read);
  EXPECT_EQ(read.value<avro::GenericRecord>().field("sku").value<std::string>(), "apple");
  EXPECT_EQ(read.value<avro::GenericRecord>().field("quantity").value<std::int64_t>(), 3);
}

TEST(AvroAvailableTest, AnExceptionOfTheLibraryCanBeCaught) {
  EXPECT_THROW(avro::compileJsonSchemaFromString(R"({"type": "no such type"})"), avro::Exception);
}

}  // namespace

#else

TEST(AvroAvailableTest, ARecordComesBackAsItWasWritten) {
  GTEST_SKIP() << "this build has no Avro C++; `./run deps` fetches it";
}

#endif
