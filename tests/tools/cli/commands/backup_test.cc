// `cairn backup` during appends to a server, and `cairn restore` of the copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "api/client/client.h"
#include "eventstore/event_store.h"
#include "tests/support/cairn_process.h"
#include "tests/support/events.h"
#include "tests/support/log_blocks.h"
#include "tests/support/matchers.h"
#include "tests/support/numbered_events.h"
#include "tests/support/scale.h"
#include "tests/support/small_disk.h"
#include "tests/support/small_store.h"
#include "tests/support/store_digest.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Appends events to one stream over HTTP until stop().
class HttpWriter {
 public:
  HttpWriter(const std::string& url, int number) : thread_([this, url, number] { run(url, number); }) {}
  ~HttpWriter() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::uint64_t acknowledged() const { return acknowledged_; }  // the last position

 private:
  void run(const std::string& url, int number) {
    auto client = api::Client::make({.url = url});
    ASSERT_THAT(client, succeeds());
    const std::string path = "/streams/writer-" + std::to_string(number) + "/events";
    for (int n = 0; !stopping_; ++n) {
      json events = json::array();
      for (int i = 0; i <= n % 3; ++i)
        events.push_back({{"type", "T"}, {"data", {{"text", std::string(200, 'x')}}}});
      const auto answer = client->post_json(path, json{{"events", events}}.dump());
      ASSERT_THAT(answer, succeeds());
      ASSERT_EQ(answer->status, 201) << answer->body;
      acknowledged_ = json::parse(answer->body)["lastPosition"].get<std::uint64_t>();
    }
  }

  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> acknowledged_ = 0;
  std::thread thread_;
};

class BackupTest : public ::testing::Test {
 protected:
  // A server on `data`.
  void serve(const fs::path& data) {
    server_ = std::make_unique<CairnProcess>(std::vector<std::string>{
        "serve", "--data", data.string(), "--schemas", "optional", "--listen", "127.0.0.1:0"});
    const std::string line = server_->first_line();
    const std::size_t at = line.find(" on http");
    ASSERT_NE(at, std::string::npos) << server_->finish(std::chrono::milliseconds(0)).errors;
    url_ = line.substr(at + 4);
  }
  void end_server() {
    server_->signal(SIGTERM);
    EXPECT_EQ(server_->finish().exit_code, 0);
  }

  // A closed store of `blocks` blocks.
  void make_store(int blocks, std::size_t events, std::size_t bytes) {
    StoreOptions options = small_store();
    options.log_map_bytes = 256u << 20;
    const auto store = EventStore::open(data(), options);
    ASSERT_THAT(store, succeeds());
    std::uint64_t n = 0;
    for (int block = 0; block < blocks; ++block) {
      std::vector<NewEvent> made;
      for (std::size_t i = 0; i < events; ++i) made.push_back(numbered_event(++n, bytes));
      ASSERT_THAT((*store)->append(request(
                      {to("cart-" + std::to_string(block % 9), ExpectedVersion::any(), std::move(made))})),
                  succeeds());
    }
  }

