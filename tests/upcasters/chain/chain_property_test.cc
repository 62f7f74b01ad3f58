// A long chain gives the same result as its steps one after the other.

#include "tests/support/random.h"
#include "tests/upcasters/upcasters_fixture.h"

namespace cairn::test {
namespace {

// Six versions, connected by scripts and by schema resolution in turn.
const std::vector<std::string> kVersions = {
    record(R"({"name":"id","type":"int"},{"name":"price","type":"double"},{"name":"gone","type":"string"},)"
           R"({"name":"tags","type":{"type":"array","items":"string"}})"),
    record(R"({"name":"id","type":"int"},{"name":"cents","type":"long"},{"name":"gone","type":"string"},)"
           R"({"name":"tags","type":{"type":"array","items":"string"}})"),
    // Leaves a field out, widens one, adds one.
    record(
        R"({"name":"cents","type":"long"},{"name":"id","type":"long"},)"
        R"({"name":"tags","type":{"type":"array","items":"string"}},{"name":"note","type":["null","string"],"default":null})"),
    // Brings back the name of a field that was left out.
    record(
        R"({"name":"id","type":"long"},{"name":"cents","type":"double"},{"name":"gone","type":"string","default":"back"},)"
        R"({"name":"tags","type":{"type":"array","items":"string"}},{"name":"note","type":["null","string"],"default":null})"),
    record(
        R"({"name":"id","type":"string"},{"name":"cents","type":"double"},{"name":"tag","type":["null","string"]},)"
        R"({"name":"counts","type":{"type":"map","values":"long"}})"),
    record(
        R"({"name":"id","type":"string"},{"name":"cents","type":"double"},{"name":"tag","type":["null","string"]},)"
        R"({"name":"counts","type":{"type":"map","values":"double"}},{"name":"last","type":"int","default":6})"),
};

const std::string kFirstScript =
    upcaster("Order", 1, 2, "data.cents = math.tointeger(data.price // 0.01) data.price = nil return data");

// One part for each tag; an order without tags is dropped when its number is odd.
const std::string kSecondScript =
    upcaster("Order", 4, 5,
             "local parts = {}\n"
             "for i, tag in ipairs(data.tags) do\n"
             "  parts[i] = { data = { id = data.id .. '/' .. event.version,\n"
             "    cents = data.cents, tag = tag, counts = { [tag] = #tag, all = i } } }\n"
             "end\n"
             "if #parts == 0 and data.id % 2 == 0 then\n"
             "  return { id = data.gone, cents = 0, tag = null, counts = {} }\n"
             "end\n"
             "return parts");

class ChainPropertyTest : public UpcastersTest {
 protected:
  // Some value of a version, as JSON.
  static std::string value_of_version(Random& random, std::uint32_t version) {
    std::string tags;
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      tags += (tags.empty() ? "\"" : ",\"") + std::string(random.below(5), 't') + std::to_string(i) + "\"";
    }
    const std::string id = std::to_string(static_cast<int>(random.below(2'000)) - 1'000);
    const std::string cents = std::to_string(random.below(1'000'000));
    const std::string note = random.one_in(2) ? "null" : "\"n\"";
    switch (version) {
      case 1:
        return R"({"id":)" + id + R"(,"price":)" + cents + R"(.25,"gone":"g","tags":[)" + tags + "]}";
      case 2:
        return R"({"id":)" + id + R"(,"cents":)" + cents + R"(,"gone":"g","tags":[)" + tags + "]}";
      case 3:
        return R"({"cents":)" + cents + R"(,"id":)" + id + R"(,"tags":[)" + tags + R"(],"note":)" + note +
               "}";
      case 4:
        return R"({"id":)" + id + R"(,"cents":)" + cents + R"(.5,"gone":"h","tags":[)" + tags +
               R"(],"note":)" + note + "}";
      case 5:
        return R"({"id":"i","cents":)" + cents + R"(.5,"tag":)" + note + R"(,"counts":{"a":)" + cents + "}}";
      default:
        return R"({"id":"i","cents":)" + cents + R"(.5,"tag":)" + note + R"(,"counts":{"a":0.5},"last":)" +
               id + "}";
    }
  }

  // The data of all parts of an event in a shape.
  std::vector<std::string> parts_of(Shaper& shaper, const EventView& event, Shape shape) {
    if (const auto shaped = shaper.shape(event, shape); !shaped) {
      ADD_FAILURE() << shaped.error().message;
      return {};
    }
    std::vector<std::string> parts;
    for (const ShapedEvent& part : shaper.parts()) parts.push_back(json_of(part));
    return parts;
  }

  // The same, made by shaping to each version and storing the result as an event of that version.
  std::vector<std::string> step_by_step(Shaper& shaper, const EventView& event, const std::string& json,
                                        std::uint32_t version) {
    if (version == kVersions.size()) return {json};
    const NewEvent made = event_of("Order", version, json);
    EventView again = event;
    again.schema = made.schema;
    again.data = made.data;
    std::vector<std::string> all;
    for (const std::string& part : parts_of(shaper, again, Shape::of_version(version + 1))) {
      for (std::string& one : step_by_step(shaper, event, part, version + 1)) all.push_back(std::move(one));
    }
    return all;
  }
};

TEST_F(ChainPropertyTest, AMixedChainEqualsItsSteps) {
  for (const std::string& schema : kVersions) registered("Order", schema);
  deployed(kSecondScript);
  deployed(kFirstScript);
  Random random("chains");
  const ShaperPool::Lease shaper = shapes().shapers().lease();
  std::size_t parts = 0;
  for (int i = 0; i < 3'000; ++i) {
    const auto version = static_cast<std::uint32_t>(random.between(1, kVersions.size()));
    const std::string json = value_of_version(random, version);
    const NewEvent made = event_of("Order", version, json);
    EventView event;
    event.stream = "order-1";
    event.type = "Order";
    event.version = {static_cast<std::uint64_t>(i + 1)};
    event.position = {static_cast<std::uint64_t>(i + 100)};
    event.schema = made.schema;
    event.data = made.data;
    const auto direct = parts_of(*shaper, event, Shape::latest());
    ASSERT_EQ(direct, step_by_step(*shaper, event, json, version)) << "version " << version << " " << json;
    parts += direct.size();
  }
  EXPECT_GT(parts, 3'000u);
}

}  // namespace
}  // namespace cairn::test
