#pragma once

#include <filesystem>
#include <string>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// A folder of schemas on disk.
class SchemaFiles {
 public:
  // `name` as in "Order.avsc" or "Order/2.avsc".
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_THAT(write_file(path, text), succeeds());
  }

  std::string path() const { return folder_.path().string(); }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }

 private:
  TempFolder folder_;
};

// A record with fields such as R"({"name":"id","type":"string"})".
inline std::string record(const std::string& name, const std::string& fields) {
  return R"({"type":"record","name":")" + name + R"(","fields":[)" + fields + "]}";
}

inline constexpr char kId[] = R"({"name":"id","type":"string"})";
inline constexpr char kTotal[] = R"({"name":"total","type":"long"})";
inline constexpr char kTotalOr0[] = R"({"name":"total","type":"long","default":0})";

inline std::string order_1() { return record("Order", kId); }
inline std::string order_2() { return record("Order", std::string(kId) + "," + kTotalOr0); }
inline std::string order_2_without_default() { return record("Order", std::string(kId) + "," + kTotal); }

}  // namespace cairn::test
