// `cairn export`, and `cairn import` of the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "eventstore/base/file.h"
#include "schemaregistry/datafile/avro_file_writer.h"
#include "schemaregistry/model/parse_schema.h"
#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"
#include "tests/support/debian_python.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/running_server.h"
#include "tools/cli/avro/event_shaper.h"
#include "tools/cli/schema/registry_client.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The orders of a server, without what depends on when and where they were stored.
std::vector<json> orders_of(const std::string& url) {
  std::vector<json> events;
  std::istringstream lines(run_cairn({"read", "--all", "--type", "Order", "--json", "--url", url}).output);
  for (std::string line; std::getline(lines, line);) {
    json event = json::parse(line);
    for (const char* field : {"position", "recordedAt", "schemaId"}) event.erase(field);
    events.push_back(std::move(event));
  }
  return events;
}

class ExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_avro_files()) GTEST_SKIP() << "this build has no Avro C++; `./run deps` fetches it";
  }

  // An export with a scripted server.
  Finished export_from(const ScriptedServer& server, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"export", "--type", "Order", "--out", file_, "--url", server.url()};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }

  // An export asks for events over another connection.
  static ScriptedServer::Reply version(int version, const std::string& schema,
                                       ScriptedServer::Then then = ScriptedServer::Then::kClose) {
    const json body = {{"subject", "Order"}, {"version", version}, {"id", 1}, {"schema", schema}};
    ScriptedServer::Reply reply = ScriptedServer::answer(200, body.dump());
    reply.then = then;
    return reply;
  }

  static std::string event(int position, const std::string& data, int schema_version = 0) {
    return R"({"position":)" + std::to_string(position) + R"(,"stream":"order-1","version":)" +
           std::to_string(position) + R"(,"id":"01914c7e-0000-7000-8000-00000000000)" +
           std::to_string(position) + R"(","type":"Order","schemaId":null,"schemaVersion":)" +
           (schema_version == 0 ? "null" : std::to_string(schema_version)) + R"(,"part":null,"data":)" +
           data + R"(,"metadata":null,"tags":[],"recordedAt":"2026-11-16T20:55:35.123456Z"})" + "\n";
  }

  TempFolder folder_;
  std::string file_ = (folder_ / "orders.avro").string();
};

constexpr char kRichOrder[] = R"({"type":"record","name":"Order","namespace":"shop","fields":[
    {"name":"id","type":"string"},
    {"name":"total","type":["null","long","string"],"default":null},
    {"name":"weights","type":{"type":"array","items":"double"}},
    {"name":"blob","type":"bytes"},
    {"name":"attributes","type":{"type":"map","values":["null","string"]}}]})";

