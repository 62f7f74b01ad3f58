#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schemaregistry/model/parse_schema.h"
#include "tests/schemaregistry/schema_builders.h"

namespace cairn::test {

// An invalid schema, the path that the message must have, and a word that it must contain. No path: the root.
struct Refused {
  std::string text;
  std::string path;
  std::string word;
};

inline void refuse(const Refused& refused) {
  const Result<Schema> schema = parse_schema(refused.text);
  ASSERT_FALSE(schema.ok()) << "accepted: " << refused.text;
  EXPECT_EQ(schema.error().code, Errc::kInvalidArgument) << refused.text;
  EXPECT_THAT(schema.error().message, ::testing::HasSubstr(refused.word)) << refused.text;
  if (refused.path.empty()) {
    EXPECT_THAT(schema.error().message, ::testing::Not(::testing::StartsWith("/"))) << refused.text;
  } else {
    EXPECT_THAT(schema.error().message, ::testing::StartsWith(refused.path + ": ")) << refused.text;
  }
}

inline void refuse_all(const std::vector<Refused>& table) {
  for (const Refused& refused : table) refuse(refused);
}

inline void accept_all(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const Result<Schema> schema = parse_schema(text);
    EXPECT_TRUE(schema.ok()) << text << "\n" << (schema.ok() ? "" : schema.error().message);
  }
}

// R0 holds an int, R1 an R0, …: nested as deep as it is long when it is written out.
inline std::string chain(int length, const std::string& default_json = "") {
  std::vector<std::string> records;
  for (int i = 0; i < length; ++i) {
    const std::string held = i == 0 ? field("f", "int", "0") : field("f", "R" + std::to_string(i - 1));
    const bool has_default = i > 0 && !default_json.empty();
    records.push_back(
        record("R" + std::to_string(i), {has_default ? with(held, "default", default_json) : held}));
  }
  return union_of(records);
}

}  // namespace cairn::test
