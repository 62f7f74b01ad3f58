// The codec compared with Avro's own C++ library, on random schemas and data.
//
// Known differences:
//  - The library gets schemas in canonical form, which every version of it parses. That form has no defaults
//    and no aliases, so it cannot resolve pairs that need them: it throws, and the pair is skipped.
//  - Release 1.8.2 takes the first type of the reader's union that the writer's type can be widened to; Cairn,
//    like Avro's Java library, prefers the same type. It also does not read strings as bytes or bytes as
//    strings.
//  - It refuses records without fields and types without a byte in some places; the generator makes no empty
//    records.

#include <gtest/gtest.h>

#if CAIRN_HAVE_AVRO

#include <avro/Compiler.hh>
#include <avro/Decoder.hh>
#include <avro/Encoder.hh>
#include <avro/Generic.hh>
#include <avro/GenericDatum.hh>
#include <avro/Stream.hh>
#include <avro/ValidSchema.hh>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/canonical_form.h"
#include "tests/schemaregistry/codec/codec_fixture.h"
#include "tests/schemaregistry/support/random_schema.h"

namespace cairn::test {
namespace {

std::string written_by_avro(const avro::ValidSchema& schema, const avro::GenericDatum& datum) {
  auto out = avro::memoryOutputStream();
  auto encoder = avro::binaryEncoder();
  encoder->init(*out);
  avro::GenericWriter::write(*encoder, datum, schema);
  encoder->flush();
  auto in = avro::memoryInputStream(*out);
  std::string bytes;
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  while (in->next(&data, &size)) bytes.append(reinterpret_cast<const char*>(data), size);
  return bytes;
}

// Decodes and encodes a value with the library.
std::string through_avro(const avro::ValidSchema& writer, const avro::ValidSchema& reader,
                         const std::string& bytes) {
  auto in = avro::memoryInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  auto decoder = avro::resolvingDecoder(writer, reader, avro::binaryDecoder());
  decoder->init(*in);
  avro::GenericDatum datum(reader);
  avro::GenericReader::read(*decoder, datum, reader);
  return written_by_avro(reader, datum);
}

std::string through_avro(const avro::ValidSchema& schema, const std::string& bytes) {
  auto in = avro::memoryInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  auto decoder = avro::binaryDecoder();
  decoder->init(*in);
  avro::GenericDatum datum(schema);
  avro::GenericReader::read(*decoder, datum, schema);
  return written_by_avro(schema, datum);
}

avro::ValidSchema avro_schema(const Schema& schema) {
  return avro::compileJsonSchemaFromString(canonical_form(schema));
}

TEST(AvroCppReferenceTest, AvroCppReadsOurBytesAndWritesThemBack) {
  Random random("Avro C++");
  for (int i = 0; i < 1'000; ++i) {
    const Codec codec(random_schema(random, {.for_reference_codecs = true}));
    const std::string json = random_value(random, codec.schema().root());
    SCOPED_TRACE(canonical_form(codec.schema()) + "\n" + json);
    const std::string bytes = codec.encode(json);
    std::string theirs;
    ASSERT_NO_THROW(theirs = through_avro(avro_schema(codec.schema()), bytes));
    ASSERT_EQ(to_hex(theirs), to_hex(bytes));
  }
}

bool has_union(const Schema& schema) {
  return std::any_of(schema.nodes().begin(), schema.nodes().end(),
                     [](const SchemaNode& node) { return node.kind == SchemaKind::kUnion; });
}

TEST(AvroCppReferenceTest, AvroCppResolvesSchemasAsWeDo) {
  Random random("Avro C++, pairs");
  int compared = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Codec writer(random_schema(random, {.for_reference_codecs = true}));
    auto changed = parse_schema(changed_schema(random, writer.schema()));
    if (!changed || !find_incompatibilities(*changed, writer.schema()).empty()) continue;
    // It gets the canonical form, which has no defaults and no aliases. Where those are needed it throws, and
    // where such a record is named twice it reads through a null pointer.
    const auto bare = parse_schema(canonical_form(*changed));
    if (!bare || !find_incompatibilities(*bare, writer.schema()).empty()) continue;
    // It chooses another type of a union.
    if (has_union(*changed)) continue;
    const std::string json = random_value(random, writer.schema().root());
    const std::string bytes = writer.encode(json);
    std::string theirs;
    try {
      theirs = through_avro(avro_schema(writer.schema()), avro_schema(*changed), bytes);
    } catch (const std::exception&) {
      continue;  // It reads a string as bytes.
    }
    SCOPED_TRACE(canonical_form(writer.schema()) + "\n as " + canonical_form(*changed) + "\n" + json);
    ASSERT_EQ(to_hex(rewritten(writer.schema(), *changed, bytes)), to_hex(theirs));
    ++compared;
  }
  EXPECT_GT(compared, 100) << "too few pairs to prove anything";
}

}  // namespace
}  // namespace cairn::test

#else

namespace {
TEST(AvroCppReferenceTest, Everything) { GTEST_SKIP() << "built without Avro C++"; }
}  // namespace

#endif
