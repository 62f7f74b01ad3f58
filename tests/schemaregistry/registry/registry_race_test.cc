// Several registries on one store, as in several servers: an id or version is given once.

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "tests/schemaregistry/registry/registry_fixture.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

constexpr int kRegistries = 2;
constexpr int kThreadsEach = 3;

class RegistryRaceTest : public RegistryTest {
 protected:
  void SetUp() override {
    for (int i = 0; i < kRegistries; ++i) {
      auto opened = SchemaRegistry::open(store());
      ASSERT_THAT(opened, succeeds());
      registries_.push_back(*std::move(opened));
    }
  }

  // Runs `work(registry, thread)` on all threads of all registries at once.
  template <typename Work>
  void at_once(Work work) {
    std::atomic<int> waiting{kRegistries * kThreadsEach};
    std::vector<std::thread> threads;
    for (int t = 0; t < kRegistries * kThreadsEach; ++t) {
      threads.emplace_back([&, t] {
        --waiting;
        while (waiting > 0) std::this_thread::yield();
        work(*registries_[t % kRegistries], t);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // The content of the stream: the ids of each text, and how often each version of a subject was given.
  void expect_linear() {
    std::map<std::string, std::set<std::uint32_t>> ids;
    std::map<std::uint32_t, std::set<std::string>> texts;
    std::map<std::string, std::vector<std::uint32_t>> numbers;
    for (const Event& stored : events_in("$schemas")) {
      const auto event = read_registry_event(stored.type, stored.data);
      ASSERT_THAT(event, succeeds());
      if (const auto* registered = std::get_if<SchemaRegistered>(&*event)) {
        ids[registered->text].insert(registered->id.value);
        texts[registered->id.value].insert(registered->text);
        numbers[registered->subject].push_back(registered->version);
      }
    }
    for (const auto& [text, all] : ids) EXPECT_EQ(all.size(), 1u) << text;
    for (const auto& [id, all] : texts) EXPECT_EQ(all.size(), 1u) << id;
    for (const auto& [subject, all] : numbers) {
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i + 1) << subject;
    }
  }

  std::vector<std::unique_ptr<SchemaRegistry>> registries_;
};

std::string enum_of(int n) {
  return R"({"type":"enum","name":"E)" + std::to_string(n) + R"(","symbols":["A"]})";
}

TEST_F(RegistryRaceTest, TheSameSchemasInDifferentOrderGetOneIdEach) {
  constexpr int kSchemas = 20;
  std::vector<std::vector<std::uint32_t>> seen(kRegistries * kThreadsEach,
                                               std::vector<std::uint32_t>(kSchemas));
  at_once([&](SchemaRegistry& registry, int thread) {
    for (int i = 0; i < kSchemas; ++i) {
      const int n = (i + thread * 7) % kSchemas;
      const auto id = registry.register_schema({"Subject-" + std::to_string(thread % 4),
                                                {enum_of(n), {}},
                                                Normalize::kNo,
                                                CheckCompatibility::kNo});
      ASSERT_THAT(id, is_taken());
      seen[thread][n] = id->value;
    }
  });
  for (const auto& ids : seen) EXPECT_EQ(ids, seen[0]);
  EXPECT_EQ(std::set(seen[0].begin(), seen[0].end()).size(), static_cast<std::size_t>(kSchemas));
  expect_linear();
}

TEST_F(RegistryRaceTest, VersionsOfOneSubjectAreGivenOnce) {
  constexpr int kEach = 15;
  at_once([&](SchemaRegistry& registry, int thread) {
    for (int i = 0; i < kEach; ++i) {
      const auto id = registry.register_schema(
          {"Subject", {enum_of(thread * kEach + i), {}}, Normalize::kNo, CheckCompatibility::kNo});
      ASSERT_THAT(id, is_taken());
      // What one registry answered, another must find.
      for (const auto& other : registries_) ASSERT_NE(other->by_id(*id), nullptr);
    }
  });
  expect_linear();
  EXPECT_EQ(versions("Subject").size(), static_cast<std::size_t>(kRegistries * kThreadsEach * kEach));
  for (const auto& other : registries_) {
    const auto count = other->read([](const RegistryState& state) -> RegistryResult<std::size_t> {
      return state.find_subject("Subject")->size();
    });
    EXPECT_EQ(*count, static_cast<std::size_t>(kRegistries * kThreadsEach * kEach));
  }
}

TEST_F(RegistryRaceTest, OneOfTwoIncompatibleSchemasWins) {
  for (int round = 0; round < 10; ++round) {
    const std::string subject = "S" + std::to_string(round);
    std::atomic<int> taken{0};
    std::atomic<int> refused{0};
    at_once([&](SchemaRegistry& registry, int thread) {
      const auto id = registry.register_schema({subject, {enum_of(thread), {}}});
      ++(id.ok() ? taken : refused);
      if (!id.ok()) {
        EXPECT_THAT(id, is_refused(409));
      }
    });
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(refused, kRegistries * kThreadsEach - 1);
  }
}

// Deletes, settings and lookups beside registrations; mostly for the thread sanitizer. At the end a new
// registry has the same state as the others.
TEST_F(RegistryRaceTest, ConcurrentCommandsOfAllKinds) {
  at_once([&](SchemaRegistry& registry, int thread) {
    for (int i = 0; i < 15; ++i) {
      const std::string subject = "S" + std::to_string((thread + i) % 3);
      (void)registry.register_schema({subject, {enum_of(i), {}}, Normalize::kNo, CheckCompatibility::kNo});
      (void)registry.latest(subject);
      (void)registry.version_of(subject, SchemaId{1});
      if (i % 4 == 1) (void)registry.delete_version(subject, std::nullopt, Permanent::kNo);
      if (i % 4 == 2) (void)registry.delete_subject(subject, Permanent::kNo);
      if (i % 4 == 3) (void)registry.delete_subject(subject, Permanent::kYes);
      if (i % 5 == 0) (void)registry.set_config(subject, {CompatibilityLevel::kFull, {}});
    }
  });
  const auto all = [](SchemaRegistry& registry) {
    std::string text;
    const auto found =
        registry.read([](const RegistryState& state) -> RegistryResult<std::vector<FoundVersion>> {
          return list_schemas(state, "", Deleted::kIncluded, LatestOnly::kNo);
        });
    for (const FoundVersion& one : *found) {
      text += one.subject + " " + std::to_string(one.version) + " " + std::to_string(one.schema->id.value) +
              (one.deleted ? " deleted\n" : "\n");
    }
    return text;
  };
  for (const auto& registry : registries_) EXPECT_EQ(all(*registry), all(RegistryRaceTest::registry()));
}

// A question may parse and compare for long: meanwhile events are applied, and lookups answered.
TEST_F(RegistryTest, NobodyWaitsForAQuestionThatTakesLong) {
  registered("Order", order());
  std::promise<void> asked;
  std::promise<void> released;
  std::thread slow([&] {
    const auto count = registry().read([&](const RegistryState& state) -> RegistryResult<std::size_t> {
      asked.set_value();
      released.get_future().wait();
      return state.find_subject("Order")->size();
    });
    EXPECT_THAT(count, answers(1u)) << "it sees the state as it was";
  });
  asked.get_future().wait();
  auto work = std::async(std::launch::async, [&] {
    registered("Order", order({"more"}));
    EXPECT_NE(registry().latest("Payment"), registry().latest("Order"));
    return versions("Order");
  });
  // Only a failure waits for the time.
  const bool in_time = work.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  released.set_value();
  slow.join();
  EXPECT_TRUE(in_time) << "a registration and its lookups wait for a question";
  EXPECT_EQ(work.get(), (Numbers{1, 2}));
  EXPECT_EQ(versions("Order"), (Numbers{1, 2}));
}

TEST_F(RegistryRaceTest, QuestionsSeeOneStateWhileOthersRegister) {
  std::atomic<bool> done = false;
  std::thread asking([&] {
    while (!done) {
      const auto seen = registries_[0]->read([](const RegistryState& state) -> RegistryResult<bool> {
        const std::uint64_t before = state.event_count();
        std::size_t versions = 0;
        for (const auto& [subject, all] : state.subjects()) versions += all.size();
        return before == versions && state.event_count() == before;
      });
      EXPECT_THAT(seen, answers(true));
    }
  });
  at_once([](SchemaRegistry& registry, int thread) {
    for (int i = 0; i < 20; ++i) {
      const std::string subject = "s-" + std::to_string(thread) + "-" + std::to_string(i);
      EXPECT_THAT(
          registry.register_schema({.subject = subject, .schema = {order({subject.substr(0, 1)}), {}}}),
          is_taken());
    }
  });
  done = true;
  asking.join();
}

}  // namespace
}  // namespace cairn::test