class ExportRoundTripTest : public ExportTest {
 protected:
  void SetUp() override {
    ExportTest::SetUp();
    if (IsSkipped()) return;
    schemas_.put("Order.avsc", kRichOrder);
    schemas_.put("Other.avsc", record("Other", kId));
    std::string lines;
    for (int n = 1; n <= 2'500; ++n) {
      json data = {{"id", "ö" + std::to_string(n)},
                   {"weights", json::array({n / 8.0, 1e300})},
                   {"blob", std::string("\0\x7f", 2) + "\u00ff"},
                   {"attributes", {{"a", nullptr}, {"b", "c"}}}};
      data["total"] = n % 3 == 0 ? json() : n % 3 == 1 ? json(9'007'199'254'740'993 + n) : json("many");
      json line = {{"stream", "order-" + std::to_string(n % 7)}, {"type", "Order"}, {"data", data}};
      if (n % 2 == 0) line["metadata"] = {{"by", n}};
      if (n % 5 == 0) line["tags"] = {"x", "y:" + std::to_string(n)};
      lines += line.dump() + "\n";
    }
    lines += R"({"stream":"order-1","type":"Other","data":{"id":"not exported"}})"
             "\n";
    ASSERT_THAT(write_file(folder_ / "in.ndjson", lines), succeeds());
    ASSERT_EQ(cairn(from_, {"schema", "register", "--dir", schemas_.path()}).exit_code, 0);
    const Finished imported = cairn(from_, {"import", (folder_ / "in.ndjson").string()});
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  }

  static Finished cairn(const RunningServer& server, std::vector<std::string> words) {
    words.insert(words.end(), {"--url", server.url()});
    return run_cairn(words);
  }

  SchemaFiles schemas_;
  RunningServer from_;
  RunningServer to_;
};

TEST_F(ExportRoundTripTest, ExportedEventsAreImported) {
  const Finished out = cairn(from_, {"export", "--type", "Order", "--out", file_});
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_EQ(out.output, "2,500 events of Order exported with version 1 of its schema\n");
  EXPECT_THAT(out.errors, IsEmpty());
  ASSERT_EQ(cairn(to_, {"schema", "register", "--dir", schemas_.path()}).exit_code, 0);
  const Finished in = cairn(to_, {"import", file_, "--keep-order"});
  ASSERT_EQ(in.exit_code, 0) << in.errors;
  EXPECT_EQ(in.output, "2,500 events imported\n");

  const auto expected = orders_of(from_.url());
  EXPECT_EQ(expected.size(), 2'500u);
  EXPECT_EQ(orders_of(to_.url()), expected);

  const Finished again = cairn(to_, {"import", file_});
  EXPECT_EQ(again.output, "0 events imported, 2,500 were there already\n") << again.errors;
}

TEST_F(ExportRoundTripTest, OtherAvroToolsReadTheFile) {
  if (!debian_python_has("avro.datafile")) {
    GTEST_SKIP() << "python3-avro is not installed, so nobody else can be asked to read the file";
  }
  const Finished out =
      cairn(from_, {"export", "--type", "Order", "--out", file_, "--category", "order", "--json"});
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_EQ(json::parse(out.output),
            json({{"file", file_}, {"events", 2'500}, {"skipped", 0}, {"schemaVersion", 1}}));
  const std::filesystem::path script = folder_ / "read.py";
  ASSERT_THAT(write_file(script, R"(
import json, sys, avro.datafile, avro.io
reader = avro.datafile.DataFileReader(open(sys.argv[1], 'rb'), avro.io.DatumReader())
for record in reader:
    print(json.dumps({'stream': record['stream'], 'version': record['version'], 'id': record['id'],
        'type': record['type'], 'metadata': json.loads(record['metadata'] or '{}'), 'tags': record['tags'],
        'data': dict(record['data'], blob=record['data']['blob'].decode('latin-1'))}))
)"),
              succeeds());
  const std::string read = (folder_ / "read.ndjson").string();
  ASSERT_EQ(
      std::system((std::string(kDebianPython) + " " + script.string() + " " + file_ + " > " + read).c_str()),
      0);
  std::istringstream lines(*read_file(read));
  std::size_t count = 0;
  const auto expected = orders_of(from_.url());
  for (std::string line; std::getline(lines, line); ++count) {
    const json record = json::parse(line);
    for (const auto& [name, value] : record.items()) {
      ASSERT_EQ(value, expected[count][name]) << name << " of record " << count;
    }
  }
  EXPECT_EQ(count, 2'500u);
}

TEST_F(ExportTest, EventsOfAllVersionsGoIntoOneFile) {
  const SchemaFiles schemas;
  const RunningServer from;
  const RunningServer to;  // has no schemas and accepts all events
  const auto cairn = [](const RunningServer& server, std::vector<std::string> words) {
    words.insert(words.end(), {"--url", server.url()});
    const Finished done = run_cairn(words);
    EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
    return done;
  };
  const auto put = [&](const std::string& schema, const std::string& data) {
    schemas.put("Order.avsc", schema);
    cairn(from, {"schema", "register", "--dir", schemas.path()});
    cairn(from, {"append", "order-1", "--type", "Order", "--data", data});
  };
  put(order_1(), R"({"id":"a"})");
  put(order_2(), R"({"id":"b","total":7})");

  cairn(from, {"export", "--type", "Order", "--out", file_});
  cairn(to, {"import", file_});
  auto orders = orders_of(to.url());
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(orders[0]["data"], json::parse(R"({"id":"a","total":0})"));
  EXPECT_EQ(orders[1]["data"], json::parse(R"({"id":"b","total":7})"));

  const RunningServer older;
  cairn(from, {"export", "--type", "Order", "--out", file_, "--schema-version", "1"});
  cairn(older, {"import", file_});
  orders = orders_of(older.url());
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_EQ(orders[1]["data"], json::parse(R"({"id":"b"})"));
  EXPECT_EQ(orders[1]["id"], orders_of(from.url())[1]["id"]);
}

TEST_F(ExportTest, OtherVersionsAreConvertedToTheChosenOne) {
  const ScriptedServer server(
      {version(2,
               record("Order", R"({"name":"key","type":"string","aliases":["id"]},)"
                               R"({"name":"total","type":"double","default":1})"),
               ScriptedServer::Then::kKeep),
       version(1, record("Order", R"({"name":"gone","type":"int"},{"name":"id","type":"string"})"))});
  auto client = *api::Client::make({.url = server.url()});
  cli::RegistryClient registry(client);
  auto shaper = *cli::EventShaper::make(registry, "Order", "latest");
  EXPECT_EQ(shaper.version(), 2);

  const std::string one("\0\0\0\0\0\0\xf0\x3f", 8);  // 1.0
  std::string avro;
  const auto append = [&](const std::string& data, int schema_version) {
    avro.clear();
    cli::ExportedEvent event;
    event.schema_version = schema_version;
    event.data = data;
    return shaper.append(event, avro)->value_or("");
  };
  EXPECT_EQ(append(R"({"gone":3,"id":"a"})", 1), "");
  EXPECT_EQ(avro,
            "\x02"
            "a" +
                one);
  EXPECT_EQ(append(R"({"key":"b","total":1.0})", 2), "");
  EXPECT_EQ(avro,
            "\x02"
            "b" +
                one);
  EXPECT_EQ(append(R"({"id":"c","gone":3})", 1), "");
  EXPECT_THAT(append(R"({"id":"c","gone":3})", 2), HasSubstr("/id: expected no such field"));
  EXPECT_THAT(avro, IsEmpty());
  EXPECT_EQ(server.requests().size(), 2u);  // each version is asked for once
}

TEST_F(ExportTest, AnEventThatDoesNotMatchIsReported) {
  const ScriptedServer server(
      {version(1, order_2_without_default()),
       ScriptedServer::pieces({event(1, R"({"id":"a","total":1})") + event(2, R"({"id":"b"})")}, true)});
  const Finished no = export_from(server);
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors,
              AllOf(HasSubstr("the event at position 2 (version 2 of order-1) does not match version 1"),
                    HasSubstr("/total"), HasSubstr("--skip-unfit")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ExportTest, EventsThatDoNotMatchCanBeSkipped) {
  const ScriptedServer server(
      {version(1, order_2_without_default()),
       ScriptedServer::pieces(
           {event(1, R"({"id":"a","total":1})") + event(2, R"({"id":"b"})") + event(3, "7")}, true)});
  const Finished out = export_from(server, {"--skip-unfit"});
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.output, HasSubstr("1 event of Order exported"));
  EXPECT_THAT(out.errors, HasSubstr("2 events were left out; the first: the event at position 2"));
}

TEST_F(ExportTest, FailuresOfAnExportAreReported) {
  const std::string none = R"({"error_code":40401,"message":"Subject 'Order' not found."})";
  const ScriptedServer server({ScriptedServer::answer(404, none)});
  const Finished unknown = export_from(server);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("no schema is registered for the type 'Order'"));
  EXPECT_EQ(run_cairn({"export", "--type", "Order", "--out", file_, "--url", "http://127.0.0.1:1"}).exit_code,
            3);
  EXPECT_EQ(run_cairn({"export", "--type", "Order"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"export", "--type", "Order", "--out", file_, "--schema-version", "x"}).exit_code, 2);

  const ScriptedServer other({version(1, order_1())});
  const Finished nowhere =
      run_cairn({"export", "--type", "Order", "--out", "/nowhere/x.avro", "--url", other.url()});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.errors, HasSubstr("/nowhere/x.avro"));
}

TEST_F(ExportTest, ALostConnectionLeavesNoFile) {
  const ScriptedServer server(
      {version(1, order_1()),
       ScriptedServer::pieces({event(1, R"({"id":"a"})")}, false, ScriptedServer::Then::kClose)});
  EXPECT_EQ(export_from(server).exit_code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ExportTest, OnlyFilesOfEventsAreImported) {
  const Schema schema =
      *parse_schema(R"({"type":"record","name":"R","fields":[{"name":"a","type":"long"}]})");
  auto writer = *AvroFileWriter::create(file_, schema);
  ASSERT_THAT(writer.write("\x02"), succeeds());
  ASSERT_THAT(writer.finish(), succeeds());
  const Finished other = run_cairn({"import", file_, "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.errors,
              AllOf(HasSubstr("record 1: the records have no \"stream\""), HasSubstr("cairn export")));
  ASSERT_THAT(write_file(file_, "hello"), succeeds());
  EXPECT_THAT(run_cairn({"import", file_, "--url", "http://127.0.0.1:1"}).errors,
              HasSubstr("is not an .avro file"));
}

}  // namespace
}  // namespace cairn::test
