#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "projections/readmodel/lmdb_read_model.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

inline ReadModelIdentity identity_of_sales() {
  return {.projection = "sales",
          .generation = 3,
          .fingerprint = "f00d",
          .source = "return projection {}",
          .store_id = "0191e4a0-0000-7000-8000-000000000000",
          .made_at = {1'700'000'000'000'001}};
}

inline ParkedPlace by_key(std::string name) { return {ParkedPlace::By::kKey, std::move(name)}; }
inline ParkedPlace by_stream(std::string name) { return {ParkedPlace::By::kStream, std::move(name)}; }

// A change that owns its strings.
class Change {
 public:
  explicit Change(std::uint64_t through) { change_.through = {through}; }
  Change& row(const std::string& key, const std::string& saved) {
    rows_[key] = saved;
    return *this;
  }
  Change& erase(const std::string& key) { return row(key, ""); }
  Change& release(const ParkedPlace& place) {
    released_.push_back(place);
    return *this;
  }
  Change& park(const ParkedPlace& place, std::uint64_t position, std::uint32_t retries = 0) {
    parked_.emplace_back(place, ParkedEvent{.position = {position},
                                            .kind = "script",
                                            .message = "it failed",
                                            .line = 7,
                                            .parked_at = {1'700'000'000'000'002},
                                            .retries = retries});
    return *this;
  }
  Change& wait(const ParkedPlace& place, std::uint64_t position) {
    waiting_.emplace_back(place, GlobalPosition{position});
    return *this;
  }

  const ReadModelChange& get() {
    change_.rows.clear();
    change_.released.clear();
    change_.parked.clear();
    change_.waiting.clear();
    for (const auto& [key, saved] : rows_) change_.rows.push_back({key, saved});
    for (const ParkedPlace& place : released_) change_.released.push_back(&place);
    for (const auto& [place, event] : parked_) change_.parked.emplace_back(&place, &event);
    for (const auto& [place, position] : waiting_) change_.waiting.push_back({&place, position});
    return change_;
  }

 private:
  ReadModelChange change_;
  std::map<std::string, std::string> rows_;
  std::vector<ParkedPlace> released_;
  std::vector<std::pair<ParkedPlace, ParkedEvent>> parked_;
  std::vector<std::pair<ParkedPlace, GlobalPosition>> waiting_;
};

class ReadModelTest : public ::testing::Test {
 protected:
  using Access = LmdbReadModel::Access;

  void SetUp() override {
    auto made = LmdbReadModel::create(folder(), identity_of_sales());
    ASSERT_THAT(made, succeeds());
    model_ = *std::move(made);
  }

  std::filesystem::path folder() const { return folder_ / "sales" / "3"; }
  std::filesystem::path file() const { return folder() / "data.mdb"; }

  void close() { model_.reset(); }
  void reopen(Access access = Access::kReadWrite) {
    close();
    auto opened = LmdbReadModel::open(folder(), access);
    ASSERT_THAT(opened, succeeds());
    model_ = *std::move(opened);
  }

  Status commit(Change& change) { return model_->commit(change.get()); }
  Status commit(Change&& change) { return model_->commit(change.get()); }

  std::uint64_t checkpoint() { return model_->checkpoint()->value; }
  std::uint64_t row_count() { return model_->size()->rows; }

  // "key=saved", or the error.
  std::vector<std::string> page(const SavedRowsQuery& query) {
    const auto rows = model_->rows(query);
    if (!rows.ok()) return {rows.error().message};
    std::vector<std::string> texts;
    for (const SavedRow& row : rows->rows) texts.push_back(row.key + "=" + row.saved);
    if (rows->next) texts.push_back("next " + *rows->next);
    return texts;
  }

  // "place at position: waiting positions; count"
  std::string told(const ParkedPlace& place) {
    const auto entry = model_->find_parked(place);
    if (!entry.ok()) return entry.error().message;
    std::string text = *entry ? std::to_string((*entry)->event.position.value) + ":" : "nothing";
    const auto positions = model_->waiting(place, {}, 1'000);
    if (!positions.ok()) return positions.error().message;
    for (const GlobalPosition position : *positions) text += " " + std::to_string(position.value);
    EXPECT_EQ(*entry ? (*entry)->waiting : 0, positions->size());
    return text;
  }

  TempFolder folder_;
  std::unique_ptr<LmdbReadModel> model_;
};

}  // namespace cairn::test
