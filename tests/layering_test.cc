// Holds the order of the folders:
//
//   eventstore/base <- eventstore <- schemaregistry <- upcasters <- projections <- api <- tools
//
// A folder includes itself and folders to its left. The subfolders of a folder have an order of their own,
// which docs/architecture.md explains, and each third-party library is known to one folder. Tests and
// examples may include anything.

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

// From left to right. A path belongs to the first layer that contains it.
constexpr std::array<std::string_view, 7> kLayers = {
    "eventstore/base", "eventstore", "schemaregistry", "upcasters", "projections", "api", "tools"};

// The subfolders of a folder from left to right; "." is the folder itself. A subfolder includes itself and
// those of earlier ranks, so those of one rank do not include each other. Several stand here before their
// first file: remote, postgres, targets, delivery, consumers, sinks, processes, sql, outbound, forward,
// dashboard.
struct RoomOrder {
  std::string_view folder;
  std::vector<std::vector<std::string_view>> ranks;
};

const std::vector<RoomOrder>& room_orders() {
  static const std::vector<RoomOrder> kOrders = {
      {"eventstore",
       {{"base"},
        {".", "json", "lmdb"},
        {"format", "tables"},
        {"index", "log"},
        {"read"},
        {"append", "recovery"},
        {"follow", "verify", "remote"},
        {"copy", "store", "postgres"},
        {"tokens"}}},
      {"schemaregistry", {{"model"}, {"compatibility"}, {"codec"}, {"datafile", "registry"}, {"events"}}},
      {"upcasters",
       {{"lua", "model"},
        {"chain", "values"},
        {"definitions"},
        {"script"},
        {"shaping"},
        {"deploy", "trial"},
        {"."}}},
      {"projections",
       {{"readmodel"},
        {"script", "targets"},
        {"aggregates", "definitions", "trial"},
        {"."},
        {"generation"},
        {"runner"},
        {"daemon"},
        {"beside", "delivery", "sql"},
        {"consumers", "sinks", "processes"},
        {"engine"}}},
      {"api",
       {{"access", "client"},
        {"http"},
        {"metrics", "net", "outbound", "serving"},
        {"aggregates", "consumers", "projections", "upcasters"},
        {"registry"},
        {"events"},
        {"dashboard", "forward", "status"},
        {"server"}}},
      {"tools",
       {{"bench", "cli/text"},
        {"bench/compare", "cli/server"},
        {"cli/help", "cli/upcaster"},
        {"cli/config", "cli/schema"},
        {"cli/aggregate", "cli/avro", "cli/projection", "cli/serve"},
        {"cli/commands", "cli/doctor"},
        {"cli"},
        {"."}}},
  };
  return kOrders;
}

// A library, as its includes begin or end, and the only folders that may include it: its home, and its peers,
// each with a reason (it is compared with our code, or closely coupled to the home).
struct LibraryRule {
  std::string_view library;
  std::string_view include_pattern;
  std::string_view home;
  std::vector<std::string_view> peers = {};
};

const std::vector<LibraryRule>& library_rules() {
  static const std::vector<LibraryRule> kRules = {
      {"LMDB", R"(lmdb\.h)", "eventstore/lmdb"},
      {"Cap'n Proto", R"((capnp|kj)/.*|.*\.capnp\.h)", "eventstore/format"},
      {"Avro C++", R"(avro/.*)", "schemaregistry/datafile", {"tools/bench/compare"}},
      {"Lua",
       R"((lua[^/]*/)?(lua|lauxlib|lualib|luaconf)\.(h|hpp))",
       "upcasters/lua",
       {"upcasters/values", "upcasters/script", "projections/script"}},
      {"cpp-httplib", R"(httplib\.h)", "api/client"},
      {"Asio", R"((boost/)?asio(/.*|\.hpp))", "api/net", {"api/http", "projections"}},
      {"sockets", R"(sys/(socket|un)\.h|netinet/.*|arpa/inet\.h|netdb\.h)", "api/net", {"tools/bench"}},
      {"prometheus-cpp", R"(prometheus/.*)", "api/metrics"},
      {"CLI11", R"(CLI/.*)", "tools"},
      {"toml++", R"(toml\+\+/.*)", "tools/cli/config"},
      {"libpq", R"((.*/)?libpq-fe\.h)", "eventstore/postgres", {"tools/bench/compare"}},
      {"SQLite", R"(sqlite3\.h)", "projections/sql", {"tools/bench/compare"}},
  };
  return kRules;
}

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

struct Room {
  std::string name;  // "eventstore/log"
  std::optional<std::size_t> rank;
};

