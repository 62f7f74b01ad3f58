#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/api/server/upcaster_fixture.h"

namespace cairn::test {

// A projection of what customers bought: one row for each, `factor` times the amounts. A sale without an
// amount fails, in line 6.
inline std::string sales(int factor = 1) {
  return "return projection {\n  from = {categories = {\"sale\"}, types = {\"Sold\"}},\n"
         "  key = function(event) return event.data.customer end,\n  on = {\n"
         "    Sold = function(row, event)\n      row.total = (row.total or 0) + " +
         std::to_string(factor) +
         " * event.data.amount\n      row.sales = (row.sales or 0) + 1\n    end\n  }\n}\n";
}

// Fixture for projections: a real server that builds read models, and sales.
class ProjectionApiTest : public UpcasterApiTest {
 protected:
  void SetUp() override { serve(); }

  HttpAnswer deploy_projection(const std::string& source, const std::string& name = "sales",
                               const std::string& query = "") {
    return client().put("/projections/" + name + query, source, kLuaType);
  }
  void use(const std::string& source, const std::string& name = "sales") {
    const HttpAnswer answer = deploy_projection(source, name);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }

  static std::string sold(const std::string& customer, int amount) {
    return event_text("Sold",
                      R"({"customer":")" + customer + R"(","amount":)" + std::to_string(amount) + "}");
  }
  static std::string sold_badly(const std::string& customer) {
    return event_text("Sold", R"({"customer":")" + customer + R"("})");
  }
  // Appends and returns the position of the last event.
  std::uint64_t sell(const std::vector<std::string>& events, const std::string& stream = "sale-1") {
    const HttpAnswer answer = append(stream, events);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.status == 201 ? answer.json().value("lastPosition", std::uint64_t{0}) : 0;
  }

  // A query that waits until the rows have the log so far.
  HttpAnswer ask_rows(const std::string& path, std::uint64_t through, const std::string& query = "") {
    return get("/projections/sales/rows" + path + "?waitMs=30000&minPosition=" + std::to_string(through) +
               query);
  }
  Json row(const std::string& key, std::uint64_t through) {
    const HttpAnswer answer = ask_rows("/" + key, through);
    EXPECT_EQ(answer.status, 200) << answer.body;
    if (answer.status != 200) return Json();
    EXPECT_GE(answer.json().value("position", std::uint64_t{0}), through);
    return answer.json()["row"];
  }
  static Json bought(int total, int sales) { return {{"total", total}, {"sales", sales}}; }

  Json status(const std::string& name = "sales") {
    const HttpAnswer answer = get("/projections/" + name);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json() : Json::object();
  }
  // Polls until the status is as wanted, with a timeout.
  template <typename Wanted>
  Json status_when(Wanted wanted, const std::string& name = "sales") {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    Json last = status(name);
    while (!wanted(last)) {
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << "it never came to that: " << last;
        return last;
      }
      last = status(name);
    }
    return last;
  }
  HttpAnswer change(const std::string& what, const std::string& body = "") {
    return post("/projections/sales/" + what, body);
  }
};

}  // namespace cairn::test
