// Holds the order of the folders:
//
//   eventstore/base <- eventstore <- schemaregistry <- upcasters <- projections <- api <- tools
//
// A folder includes itself and what stands to its left, and each third-party library is known to one folder
// only. Tests and examples may include anything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// From left to right. A path belongs to the first layer here whose folder it lies in.
constexpr std::array<std::string_view, 7> kLayers = {
    "eventstore/base", "eventstore", "schemaregistry", "upcasters", "projections", "api", "tools"};

// A library, as its includes begin or end, and the one folder that may include it; beside it, where it is
// measured as a peer.
struct LibraryRule {
  std::string_view library;
  std::string_view include_pattern;
  std::string_view home;
  std::string_view peer = {};
};

constexpr LibraryRule kLibraryRules[] = {
    {"LMDB", R"(lmdb\.h)", "eventstore"},
    {"Cap'n Proto", R"((capnp|kj)/.*|.*\.capnp\.h)", "eventstore"},
    {"Avro C++", R"(avro/.*)", "schemaregistry", "tools/bench/compare"},
    {"Lua", R"((lua[^/]*/)?(lua|lauxlib|lualib|luaconf)\.(h|hpp))", "upcasters"},
    {"cpp-httplib", R"(httplib\.h)", "api"},
    {"Asio", R"((boost/)?asio(/.*|\.hpp))", "api", "projections/daemon"},
    {"sockets", R"(sys/(socket|un)\.h|netinet/.*|arpa/inet\.h|netdb\.h)", "api"},
    {"libpq", R"((.*/)?libpq-fe\.h)", "tools/bench"},
    {"SQLite", R"(sqlite3\.h)", "tools/bench"},
};

constexpr std::string_view kTopFolders[] = {"eventstore", "schemaregistry", "upcasters", "projections",
                                            "api",        "tools",          "tests",     "examples",
                                            "docs",       "cmake",          "build",     "cairn-data"};

bool lies_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The layer's place from the left, or nullopt for a path outside of all layers.
std::optional<std::size_t> layer_of(std::string_view path) {
  for (std::size_t i = 0; i < kLayers.size(); ++i) {
    if (lies_in(path, kLayers[i])) return i;
  }
  return std::nullopt;
}

// What `path` includes, in order, without the quotes or brackets.
std::vector<std::string> includes_in(const std::string& text) {
  static const std::regex kInclude(R"(^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">])",
                                   std::regex::ECMAScript | std::regex::multiline);
  std::vector<std::string> includes;
  for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it) {
    includes.push_back((*it)[1]);
  }
  return includes;
}

// Every breach of the order in one source file. `path` is relative to the project's root.
std::vector<std::string> breaches_in(const std::string& path, const std::string& text) {
  std::vector<std::string> breaches;
  const std::optional<std::size_t> own_layer = layer_of(path);
  if (!own_layer) return breaches;

  for (const std::string& include : includes_in(text)) {
    const auto report = [&](const std::string& reason) {
      breaches.push_back(path + " includes " + include + ": " + reason);
    };
    if (include.find("..") != std::string::npos) report("write it from the project's root");
    if (lies_in(include, "tests")) report("the tests see the code, the code does not see the tests");
    const std::optional<std::size_t> layer = layer_of(include);
    if (layer && *layer > *own_layer) {
      report(std::string(kLayers[*layer]) + " stands to the right of " + std::string(kLayers[*own_layer]));
    }
    for (const LibraryRule& rule : kLibraryRules) {
      if (!lies_in(path, rule.home) && !lies_in(path, rule.peer) &&
          std::regex_match(include, std::regex(std::string(rule.include_pattern)))) {
        report(std::string(rule.library) + " is known to " + std::string(rule.home) + " only");
      }
    }
  }
  return breaches;
}

