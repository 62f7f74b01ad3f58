// Invalid requests: each is refused with the name of the invalid field, and nothing is written.

#include <string>
#include <vector>

#include "eventstore/base/limits.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class ValidationTest : public StoreTest {
 protected:
  Result<AppendResult> append_to(const std::string& stream) {
    return append_expecting(stream, ExpectedVersion::any(), {event("A")});
  }
  Result<AppendResult> append_one(NewEvent event) {
    return append_expecting("cart-1", ExpectedVersion::any(), {std::move(event)});
  }
  Result<AppendResult> append_typed(const std::string& type) { return append_one(event(type)); }

  void TearDown() override {
    if (HasFatalFailure()) return;
    EXPECT_EQ(head(), expected_head_) << "a refused request writes nothing";
    append("still-alive", {"A"});
    expect_sound();
  }
  void expect_written(std::uint64_t events) { expected_head_ = events; }

 private:
  std::uint64_t expected_head_ = 0;
};

TEST_F(ValidationTest, StreamNamesHaveOneToTwoHundredBytes) {
  EXPECT_THAT(append_to(""), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(append_to(std::string(limits::kStreamNameBytesMax + 1, 'a')), is_refused_naming("stream"));
  EXPECT_THAT(append_to(std::string(limits::kStreamNameBytesMax - 1, 'a')), succeeds());
  EXPECT_THAT(append_to(std::string(limits::kStreamNameBytesMax, 'a')), succeeds());
  EXPECT_THAT(append_to("a"), succeeds());
  std::string umlauts;
  while (umlauts.size() < limits::kStreamNameBytesMax) umlauts += "ä";
  EXPECT_THAT(append_to(umlauts), succeeds());
  EXPECT_THAT(append_to(umlauts + "ä"), is_refused_naming("stream")) << "bytes count, not letters";
  expect_written(4);
  reopen();
  EXPECT_EQ(events_in(std::string(limits::kStreamNameBytesMax, 'a')).size(), 1u);
  EXPECT_EQ(events_in(std::string(limits::kStreamNameBytesMax - 1, 'a')).size(), 1u);
}

TEST_F(ValidationTest, StreamNamesAreOfPrintableCharactersWithoutSlashes) {
  for (const std::string& bad : {std::string("a/b"), std::string("/"), std::string("a\nb"),
                                 std::string("a\tb"), std::string("a\0b", 3), std::string("\x01"),
                                 std::string("a\x1f"), std::string("a\x7f"), std::string("a\xc2\x85")}) {
    EXPECT_THAT(append_to(bad), is_refused_naming("stream")) << ::testing::PrintToString(bad);
  }
  for (const char* good : {"a b", "order-42", "größe-1", "注文-1", "a:b.c_d~e", "😀-1"})
    EXPECT_THAT(append_to(good), succeeds()) << good;
  expect_written(6);
}

TEST_F(ValidationTest, StreamNamesAreUtf8) {
  for (const std::string& bad :
       {std::string("\xff"), std::string("a\x80"), std::string("a\xc3"), std::string("\xc0\xaf"),
        std::string("\xe0\x80\xaf"), std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"),
        std::string("a\xe4\xb8")}) {
    EXPECT_THAT(append_to(bad), is_refused_naming("stream")) << ::testing::PrintToString(bad);
  }
}

TEST_F(ValidationTest, UsersMayNotWriteSystemStreams) {
  for (const char* name : {"$schemas", "$", "$x-1"}) {
    EXPECT_THAT(append_to(name), fails_with(Errc::kInvalidArgument)) << name;
    EXPECT_THAT(submit({to("cart-1", ExpectedVersion::any(), {event("A")}),
                        to(name, ExpectedVersion::any(), {event("B")})}),
                fails_with(Errc::kInvalidArgument));
  }
  EXPECT_THAT(append_to("a$b"), succeeds());
  expect_written(1);
}

TEST_F(ValidationTest, CheckOnlyStreamsNeedValidNamesToo) {
  EXPECT_THAT(
      submit({to("cart-1", ExpectedVersion::any(), {event("A")}), check("a/b", ExpectedVersion::any())}),
      is_refused_naming("stream"));
}

TEST_F(ValidationTest, TypesHaveOneToTwoHundredBytes) {
  EXPECT_THAT(append_typed(""), is_refused_naming("type"));
  EXPECT_THAT(append_typed(std::string(limits::kTypeNameBytesMax + 1, 'T')), is_refused_naming("type"));
  EXPECT_THAT(append_typed("\xff"), is_refused_naming("type"));
  EXPECT_THAT(append_typed("a\nb"), is_refused_naming("type"));
  EXPECT_THAT(append_typed(std::string(limits::kTypeNameBytesMax - 1, 'T')), succeeds());
  EXPECT_THAT(append_typed(std::string(limits::kTypeNameBytesMax, 'T')), succeeds());
  expect_written(2);
  flush();
  EXPECT_EQ(log({{}, {std::string(limits::kTypeNameBytesMax, 'T')}}).size(), 1u);
  EXPECT_EQ(log({{}, {std::string(limits::kTypeNameBytesMax - 1, 'T')}}).size(), 1u);
}

TEST_F(ValidationTest, TagsAreBoundedInNumberAndSize) {
  auto tagged = [](std::size_t count, std::size_t bytes) {
    NewEvent made = event("A");
    for (std::size_t i = 0; i < count; ++i)
      made.tags.push_back(std::string(bytes, 'a' + static_cast<char>(i % 26)));
    return made;
  };
  EXPECT_THAT(append_one(tagged(limits::kTagsPerEventMax + 1, 5)), is_refused_naming("tag"));
  EXPECT_THAT(append_one(tagged(1, limits::kTagBytesMax + 1)), is_refused_naming("tag"));
  EXPECT_THAT(append_one(tagged(limits::kTagsPerEventMax, limits::kTagBytesMax)), succeeds());
  EXPECT_THAT(append_one(tagged(limits::kTagsPerEventMax - 1, limits::kTagBytesMax - 1)), succeeds());
  expect_written(2);
  EXPECT_EQ(events_in("cart-1").at(0).tags.size(), limits::kTagsPerEventMax);
}

TEST_F(ValidationTest, AnEventIsBoundedInBytes) {
  auto too_large = append_one(sized_event(limits::kEventBytesMax + 1));
  ASSERT_THAT(too_large, fails_with(Errc::kTooLarge));
  EXPECT_EQ(too_large.error().limit, limits::kEventBytesMax);
  NewEvent both = sized_event(limits::kEventBytesMax - 10);
  both.metadata = R"({"a":"0123"})";
  ASSERT_GT(both.data.size() + both.metadata.size(), limits::kEventBytesMax);
  EXPECT_THAT(append_one(both), fails_with(Errc::kTooLarge)) << "data and metadata count together";
  EXPECT_THAT(append_one(sized_event(limits::kEventBytesMax)), succeeds());
  EXPECT_THAT(append_one(sized_event(limits::kEventBytesMax - 1)), succeeds());
  expect_written(2);
  reopen();
  EXPECT_EQ(events_in("cart-1").at(0).data.size(), limits::kEventBytesMax);
}

TEST_F(ValidationTest, ARequestIsBoundedInBytes) {
  std::vector<NewEvent> events(17, sized_event(1u << 20));
  auto refused = append_expecting("cart-1", ExpectedVersion::any(), events);
  ASSERT_THAT(refused, fails_with(Errc::kTooLarge));
  EXPECT_EQ(refused.error().limit, limits::kRequestBytesMax);
  std::vector<NewEvent> half(9, sized_event(1u << 20));
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), half), to("b-1", ExpectedVersion::any(), half)}),
              fails_with(Errc::kTooLarge))
      << "all streams count together";
  events.resize(15);
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), events), succeeds());
  expect_written(15);
}

