#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

const std::vector<std::string> kPrimitives = {"null",  "boolean", "int",   "long",
                                              "float", "double",  "bytes", "string"};

// (reader, writer): every promotion of Avro's.
const std::set<std::pair<std::string, std::string>> kPromotions = {
    {"long", "int"},    {"float", "int"},    {"double", "int"},   {"float", "long"},
    {"double", "long"}, {"double", "float"}, {"string", "bytes"}, {"bytes", "string"}};

std::string shouted(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string mismatch(const std::string& path, const std::string& reader, const std::string& writer) {
  return "TYPE_MISMATCH " + path + ": reader type: " + shouted(reader) +
         " not compatible with writer type: " + shouted(writer);
}

Findings primitive_verdict(const std::string& path, const std::string& reader, const std::string& writer) {
  if (reader == writer || kPromotions.contains({reader, writer})) return {};
  return {mismatch(path, reader, writer)};
}

TEST(PrimitivePairs, ReadThemselvesAndWhatIsPromotedToThem) {
  for (std::size_t i = 0; i < kPrimitives.size(); ++i) {
    for (std::size_t j = i; j < kPrimitives.size(); ++j) {
      const std::string& a = kPrimitives[i];
      const std::string& b = kPrimitives[j];
      judge({"alone", quote(a), quote(b), primitive_verdict("/", a, b), primitive_verdict("/", b, a)});
      judge({"in a field", record("R", {field("x", a)}), record("R", {field("x", b)}),
             primitive_verdict("/fields/0/type", a, b), primitive_verdict("/fields/0/type", b, a)});
    }
  }
}

TEST(PrimitivePairs, NoneReadsAComplexType) {
  const std::vector<std::pair<std::string, std::string>> complex = {{"record", record("R", {})},
                                                                    {"enum", enum_of("E", {"A"})},
                                                                    {"fixed", fixed("F", 4)},
                                                                    {"array", array("int")},
                                                                    {"map", map("int")}};
  for (const std::string& primitive : kPrimitives) {
    for (const auto& [kind, schema] : complex) {
      judge({"primitive and complex",
             quote(primitive),
             schema,
             {mismatch("/", primitive, kind)},
             {mismatch("/", kind, primitive)}});
    }
  }
  for (const auto& [kind, schema] : complex) {
    for (const auto& [other_kind, other] : complex) {
      if (kind == other_kind) continue;
      judge({"two complex ones",
             schema,
             other,
             {mismatch("/", kind, other_kind)},
             {mismatch("/", other_kind, kind)}});
    }
  }
}

TEST(PrimitivePairs, AreTheSameHoweverTheyAreWritten) {
  judge_all({
      {"an object", R"("string")", R"({"type":"string"})", {}, {}},
      {"an object with a property",
       R"("string")",
       R"({"type":"string","avro.java.string":"String"})",
       {},
       {}},
      {"promoted, with a property",
       R"("long")",
       R"({"type":"int","unit":"ms"})",
       {},
       {"TYPE_MISMATCH /: reader type: INT not compatible with writer type: LONG"}},
  });
}

TEST(PrimitivePairs, LogicalTypesChangeNothing) {
  const auto decimal = [](const std::string& base, int precision, int scale) {
    return with(with(with(base, "logicalType", "\"decimal\""), "precision", std::to_string(precision)),
                "scale", std::to_string(scale));
  };
  const std::string bytes = R"({"type":"bytes"})";
  judge_all({
      {"date and int", logical("int", "date"), "\"int\"", {}, {}},
      {"date and time", logical("int", "date"), logical("int", "time-millis"), {}, {}},
      {"millis and micros", logical("long", "timestamp-millis"), logical("long", "timestamp-micros"), {}, {}},
      {"local and global",
       logical("long", "timestamp-millis"),
       logical("long", "local-timestamp-millis"),
       {},
       {}},
      {"uuid and string", logical("string", "uuid"), "\"string\"", {}, {}},
      {"uuid and bytes", logical("string", "uuid"), "\"bytes\"", {}, {}},
      {"one nobody knows", logical("string", "colour"), "\"string\"", {}, {}},
      {"date and timestamp",
       logical("long", "timestamp-millis"),
       logical("int", "date"),
       {},
       {"TYPE_MISMATCH /: reader type: INT not compatible with writer type: LONG"}},
      {"timestamp and text",
       logical("long", "timestamp-millis"),
       "\"string\"",
       {"TYPE_MISMATCH /: reader type: LONG not compatible with writer type: STRING"},
       {"TYPE_MISMATCH /: reader type: STRING not compatible with writer type: LONG"}},
      {"another precision", decimal(bytes, 10, 2), decimal(bytes, 4, 2), {}, {}},
      {"another scale", decimal(bytes, 10, 2), decimal(bytes, 10, 4), {}, {}},
      {"decimal and bytes", decimal(bytes, 10, 2), "\"bytes\"", {}, {}},
      {"decimal in a fixed and in bytes",
       decimal(fixed("D", 8), 10, 2),
       decimal(bytes, 10, 2),
       {"TYPE_MISMATCH /: reader type: FIXED not compatible with writer type: BYTES"},
       {"TYPE_MISMATCH /: reader type: BYTES not compatible with writer type: FIXED"}},
      {"decimals in two sizes",
       decimal(fixed("D", 8), 10, 2),
       decimal(fixed("D", 16), 10, 2),
       {"FIXED_SIZE_MISMATCH /size: expected: 16, found: 8"},
       {"FIXED_SIZE_MISMATCH /size: expected: 8, found: 16"}},
      {"duration and its fixed", with(fixed("D", 12), "logicalType", "\"duration\""), fixed("D", 12), {}, {}},
      {"nullable timestamp", maybe(logical("long", "timestamp-micros")), maybe("long"), {}, {}},
  });
}

}  // namespace
}  // namespace cairn::test