bool may_stand_at_the_top(std::string_view folder) {
  return folder.starts_with(".") ||
         std::find(std::begin(kTopFolders), std::end(kTopFolders), folder) != std::end(kTopFolders);
}

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(LayeringTest, EveryIncludePointsToTheLeft) {
  const fs::path root(CAIRN_SOURCE_DIR);
  for (const std::string_view top : kLayers) {
    if (top.find('/') != std::string_view::npos || !fs::exists(root / top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      const std::string path = entry.path().lexically_relative(root).generic_string();
      EXPECT_THAT(breaches_in(path, read_file(entry.path())), IsEmpty());
    }
  }
}

TEST(LayeringTest, NoUnknownFolderStandsAtTheTop) {
  for (const fs::directory_entry& entry : fs::directory_iterator(CAIRN_SOURCE_DIR)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(may_stand_at_the_top(entry.path().filename().string())) << entry.path();
  }
}

// The rest plants breaches, to show that the checks above would see them.

TEST(LayeringTest, IncludesToTheLeftAndOfTheSameFolderPass) {
  EXPECT_THAT(breaches_in("api/routes.cc",
                          "#include \"api/routes.h\"\n"
                          "#include \"projections/runner.h\"\n"
                          "#include \"eventstore/base/result.h\"\n"
                          "#include <vector>\n"),
              IsEmpty());
  EXPECT_THAT(breaches_in("eventstore/base/uuid.cc", "#include \"eventstore/base/uuid.h\"\n"), IsEmpty());
}

TEST(LayeringTest, AnIncludeFromTheRightIsABreachForEachPairOfLayers) {
  for (std::size_t left = 0; left < kLayers.size(); ++left) {
    for (std::size_t right = 0; right < kLayers.size(); ++right) {
      const std::string path = std::string(kLayers[left]) + "/a.cc";
      const std::string text =
          "#include <string>\n  #  include \"" + std::string(kLayers[right]) + "/b.h\"\n";
      EXPECT_EQ(breaches_in(path, text).empty(), right <= left) << path << "\n" << text;
    }
  }
}

TEST(LayeringTest, ALibraryOutsideItsFolderIsABreach) {
  struct Planted {
    std::string home_file, other_file, include;
  };
  const Planted planted[] = {
      {"eventstore/log/lmdb_env.cc", "projections/rows.cc", "<lmdb.h>"},
      {"eventstore/format/block.cc", "api/routes.cc", "<capnp/message.h>"},
      {"eventstore/format/block.cc", "tools/main.cc", "<kj/array.h>"},
      {"eventstore/format/block.cc", "upcasters/host.cc", "\"eventstore/format/block.capnp.h\""},
      {"schemaregistry/codec.cc", "projections/rows.cc", "<avro/ValidSchema.hh>"},
      {"tools/bench/compare/avro_peer.cc", "tools/cli/export.cc", "<avro/ValidSchema.hh>"},
      {"upcasters/host.cc", "projections/rows.cc", "<lua.hpp>"},
      {"upcasters/host.cc", "projections/rows.cc", "<lua5.4/lauxlib.h>"},
      {"api/server.cc", "tools/cli/client.cc", "<httplib.h>"},
      {"api/server.cc", "eventstore/log/writer.cc", "<boost/asio.hpp>"},
      {"api/server.cc", "eventstore/log/writer.cc", "<boost/asio/post.hpp>"},
      {"api/server.cc", "tools/bench/peer.cc", "<sys/socket.h>"},
      {"tools/bench/postgres.cc", "projections/sink.cc", "<libpq-fe.h>"},
      {"tools/bench/postgres.cc", "tools/cli/export.cc", "<postgresql/libpq-fe.h>"},
      {"tools/bench/sqlite.cc", "eventstore/log/sqlite.cc", "<sqlite3.h>"},
  };
  for (const auto& [home_file, other_file, include] : planted) {
    const std::string text = "#include " + include + "\n";
    EXPECT_THAT(breaches_in(home_file, text), IsEmpty());
    EXPECT_THAT(breaches_in(other_file, text), ElementsAre(HasSubstr("only"))) << other_file << " " << text;
  }
}

TEST(LayeringTest, AWayAroundTheRootIsABreach) {
  EXPECT_THAT(breaches_in("eventstore/a.cc", "#include \"../api/b.h\"\n"), ElementsAre(HasSubstr("root")));
}

TEST(LayeringTest, CodeThatIncludesTestsIsABreach) {
  EXPECT_THAT(breaches_in("api/a.cc", "#include \"tests/support/b.h\"\n"), ElementsAre(HasSubstr("tests")));
}

TEST(LayeringTest, TestsIncludeWhatTheyNeed) {
  EXPECT_THAT(breaches_in("tests/api/a_test.cc", "#include <lmdb.h>\n#include \"tools/b.h\"\n"), IsEmpty());
}

TEST(LayeringTest, IncludesInCommentsDoNotCount) {
  EXPECT_THAT(breaches_in("eventstore/a.cc", "// Not: #include <httplib.h>\n// #include \"api/b.h\"\n"),
              IsEmpty());
}

TEST(LayeringTest, ForeignFoldersMayNotStandAtTheTop) {
  EXPECT_FALSE(may_stand_at_the_top("vendor"));
  EXPECT_FALSE(may_stand_at_the_top("src"));
  EXPECT_TRUE(may_stand_at_the_top("eventstore"));
  EXPECT_TRUE(may_stand_at_the_top(".ci"));
}

}  // namespace