  std::vector<std::string> backup_words(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"backup", "--data", data().string(), "--out", out().string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Finished backup(std::vector<std::string> more = {}) const {
    return run_cairn(backup_words(std::move(more)));
  }
  // Waits until a backup is being written, or is there.
  bool begins() const {
    const auto end = std::chrono::steady_clock::now() + CairnProcess::kPatience;
    while (!fs::exists(partial()) && !fs::exists(out())) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  Finished restore(const fs::path& to, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"restore", "--from", out().string(), "--data", to.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }
  Finished append(std::vector<std::string> more) const {
    std::vector<std::string> words = {"append", "order-1", "--type", "T", "--url", url_, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_cairn(words);
  }

  static std::uint64_t digest(const fs::path& folder) {
    const auto store = EventStore::open(folder, small_store());
    EXPECT_THAT(store, succeeds());
    if (!store.ok()) return 0;
    const auto digest = digest_of(**store);
    EXPECT_THAT(digest, succeeds());
    return digest.ok() ? *digest : 0;
  }

  fs::path data() const { return folder_ / "data"; }
  fs::path out() const { return folder_ / "backup"; }
  fs::path partial() const { return folder_ / "backup.partial"; }

  TempFolder folder_;
  std::string url_;
  std::unique_ptr<CairnProcess> server_;
};

TEST_F(BackupTest, WithFourWritersItHasAllEventsAcknowledgedBeforeItBegan) {
  serve(data());
  std::vector<std::unique_ptr<HttpWriter>> writers;
  for (int i = 0; i < 4; ++i) writers.push_back(std::make_unique<HttpWriter>(url_, i));
  for (std::size_t round = 0; round < rounds(3, 30); ++round) {
    fs::remove_all(out());
    std::uint64_t before = 0;
    for (const auto& writer : writers) before = std::max(before, writer->acknowledged());
    const Finished done = backup({"--json"});
    ASSERT_EQ(done.exit_code, 0) << done.output << done.errors;
    const json report = json::parse(done.output);
    EXPECT_GE(report["head"], before);
    EXPECT_EQ(report["events"], report["head"]);
    EXPECT_EQ(report["verified"], true);
    EXPECT_FALSE(fs::exists(partial()));
    const Finished verified = run_cairn({"verify", "--data", out().string(), "--json"});
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
    EXPECT_EQ(json::parse(verified.output)["headHash"], report["headHash"]);
  }
  for (const auto& writer : writers) writer->stop();
  EXPECT_GT(writers[0]->acknowledged(), 0u);
  end_server();
  const auto all = blocks_in(data());
  const auto copied = blocks_in(out());
  ASSERT_THAT(all, succeeds());
  ASSERT_THAT(copied, succeeds());
  ASSERT_LE(copied->size(), all->size());
  EXPECT_TRUE(std::equal(copied->begin(), copied->end(), all->begin())) << "it is not how the log began";
}

TEST_F(BackupTest, ARestoredStoreCanBeServedAndAppendedTo) {
  const std::string first = "018f3c9e-7f4a-7c30-9a1b-000000000001";
  const std::string second = "018f3c9e-7f4a-7c30-9a1b-000000000002";
  serve(data());
  ASSERT_EQ(append({"--data", "{}", "--id", first}).exit_code, 0);
  ASSERT_EQ(append({"--data", "{}", "--id", second, "--expect", "1"}).exit_code, 0);
  const Finished done = backup();
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("2 events backed up to " + out().string() + " through position 2: "));
  EXPECT_THAT(done.output, AllOf(HasSubstr(", verified\n"), ContainsRegex("head hash [0-9a-f]{64}")));
  EXPECT_THAT(done.errors, IsEmpty()) << "no bar where nobody watches";
  ASSERT_EQ(append({"--data", R"({"lost":true})"}).exit_code, 0);
  end_server();

  const fs::path restored = folder_ / "restored";
  const Finished back = restore(restored);
  ASSERT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_THAT(back.output, HasSubstr("2 events restored to " + restored.string() + " through position 2: "));
  serve(restored);
  EXPECT_EQ(append({"--data", "{}", "--expect", "3"}).exit_code, 1)
      << "what came after the backup is not there";
  const Finished repeated = append({"--data", "{}", "--id", first});
  EXPECT_EQ(json::parse(repeated.output)["alreadyApplied"], true) << repeated.output << repeated.errors;
  const Finished again = append({"--data", "{}", "--id", second, "--expect", "1"});
  EXPECT_EQ(json::parse(again.output)["alreadyApplied"], true) << again.output << again.errors;
  const Finished next = append({"--data", "{}", "--expect", "2"});
  ASSERT_EQ(next.exit_code, 0) << next.errors;
  EXPECT_EQ(json::parse(next.output)["lastPosition"], 3);
  end_server();
}

TEST_F(BackupTest, WithoutAServerTheCopyAnswersTheSame) {
  make_store(40, 3, 500);
  const Finished done = backup({"--no-verify"});
  ASSERT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr(", not verified\n"));
  ASSERT_EQ(restore(folder_ / "restored").exit_code, 0);
  const std::uint64_t right = digest(data());
  EXPECT_EQ(digest(out()), right);
  EXPECT_EQ(digest(folder_ / "restored"), right);
}

// Killed whenever: there is no backup by that name, and the next one gets it.
TEST_F(BackupTest, KilledItLeavesNoBackup) {
  make_store(300, 40, 1'000);
  std::size_t killed = 0;
  for (int round = 0; round < 20 && killed < 3; ++round) {
    fs::remove_all(out());
    CairnProcess process(backup_words());
    ASSERT_TRUE(begins());
    process.signal(SIGKILL);
    const Finished ended = process.finish();
    if (ended.exit_code == 0) continue;  // it was quicker
    ++killed;
    EXPECT_FALSE(fs::exists(out()));
  }
  EXPECT_GT(killed, 0u);
  const Finished done = backup();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_FALSE(fs::exists(partial()));
  EXPECT_EQ(run_cairn({"verify", "--data", out().string()}).exit_code, 0);
}

TEST_F(BackupTest, InterruptedItCleansUp) {
  make_store(300, 40, 1'000);
  std::size_t interrupted = 0;
  for (int round = 0; round < 20 && interrupted < 2; ++round) {
    fs::remove_all(out());
    CairnProcess process(backup_words());
    ASSERT_TRUE(begins());
    process.signal(round % 2 == 0 ? SIGTERM : SIGINT);
    const Finished ended = process.finish();
    EXPECT_FALSE(fs::exists(partial()));
    EXPECT_EQ(fs::exists(out()), ended.exit_code == 0);
    if (ended.exit_code == 0) continue;  // it was quicker
    ++interrupted;
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.errors, "cairn: interrupted; nothing was backed up\n");
  }
  EXPECT_GT(interrupted, 0u);
}

TEST_F(BackupTest, AFullDiskIsReportedAndNothingIsLeft) {
  make_store(300, 40, 1'000);
  const SmallDisk disk(SmallDisk::Kind::kTmpfs, 8u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  const fs::path full = disk.path() / "backup";
  for (const bool there : {false, true}) {
    if (there) fs::create_directory(full);
    const Finished done = run_cairn({"backup", "--data", data().string(), "--out", full.string()});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.errors, AllOf(HasSubstr("nothing was backed up"), HasSubstr("No space left on device"),
                                   HasSubstr(full.string())));
    EXPECT_TRUE(fs::is_empty(there ? full : disk.path()));
  }
  // A mounted disk itself, which cannot be renamed to.
  const SmallDisk wide(SmallDisk::Kind::kTmpfs, 64u << 20);
  const Finished done = run_cairn({"backup", "--data", data().string(), "--out", wide.path().string()});
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(run_cairn({"verify", "--data", wide.path().string()}).exit_code, 0);
}

TEST_F(BackupTest, DamageIsReportedWithItsPlace) {
  make_store(10, 1, 500);
  const auto damage = [](const fs::path& folder, const std::string& text) {
    std::fstream file(folder / "log/data.mdb", std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    file.clear();
    for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put('#');
    }
    ASSERT_TRUE(file.flush().good());
  };
  ASSERT_EQ(backup().exit_code, 0);
  damage(out(), numbered_data(7, 500).substr(0, 60));
  const Finished no = restore(folder_ / "restored");
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors,
              AllOf(HasSubstr("nothing was restored"), HasSubstr("log block 7"), HasSubstr("--no-verify")));
  EXPECT_FALSE(fs::exists(folder_ / "restored"));
  EXPECT_FALSE(fs::exists(folder_ / "restored.partial"));
  EXPECT_EQ(restore(folder_ / "restored", {"--no-verify"}).exit_code, 1) << "blocks are checked all the same";

  fs::remove_all(out());
  damage(data(), numbered_data(4, 500).substr(0, 60));
  const Finished refused = backup({"--json"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(json::parse(refused.output)["message"].get<std::string>(), HasSubstr("log block 4"));
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_FALSE(fs::exists(partial()));
}

TEST_F(BackupTest, AnExistingFolderIsNotOverwritten) {
  serve(data());
  ASSERT_EQ(append({"--data", "{}"}).exit_code, 0);
  ASSERT_EQ(backup().exit_code, 0);
  const Finished twice = backup();
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.errors, HasSubstr(out().string() + " already contains a Cairn store"));
  const Finished busy = restore(data());
  EXPECT_EQ(busy.exit_code, 2);
  EXPECT_THAT(busy.errors,
              HasSubstr(data().string() + " is in use by process " + std::to_string(server_->pid())));
  ASSERT_EQ(append({"--data", "{}"}).exit_code, 0) << "the server did not notice";
  end_server();
  EXPECT_EQ(restore(data()).exit_code, 2);
  const Finished absent =
      run_cairn({"backup", "--data", (folder_ / "no").string(), "--out", (folder_ / "x").string()});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.errors, HasSubstr("there is no Cairn store in"));
  EXPECT_EQ(run_cairn({"backup", "--data", data().string()}).exit_code, 2) << "--out is missing";
  EXPECT_EQ(run_cairn({"restore"}).exit_code, 2);
}

TEST_F(BackupTest, ATerminalShowsAProgressBar) {
  make_store(10, 1, 500);
  ProcessOptions terminal;
  terminal.errors_width = 80;
  const Finished done = run_cairn(backup_words(), terminal);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.errors, HasSubstr("log  ["));
  EXPECT_THAT(run_cairn({"backup", "--help"}).output, HasSubstr("cairn backup --data /var/lib/cairn --out"));
  EXPECT_THAT(run_cairn({"restore", "--help"}).output, HasSubstr("cairn restore --from /backup/cairn"));
}

}  // namespace
}  // namespace cairn::test