// The room of a path, with its rank; nullopt for a path outside of all folders. The rank is missing when the
// table does not name the room.
std::optional<Room> room_of(std::string_view path) {
  for (const RoomOrder& order : room_orders()) {
    if (!lies_in(path, order.folder)) continue;
    const std::string_view folder = path.substr(0, path.rfind('/'));
    const std::string_view inner = folder == order.folder ? "." : folder.substr(order.folder.size() + 1);
    Room room{std::string(folder), std::nullopt};
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
      const auto& rooms = order.ranks[rank];
      if (std::find(rooms.begin(), rooms.end(), inner) != rooms.end()) room.rank = rank;
    }
    return room;
  }
  return std::nullopt;
}

// Why a file may not include another one of the same top folder; nullopt when it may.
std::optional<std::string> room_breach(std::string_view path, std::string_view include) {
  const std::optional<Room> own = room_of(path), other = room_of(include);
  if (!own || !other || path.substr(0, path.find('/')) != include.substr(0, include.find('/'))) return {};
  for (const Room& room : {*own, *other}) {
    if (!room.rank) return "the table of subfolders does not name " + room.name;
  }
  if (own->name == other->name || *other->rank < *own->rank) return {};
  if (*other->rank == *own->rank) return other->name + " and " + own->name + " do not include each other";
  return other->name + " stands to the right of " + own->name;
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
  if (const auto room = room_of(path); room && !room->rank) {
    breaches.push_back(path + ": the table of subfolders does not name " + room->name);
  }

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
    if (const auto breach = room_breach(path, include)) report(*breach);
    for (const LibraryRule& rule : library_rules()) {
      const bool at_home = lies_in(path, rule.home) ||
                           std::find(rule.peers.begin(), rule.peers.end(), path.substr(0, path.rfind('/'))) !=
                               rule.peers.end();
      if (!at_home && std::regex_match(include, std::regex(std::string(rule.include_pattern)))) {
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

TEST(LayeringTest, NoUnknownTopFolderExists) {
  for (const fs::directory_entry& entry : fs::directory_iterator(CAIRN_SOURCE_DIR)) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(may_stand_at_the_top(entry.path().filename().string())) << entry.path();
  }
}

// The rest plants breaches, to show that the checks above would see them.

TEST(LayeringTest, IncludesToTheLeftAndOfTheSameFolderPass) {
  EXPECT_THAT(breaches_in("api/events/feed.cc",
                          "#include \"api/events/feed.h\"\n"
                          "#include \"api/http/router.h\"\n"
                          "#include \"projections/runner/runner.h\"\n"
                          "#include \"eventstore/base/result.h\"\n"
                          "#include <vector>\n"),
              IsEmpty());
  EXPECT_THAT(breaches_in("eventstore/base/uuid.cc", "#include \"eventstore/base/uuid.h\"\n"), IsEmpty());
}

// A file of a layer, in the room furthest to the right.
std::string file_in(std::string_view layer) {
  for (const RoomOrder& order : room_orders()) {
    if (order.folder != layer) continue;
    const std::string_view room = order.ranks.back().front();
    return std::string(layer) + (room == "." ? "" : "/" + std::string(room)) + "/a.h";
  }
  return std::string(layer) + "/a.h";
}

TEST(LayeringTest, AnIncludeFromTheRightIsABreachForEachPairOfLayers) {
  for (std::size_t left = 0; left < kLayers.size(); ++left) {
    for (std::size_t right = 0; right < kLayers.size(); ++right) {
      const std::string path = file_in(kLayers[left]);
      const std::string text = "#include <string>\n  #  include \"" + file_in(kLayers[right]) + "\"\n";
      EXPECT_EQ(breaches_in(path, text).empty(), right <= left) << path << "\n" << text;
    }
  }
}

TEST(LayeringTest, AnIncludeFromTheRightIsABreachForEachPairOfSubfolders) {
  for (const RoomOrder& order : room_orders()) {
    struct Placed {
      std::string file;
      std::size_t rank;
    };
    std::vector<Placed> placed;
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
      for (const std::string_view room : order.ranks[rank]) {
        const std::string folder(order.folder);
        placed.push_back({room == "." ? folder + "/a.h" : folder + "/" + std::string(room) + "/a.h", rank});
      }
    }
    for (const Placed& includer : placed) {
      for (const Placed& included : placed) {
        const bool may = includer.file == included.file || included.rank < includer.rank;
        EXPECT_EQ(breaches_in(includer.file, "#include \"" + included.file + "\"\n").empty(), may)
            << includer.file << " includes " << included.file;
      }
    }
  }
}

TEST(LayeringTest, AFileInAnUnknownSubfolderIsABreach) {
  EXPECT_THAT(breaches_in("eventstore/attic/a.cc", "#include <vector>\n"),
              ElementsAre(HasSubstr("does not name eventstore/attic")));
  EXPECT_THAT(breaches_in("eventstore/store/a.cc", "#include \"eventstore/attic/b.h\"\n"),
              ElementsAre(HasSubstr("does not name eventstore/attic")));
}

TEST(LayeringTest, ALibraryOutsideItsFolderIsABreach) {
  struct Planted {
    std::string home_file, other_file, include;
  };
  const Planted planted[] = {
      {"eventstore/lmdb/lmdb_env.cc", "eventstore/log/log.cc", "<lmdb.h>"},
      {"eventstore/lmdb/lmdb_env.cc", "projections/readmodel/rows.cc", "<lmdb.h>"},
      {"eventstore/format/block.cc", "api/server/routes.cc", "<capnp/message.h>"},
      {"eventstore/format/block.cc", "tools/main.cc", "<kj/array.h>"},
      {"schemaregistry/datafile/file.cc", "projections/readmodel/rows.cc", "<avro/ValidSchema.hh>"},
      {"tools/bench/compare/avro_peer.cc", "tools/cli/commands/export.cc", "<avro/ValidSchema.hh>"},
      {"upcasters/lua/host.cc", "projections/readmodel/rows.cc", "<lua.hpp>"},
      {"upcasters/values/reader.cc", "upcasters/deploy/deployer.cc", "<lua.hpp>"},
      {"projections/script/fold.cc", "projections/runner/rows.cc", "<lua5.4/lauxlib.h>"},
      {"api/client/client.cc", "tools/cli/server/client.cc", "<httplib.h>"},
      {"api/client/client.cc", "api/net/connection.cc", "<httplib.h>"},
      {"api/net/server.cc", "eventstore/log/writer.cc", "<boost/asio.hpp>"},
      {"projections/task_pool.cc", "projections/runner/runner.cc", "<boost/asio/post.hpp>"},
      {"tools/bench/http_load.cc", "tools/cli/server/peer.cc", "<sys/socket.h>"},
      {"api/metrics/metrics.cc", "api/server/routes.cc", "<prometheus/registry.h>"},
      {"tools/cli/cli.cc", "api/server/routes.cc", "<CLI/CLI.hpp>"},
      {"eventstore/postgres/log.cc", "projections/sinks/sink.cc", "<libpq-fe.h>"},
      {"tools/bench/compare/postgres.cc", "tools/cli/commands/export.cc", "<postgresql/libpq-fe.h>"},
      {"projections/sql/mirror.cc", "eventstore/log/sqlite.cc", "<sqlite3.h>"},
  };
  for (const auto& [home_file, other_file, include] : planted) {
    const std::string text = "#include " + include + "\n";
    EXPECT_THAT(breaches_in(home_file, text), IsEmpty());
    EXPECT_THAT(breaches_in(other_file, text), ElementsAre(HasSubstr("only"))) << other_file << " " << text;
  }
}

TEST(LayeringTest, ARelativeIncludeIsABreach) {
  EXPECT_THAT(breaches_in("eventstore/log/a.cc", "#include \"../api/b.h\"\n"),
              ElementsAre(HasSubstr("root")));
}

TEST(LayeringTest, CodeThatIncludesTestsIsABreach) {
  EXPECT_THAT(breaches_in("api/http/a.cc", "#include \"tests/support/b.h\"\n"),
              ElementsAre(HasSubstr("tests")));
}

TEST(LayeringTest, TestsIncludeWhatTheyNeed) {
  EXPECT_THAT(breaches_in("tests/api/a_test.cc", "#include <lmdb.h>\n#include \"tools/b.h\"\n"), IsEmpty());
}

TEST(LayeringTest, IncludesInCommentsDoNotCount) {
  EXPECT_THAT(breaches_in("eventstore/log/a.cc", "// Not: #include <httplib.h>\n// #include \"api/b.h\"\n"),
              IsEmpty());
}

TEST(LayeringTest, UnknownTopFoldersAreRefused) {
  EXPECT_FALSE(may_stand_at_the_top("vendor"));
  EXPECT_FALSE(may_stand_at_the_top("src"));
  EXPECT_TRUE(may_stand_at_the_top("eventstore"));
  EXPECT_TRUE(may_stand_at_the_top(".ci"));
}

}  // namespace
