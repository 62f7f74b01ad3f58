// Random appends, repeats, conflicts, flushes and reopenings, compared with a model at every step.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"
#include "tests/support/store_model.h"

namespace cairn::test {
namespace {

class PropertyTest : public StoreTest {
 protected:
  // One random run: appends, repeats, conflicts, flushes and reopenings.
  void live(std::uint64_t seed, std::size_t steps) {
    Random random(seed);
    options().tail_events_flush = random.pick(std::vector<std::size_t>{20, 300, 100'000});
    options().block_events_max = random.pick(std::vector<std::size_t>{1, 7, 16'384});
    options().dedup_window_days = std::nullopt;
    for (std::size_t step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      switch (random.below(40)) {
        case 0:
          reopen();
          break;
        case 1:
          flush();
          break;
        case 2:
          clock().advance(static_cast<std::int64_t>(random.below(ManualClock::kDay)));
          break;
        case 3:
          flush();
          reopen();
          break;
        default:
          append_something(random);
          break;
      }
      compare_something(random);
      if (HasFailure()) return;
    }
    compare_everything();
    reopen();
    compare_everything();
    expect_sound();
  }

  void append_something(Random& random) {
    AppendRequest sent = made_request(random);
    StoreModel::Answer expected = model_.append(sent, clock().now());
    auto result = submit(sent);
    if (!expected.result) {
      ASSERT_FALSE(result.ok()) << "it should fail with " << to_string(expected.errors[0]);
      ASSERT_THAT(expected.errors, ::testing::Contains(result.error().code)) << result.error().message;
      if (result.error().code == Errc::kVersionConflict && !expected.stream.empty()) {
        EXPECT_EQ(result.error().stream, expected.stream);
        EXPECT_EQ(result.error().version, expected.version);
      }
      return;
    }
    ASSERT_THAT(result, succeeds());
    compare_results(*expected.result, *result);
    if (!result->already_applied) {
      past_.push_back(sent);
      learn_ids(*result);
    }
  }

  static void compare_results(const AppendResult& expected, const AppendResult& found) {
    EXPECT_EQ(found.already_applied, expected.already_applied);
    ASSERT_EQ(found.streams.size(), expected.streams.size());
    for (std::size_t i = 0; i < found.streams.size(); ++i) {
      EXPECT_EQ(found.streams[i].stream, expected.streams[i].stream);
      EXPECT_EQ(found.streams[i].first_position, expected.streams[i].first_position);
      EXPECT_EQ(found.streams[i].last_position, expected.streams[i].last_position);
      EXPECT_EQ(found.streams[i].first_version, expected.streams[i].first_version);
      const bool only_checked = expected.streams[i].first_position.value == 0;
      if (only_checked && found.already_applied) continue;
      EXPECT_EQ(found.streams[i].last_version, expected.streams[i].last_version);
    }
  }

  // Takes over the ids that the store generated.
  void learn_ids(const AppendResult& result) {
    for (const StreamAppendResult& part : result.streams) {
      for (std::uint64_t position = part.first_position.value;
           position != 0 && position <= part.last_position.value; ++position) {
        if (model_.log()[position - 1].id != Uuid{}) continue;
        auto page = value_of(store().read_log({GlobalPosition{position}, Direction::kForward, 1, {}}));
        ASSERT_EQ(page.events.size(), 1u);
        model_.name(position, page.events[0].id);
      }
    }
  }

  AppendRequest made_request(Random& random) {
    if (!past_.empty() && random.one_in(5)) return repeat(random);
    AppendRequest sent;
    std::vector<std::string> names = kNames;
    const std::size_t streams = random.one_in(4) ? random.between(2, 4) : 1;
    for (std::size_t i = 0; i < streams; ++i) {
      std::swap(names[i], names[i + random.below(names.size() - i)]);
      std::vector<NewEvent> events;
      const std::size_t count = random.one_in(10) ? random.between(5, 40) : random.between(i == 0 ? 1 : 0, 3);
      for (std::size_t n = 0; n < count; ++n) events.push_back(made_event(random));
      sent.streams.push_back(to(names[i], made_expectation(random, names[i]), std::move(events)));
    }
    return sent;
  }

  ExpectedVersion made_expectation(Random& random, const std::string& stream) {
    const std::uint64_t current = model_.version(stream);
    switch (random.below(8)) {
      case 0:
        return ExpectedVersion::exists();
      case 1:
        return ExpectedVersion::exactly(random.below(current + 3));
      case 2:
        return ExpectedVersion::no_stream();
      case 3:
      case 4:
        return ExpectedVersion::any();
      default:
        return ExpectedVersion::exactly(current);
    }
  }

  NewEvent made_event(Random& random) {
    NewEvent made = event(random.pick(kTypes));
    if (!random.one_in(3)) made.id = id(++last_id_);
    const std::size_t size = random.one_in(50) ? random.below(20'000) : random.below(60);
    made.data.clear();
    for (std::size_t i = 0; i < size; ++i) made.data += static_cast<char>(random.below(256));
    if (random.one_in(3)) made.metadata = R"({"n":)" + std::to_string(random.below(1000)) + "}";
    for (std::size_t tags = random.below(3); tags > 0; --tags)
      made.tags.push_back("t:" + std::to_string(random.below(9)));
    made.schema = SchemaId{static_cast<std::uint32_t>(random.below(5))};
    return made;
  }

  // An earlier request again: unchanged, with another expected version, or with a change that must be
  // refused.
  AppendRequest repeat(Random& random) {
    AppendRequest sent = random.pick(past_);
    StreamAppend& part = sent.streams[random.below(sent.streams.size())];
    switch (random.below(6)) {
      case 0:
        part.expected = ExpectedVersion::any();
        break;
      case 1:
        part.expected = made_expectation(random, part.stream);
        break;
      case 2:
        if (!part.events.empty()) part.events[random.below(part.events.size())].data += "!";
        break;
      case 3:
        part.events.push_back(made_event(random));
        break;
      default:
        break;
    }
    // A request that mixes known ids with ids to be generated is neither new nor a repeat; no client retries
    // so.
    bool given = false, unnamed = false;
    for (const StreamAppend& stream : sent.streams) {
      for (const NewEvent& event : stream.events) (event.id ? given : unnamed) = true;
    }
    if (given && unnamed) {
      for (StreamAppend& stream : sent.streams) {
        for (NewEvent& event : stream.events) {
          if (!event.id) event.id = id(++last_id_);
        }
      }
    }
    return sent;
  }

  EventFilter made_filter(Random& random) {
    EventFilter filter;
    for (std::size_t n = random.below(3); n > 0; --n) filter.categories.push_back(random.pick(kCategories));
    for (std::size_t n = random.below(3); n > 0; --n) filter.types.push_back(random.pick(kTypes));
    return filter;
  }

  void compare_something(Random& random) {
    const Direction direction = random.one_in(2) ? Direction::kForward : Direction::kBackward;
    const std::size_t limit = random.one_in(3) ? random.between(1, 5) : random.between(6, 200);
    const std::uint64_t head = model_.log().size();
    EXPECT_EQ(store().head().value, head);
    switch (random.below(4)) {
      case 0: {
        // Near the end mostly: whole reads of a long log at each step would take the test's time.
        std::optional<GlobalPosition> from =
            GlobalPosition{random.between(head > 60 ? head - 60 : 1, head + 2)};
        if (direction == Direction::kBackward)
          from = GlobalPosition{random.between(1, std::min<std::uint64_t>(head + 2, 60))};
        if (random.one_in(20)) from.reset();
        EXPECT_EQ(difference_in_log(store(), model_, {from, direction, limit, made_filter(random)}), "");
        break;
      }
      case 1: {
        const std::string& stream = random.pick(kNames);
        std::optional<StreamVersion> from;
        if (random.one_in(2)) from = StreamVersion{random.between(1, model_.version(stream) + 2)};
        EXPECT_EQ(
            difference_in_stream(store(), model_, stream, {from, direction, std::max<std::size_t>(limit, 3)}),
            "");
        break;
      }
      case 2: {
        StreamListQuery query;
        if (random.one_in(2)) query.category = random.pick(kCategories);
        if (random.one_in(2)) query.prefix = random.pick(kNames).substr(0, random.below(7));
        if (random.one_in(2)) query.after = random.pick(kNames);
        query.limit = random.between(1, 8);
        EXPECT_EQ(difference_in_list(store(), model_, query), "");
        break;
      }
      case 3:
        EXPECT_EQ(difference_in_info(store(), model_, random.pick(kNames)), "");
        break;
    }
  }

  void compare_everything() {
    EXPECT_EQ(value_of(scan_all(store())), model_.log());
    for (Direction direction : {Direction::kForward, Direction::kBackward}) {
      EXPECT_EQ(difference_in_log(store(), model_, {std::nullopt, direction, 1'000, {}}), "");
      for (const std::string& type : kTypes)
        EXPECT_EQ(difference_in_log(store(), model_, {std::nullopt, direction, 100, {{}, {type}}}), "");
      for (const std::string& category : kCategories) {
        EXPECT_EQ(difference_in_log(store(), model_, {std::nullopt, direction, 100, {{category}, {}}}), "");
      }
      for (const std::string& name : kNames)
        EXPECT_EQ(difference_in_stream(store(), model_, name, {std::nullopt, direction, 50}), "");
    }
    EXPECT_EQ(difference_in_list(store(), model_, {}), "");
  }

  const std::vector<std::string> kNames = {"order-1", "order-2", "order-10", "order",  "cart-1", "cart-2",
                                           "cart-",   "c",       "user-ä",   "zz-9-9", "never-1"};
  const std::vector<std::string> kCategories = {"order", "cart", "c", "user", "zz", "never", "absent"};
  const std::vector<std::string> kTypes = {"A", "A", "A", "A", "Bb", "Bb", "Rare", "Ünïcode"};

  StoreModel model_;
  std::vector<AppendRequest> past_;
  std::uint64_t last_id_ = 0;
};

TEST_F(PropertyTest, AStoreAnswersLikeTheModel) {
  Random random("PropertyTest.AStoreAnswersLikeTheModel");
  live(random.next(), rounds(4'000, 60'000));
}

TEST_F(PropertyTest, AnotherStoreAnswersLikeTheModel) {
  Random random("PropertyTest.AnotherStoreAnswersLikeTheModel");
  live(random.next() + 1, rounds(3'000, 60'000));
}

TEST_F(PropertyTest, AShortRunAnswersLikeTheModel) {
  Random random("PropertyTest.AShortLifeAnswersLikeTheModel");
  live(random.next() + 2, rounds(300, 3'000));
}

}  // namespace
}  // namespace cairn::test
