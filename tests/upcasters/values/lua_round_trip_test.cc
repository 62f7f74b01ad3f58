// For random schemas: a value that is decoded to Lua is encoded as the same value.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemaregistry/model/schema_text.h"
#include "tests/schemaregistry/support/random_schema.h"
#include "tests/upcasters/lua/lua_fixture.h"

namespace cairn::test {
namespace {

using Json = nlohmann::json;

// Lua does not distinguish int from long, nor float from double, so numbers of a union are compared without
// their tag.
Json without_number_names(const Json& json) {
  if (json.is_object() && json.size() == 1) {
    const std::string& name = json.begin().key();
    if (name == "int" || name == "long" || name == "float" || name == "double") return json.begin().value();
  }
  Json result = json;
  if (json.is_structured()) {
    for (auto& part : result) part = without_number_names(part);
  }
  return result;
}

TEST(LuaRoundTripTest, ValuesSurviveARoundTrip) {
  Random random("Lua values");
  for (int i = 0; i < 1'000; ++i) {
    LuaCodec lua(random_schema(random));
    SCOPED_TRACE(schema_text(lua.codec().schema()));
    for (int k = 0; k < 5; ++k) {
      const std::string json = random_value(random, lua.codec().schema().root());
      const std::string before = lua.codec().encode(json);
      const std::string after = lua.rewritten(before);
      ASSERT_EQ(without_number_names(Json::parse(lua.codec().decode(after))),
                without_number_names(Json::parse(lua.codec().decode(before))))
          << json;
      ASSERT_EQ(to_hex(lua.rewritten(after)), to_hex(after)) << "the second time";
    }
  }
}

// A script receives an event of an older schema and returns it.
TEST(LuaRoundTripTest, ResolvedValuesAreEncodedWithTheReadersSchema) {
  Random random("Lua values of two schemas");
  int written = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Codec writer(random_schema(random));
    auto changed = parse_schema(changed_schema(random, writer.schema()));
    if (!changed) continue;  // some changes make an invalid schema
    LuaCodec lua(schema_text(*changed));
    const DecodePlan plan = LuaCodec::plan_of(writer.schema(), lua.codec().schema());
    LuaReader reader(lua.host(), plan);
    SCOPED_TRACE(schema_text(writer.schema()) + "\n as " + schema_text(*changed));
    const std::string json = random_value(random, writer.schema().root());
    const std::string avro = writer.encode(json);
    std::string shown;
    const bool can_read = append_avro_as_json(plan, avro, shown).ok();
    std::string again;
    lua.run([&](lua_State*) {
      ASSERT_EQ(reader.push(avro).ok(), can_read);
      if (!can_read) return;
      ASSERT_TRUE(lua.writer().write(-1, again).empty()) << shown;
    });
    if (!can_read) continue;
    ASSERT_EQ(without_number_names(Json::parse(lua.codec().decode(again))),
              without_number_names(Json::parse(shown)));
    ++written;
  }
  EXPECT_GT(written, 300) << "too few to prove anything";
}

// Damaged bytes decode to some value or fail with an error.
TEST(LuaRoundTripTest, DamagedBytesAreReadOrRefused) {
  Random random("damaged Lua values");
  for (int i = 0; i < 500; ++i) {
    LuaCodec lua(random_schema(random));
    std::string bytes = lua.codec().encode(random_value(random, lua.codec().schema().root()));
    for (int k = 0; k < 10 && !bytes.empty(); ++k) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
      // The data may also exceed a limit, which is no failure here.
      (void)lua.host().run([&](lua_State* state) {
        const int top = lua_gettop(state);
        std::string again;
        const bool can_read = lua.reader().push(bytes).ok();
        if (can_read) lua.writer().write(-1, again);
        EXPECT_EQ(lua_gettop(state), top + (can_read ? 1 : 0));
      });
    }
  }
}

}  // namespace
}  // namespace cairn::test
