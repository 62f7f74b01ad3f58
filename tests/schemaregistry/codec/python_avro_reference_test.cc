// The codec compared with Debian's python3-avro, on random schemas and data.
//
// Known differences:
//  - Python values do not have the type of a union: python3-avro writes an int for a long, and a dict as the
//    first record or map. Schemas with unions that are ambiguous in Python are skipped.
//  - It does not support aliases, and uses the default instead. Such pairs are skipped.
//  - It does not support the defaults of enums in schema resolution, and does not read strings as bytes or
//    bytes as strings. It refuses such pairs, and they are skipped.

#include <gtest/gtest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/schema_text.h"
#include "tests/schemaregistry/codec/codec_fixture.h"
#include "tests/schemaregistry/support/random_schema.h"
#include "tests/support/child_process.h"
#include "tests/support/debian_python.h"

namespace cairn::test {
namespace {

class PythonAvroReferenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!debian_python_has("avro.io")) GTEST_SKIP() << "Debian's python3-avro is not installed";
    python_ = std::make_unique<ChildProcess>(ChildProcess::Command{
        {kDebianPython, "-u", std::string(CAIRN_SOURCE_DIR) + "/tests/schemaregistry/codec/reference.py"},
        {}});
  }

  // What it makes of the bytes; begins with '!' when it refuses.
  std::string through_python(const Schema& writer, const Schema& reader, const std::string& bytes) {
    const nlohmann::json asked = {
        {"writer", schema_text(writer)}, {"reader", schema_text(reader)}, {"hex", to_hex(bytes)}};
    return python_->ask(asked.dump());
  }

  static bool has_aliases(const Schema& schema) {
    return std::any_of(schema.nodes().begin(), schema.nodes().end(), [](const SchemaNode& node) {
      return std::any_of(node.fields.begin(), node.fields.end(),
                         [](const SchemaField& field) { return !field.aliases.empty(); });
    });
  }

  static bool python_tells_apart(const Schema& schema) {
    for (const SchemaNode& node : schema.nodes()) {
      std::map<std::string_view, int> seen;
      for (const SchemaNode* branch : node.branches) {
        const char* group = "other";
        switch (branch->kind) {
          case SchemaKind::kInt:
          case SchemaKind::kLong:
          case SchemaKind::kFloat:
          case SchemaKind::kDouble:
          case SchemaKind::kBoolean:
            group = "number";
            break;
          case SchemaKind::kRecord:
          case SchemaKind::kMap:
            group = "dict";
            break;
          case SchemaKind::kString:
          case SchemaKind::kEnum:
            group = "str";
            break;
          case SchemaKind::kBytes:
          case SchemaKind::kFixed:
            group = "bytes";
            break;
          case SchemaKind::kNull:
            group = "null";
            break;
          default:
            break;
        }
        if (++seen[group] > 1) return false;
      }
    }
    return true;
  }

  std::unique_ptr<ChildProcess> python_;
};

TEST_F(PythonAvroReferenceTest, PythonReadsOurBytesAndWritesThemBack) {
  Random random("python3-avro");
  int compared = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Codec codec(random_schema(random, {.for_reference_codecs = true}));
    if (!python_tells_apart(codec.schema())) continue;
    const std::string json = random_value(random, codec.schema().root());
    const std::string bytes = codec.encode(json);
    ASSERT_EQ(through_python(codec.schema(), codec.schema(), bytes), to_hex(bytes))
        << schema_text(codec.schema()) << "\n"
        << json;
    ++compared;
  }
  EXPECT_GT(compared, 300) << "too few schemas to prove anything";
}

TEST_F(PythonAvroReferenceTest, PythonResolvesSchemasAsWeDo) {
  Random random("python3-avro, pairs");
  int compared = 0;
  for (int i = 0; i < 1'500; ++i) {
    const Codec writer(random_schema(random, {.for_reference_codecs = true}));
    auto changed = parse_schema(changed_schema(random, writer.schema()));
    if (!changed || !find_incompatibilities(*changed, writer.schema()).empty()) continue;
    if (!python_tells_apart(writer.schema()) || !python_tells_apart(*changed) || has_aliases(*changed))
      continue;
    const std::string json = random_value(random, writer.schema().root());
    const std::string bytes = writer.encode(json);
    const std::string theirs = through_python(writer.schema(), *changed, bytes);
    if (theirs.starts_with('!')) continue;
    SCOPED_TRACE(schema_text(writer.schema()) + "\n as " + schema_text(*changed) + "\n" + json);
    ASSERT_EQ(to_hex(rewritten(writer.schema(), *changed, bytes)), theirs);
    ++compared;
  }
  EXPECT_GT(compared, 100) << "too few pairs to prove anything";
}

}  // namespace
}  // namespace cairn::test