TEST_F(ValidationTest, ARequestIsBoundedInEvents) {
  std::vector<NewEvent> events(limits::kRequestEventsMax + 1, event("A", ""));
  auto refused = append_expecting("cart-1", ExpectedVersion::any(), events);
  ASSERT_THAT(refused, fails_with(Errc::kTooLarge));
  EXPECT_EQ(refused.error().limit, limits::kRequestEventsMax);
  std::vector<NewEvent> half(limits::kRequestEventsMax / 2 + 1, event("A", ""));
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), half), to("b-1", ExpectedVersion::any(), half)}),
              fails_with(Errc::kTooLarge));
  events.pop_back();
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), events), succeeds());
  events.pop_back();
  EXPECT_THAT(append_expecting("cart-1", ExpectedVersion::any(), events), succeeds());
  expect_written(2 * limits::kRequestEventsMax - 1);
}

TEST_F(ValidationTest, ARequestIsBoundedInStreams) {
  auto spread = [](std::size_t count) {
    std::vector<StreamAppend> streams;
    for (std::size_t i = 0; i < count; ++i)
      streams.push_back(to("s-" + std::to_string(i), ExpectedVersion::any(), {event("A")}));
    return streams;
  };
  auto refused = submit(spread(limits::kRequestStreamsMax + 1));
  ASSERT_THAT(refused, fails_with(Errc::kTooLarge));
  EXPECT_EQ(refused.error().limit, limits::kRequestStreamsMax);
  EXPECT_THAT(submit(spread(limits::kRequestStreamsMax)), succeeds());
  EXPECT_THAT(submit(spread(limits::kRequestStreamsMax - 1)), succeeds());
  expect_written(2 * limits::kRequestStreamsMax - 1);
}

