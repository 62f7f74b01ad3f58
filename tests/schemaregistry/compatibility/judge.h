#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemaregistry/compatibility/compatibility.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/schemaregistry/schema_builders.h"

namespace cairn::test {

// "TYPE_MISMATCH /fields/0/type", or with what it says: "TYPE_MISMATCH /: reader type: INT not …".
using Findings = std::vector<std::string>;

// Two schemas, and the faults when one reads data of the other; none when they are compatible.
struct Pair {
  const char* what;
  std::string a;
  std::string b;
  Findings a_reads_b;
  Findings b_reads_a;
};

inline Schema parsed(std::string_view text) {
  Result<Schema> schema = parse_schema(text);
  EXPECT_TRUE(schema.ok()) << text << "\n" << (schema.ok() ? "" : schema.error().message);
  return schema.ok() ? *std::move(schema) : *parse_schema("\"null\"");
}

// The findings in the form of `expected`: with the detail only where `expected` has one.
inline Findings found(const std::vector<Incompatibility>& findings, const Findings& expected = {}) {
  Findings told;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    told.push_back(std::string(to_string(findings[i].kind)) + " " + findings[i].path);
    const bool wants_detail = i >= expected.size() || expected[i].find(": ") != std::string::npos;
    if (wants_detail) told.back() += ": " + findings[i].detail;
  }
  return told;
}

inline void judge(const Pair& pair) {
  SCOPED_TRACE(pair.what);
  const Schema a = parsed(pair.a);
  const Schema b = parsed(pair.b);
  EXPECT_EQ(found(find_incompatibilities(a, b), pair.a_reads_b), pair.a_reads_b)
      << "reader: " << pair.a << "\nwriter: " << pair.b;
  EXPECT_EQ(found(find_incompatibilities(b, a), pair.b_reads_a), pair.b_reads_a)
      << "reader: " << pair.b << "\nwriter: " << pair.a;
}

inline void judge_all(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) judge(pair);
}

}  // namespace cairn::test
