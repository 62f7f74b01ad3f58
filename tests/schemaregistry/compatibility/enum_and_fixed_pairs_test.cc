#include <gtest/gtest.h>

#include "tests/schemaregistry/compatibility/judge.h"

namespace cairn::test {
namespace {

TEST(EnumPairs, TheReaderKnowsEverySymbolOrHasADefault) {
  const std::string ab = enum_of("E", {"A", "B"});
  const std::string abc = enum_of("E", {"A", "B", "C"});
  judge_all({
      {"the same", ab, ab, {}, {}},
      {"another order", ab, enum_of("E", {"B", "A"}), {}, {}},
      {"one more", abc, ab, {}, {"MISSING_ENUM_SYMBOLS /symbols: [C]"}},
      {"two more, which are told sorted",
       enum_of("E", {"D", "A", "C", "B"}),
       ab,
       {},
       {"MISSING_ENUM_SYMBOLS /symbols: [C, D]"}},
      {"none in common",
       ab,
       enum_of("E", {"Y", "X"}),
       {"MISSING_ENUM_SYMBOLS /symbols: [X, Y]"},
       {"MISSING_ENUM_SYMBOLS /symbols: [A, B]"}},
      {"upper case sorts before lower",
       ab,
       enum_of("E", {"a", "Z", "_"}),
       {"MISSING_ENUM_SYMBOLS /symbols: [Z, _, a]"},
       {"MISSING_ENUM_SYMBOLS /symbols: [A, B]"}},
      {"a default", enum_of("E", {"A", "B"}, "A"), abc, {}, {}},
      {"a default for none in common",
       enum_of("E", {"A", "B"}, "B"),
       enum_of("E", {"X"}),
       {},
       {"MISSING_ENUM_SYMBOLS /symbols: [A, B]"}},
      {"the writer's default does not help",
       ab,
       enum_of("E", {"A", "B", "C"}, "A"),
       {"MISSING_ENUM_SYMBOLS /symbols: [C]"},
       {}},
      {"both have a default", enum_of("E", {"A"}, "A"), enum_of("E", {"B"}, "B"), {}, {}},
      {"another default", enum_of("E", {"A", "B"}, "A"), enum_of("E", {"A", "B"}, "B"), {}, {}},
      {"a default does not mend the name",
       enum_of("E", {"A"}, "A"),
       enum_of("F", {"B"}),
       {"NAME_MISMATCH /name: expected: F"},
       {"NAME_MISMATCH /name: expected: E", "MISSING_ENUM_SYMBOLS /symbols: [A]"}},
      {"no symbols at all", enum_of("E", {}), ab, {"MISSING_ENUM_SYMBOLS /symbols: [A, B]"}, {}},
      {"doc and properties", with(ab, "doc", "\"d\""), with(ab, "owner", "\"o\""), {}, {}},
      {"an enum and text",
       ab,
       "\"string\"",
       {"TYPE_MISMATCH /: reader type: ENUM not compatible with writer type: STRING"},
       {"TYPE_MISMATCH /: reader type: STRING not compatible with writer type: ENUM"}},
  });
}

TEST(EnumPairs, WithinOtherTypes) {
  const std::string ab = enum_of("E", {"A", "B"});
  const std::string a = enum_of("E", {"A"});
  judge_all({
      {"in a field",
       record("R", {field("e", ab)}),
       record("R", {field("e", a)}),
       {},
       {"MISSING_ENUM_SYMBOLS /fields/0/type/symbols: [B]"}},
      {"in an array", array(ab), array(a), {}, {"MISSING_ENUM_SYMBOLS /items/symbols: [B]"}},
      {"in a map", map(ab), map(a), {}, {"MISSING_ENUM_SYMBOLS /values/symbols: [B]"}},
      {"in a union",
       maybe(ab),
       maybe(a),
       {},
       {"MISSING_UNION_BRANCH /1: reader union lacking writer type: ENUM"}},
      {"in the writer's union", a, union_of({ab}), {"MISSING_ENUM_SYMBOLS /0/symbols: [B]"}, {}},
      {"used twice, told once",
       record("R", {field("e", a), field("f", "E")}),
       record("R", {field("e", ab), field("f", "E")}),
       {"MISSING_ENUM_SYMBOLS /fields/0/type/symbols: [B]"},
       {}},
  });
}

TEST(FixedPairs, HaveTheSameNameAndSize) {
  judge_all({
      {"the same", fixed("F", 4), fixed("F", 4), {}, {}},
      {"of size 0", fixed("F", 0), fixed("F", 0), {}, {}},
      {"another size",
       fixed("F", 4),
       fixed("F", 8),
       {"FIXED_SIZE_MISMATCH /size: expected: 8, found: 4"},
       {"FIXED_SIZE_MISMATCH /size: expected: 4, found: 8"}},
      {"another name and size",
       fixed("n.F", 4),
       fixed("n.G", 8),
       {"NAME_MISMATCH /name: expected: n.G", "FIXED_SIZE_MISMATCH /size: expected: 8, found: 4"},
       {"NAME_MISMATCH /name: expected: n.F", "FIXED_SIZE_MISMATCH /size: expected: 4, found: 8"}},
      {"an alias and another size",
       aka(fixed("F", 4), {"G"}),
       fixed("G", 8),
       {"FIXED_SIZE_MISMATCH /size: expected: 8, found: 4"},
       {"NAME_MISMATCH /name: expected: F", "FIXED_SIZE_MISMATCH /size: expected: 4, found: 8"}},
      {"a fixed and bytes",
       fixed("F", 4),
       "\"bytes\"",
       {"TYPE_MISMATCH /: reader type: FIXED not compatible with writer type: BYTES"},
       {"TYPE_MISMATCH /: reader type: BYTES not compatible with writer type: FIXED"}},
      {"in a field",
       record("R", {field("f", fixed("F", 4))}),
       record("R", {field("f", fixed("F", 5))}),
       {"FIXED_SIZE_MISMATCH /fields/0/type/size: expected: 5, found: 4"},
       {"FIXED_SIZE_MISMATCH /fields/0/type/size: expected: 4, found: 5"}},
      {"in an array",
       array(fixed("F", 4)),
       array(fixed("F", 5)),
       {"FIXED_SIZE_MISMATCH /items/size"},
       {"FIXED_SIZE_MISMATCH /items/size"}},
      {"in a union",
       maybe(fixed("F", 4)),
       maybe(fixed("F", 5)),
       {"MISSING_UNION_BRANCH /1: reader union lacking writer type: FIXED"},
       {"MISSING_UNION_BRANCH /1: reader union lacking writer type: FIXED"}},
  });
}

}  // namespace
}  // namespace cairn::test