TEST_F(ValidationTest, ARequestHasStreams) {
  EXPECT_THAT(submit(std::vector<StreamAppend>{}), is_refused_naming("stream"));
}

TEST_F(ValidationTest, AStreamOccursInARequestOnce) {
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {event("A")}),
                      to("b-1", ExpectedVersion::any(), {event("B")}),
                      to("a-1", ExpectedVersion::any(), {event("C")})}),
              is_refused_naming("a-1"));
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {event("A")}), check("a-1", ExpectedVersion::any())}),
              fails_with(Errc::kInvalidArgument));
}

TEST_F(ValidationTest, AnIdOccursInARequestOnce) {
  EXPECT_THAT(append_expecting("a-1", ExpectedVersion::any(),
                               {event(id(1), "A"), event(id(2), "B"), event(id(1), "A")}),
              fails_with_either(Errc::kInvalidArgument, Errc::kEventIdReused));
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {event(id(1), "A")}),
                      to("b-1", ExpectedVersion::any(), {event(id(1), "A")})}),
              fails_with_either(Errc::kInvalidArgument, Errc::kEventIdReused));
}

TEST_F(ValidationTest, AnInvalidEventRefusesTheWholeBatch) {
  EXPECT_THAT(append_expecting("a-1", ExpectedVersion::any(), {event("A"), event(""), event("C")}),
              is_refused_naming("type"));
}

TEST_F(ValidationTest, PagesAreBounded) {
  std::vector<NewEvent> events(limits::kRequestEventsMax, event("A", ""));
  append("cart-1", events);
  append("cart-1", {"A"});
  expect_written(limits::kRequestEventsMax + 1);
  auto page = store().read_stream("cart-1", {.from = {}, .limit = 1'000'000});
  if (page.ok()) {
    EXPECT_LE(page->events.size(), limits::kPageEventsMax);
    EXPECT_TRUE(page->next.has_value());
  } else {
    EXPECT_THAT(page, fails_with_either(Errc::kTooLarge, Errc::kInvalidArgument));
  }
  EXPECT_EQ(
      value_of(store().read_stream("cart-1", {.from = {}, .limit = limits::kPageEventsMax})).events.size(),
      limits::kPageEventsMax);
}

}  // namespace
}  // namespace cairn::test
