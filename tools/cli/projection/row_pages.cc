#include "tools/cli/projection/row_pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/client/server_url.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::uint64_t kPageRows = 1'000;

// Members of a query, in their order.
class Query {
 public:
  void add(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "?" : "&") + std::string(name) + "=" + api::percent_encoded(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_freshness(const RowRequest& wanted, Query& query) {
  if (wanted.min_position > 0) {
    query.add("minPosition", std::to_string(wanted.min_position));
    query.add("waitMs", std::to_string(wanted.wait_ms));
  }
  if (wanted.partial) query.add("partial", "true");
}

std::string page_path(const RowRequest& wanted, const std::string& after, std::uint64_t limit) {
  Query query;
  if (!wanted.prefix.empty()) query.add("prefix", wanted.prefix);
  if (!after.empty()) query.add("after", after);
  query.add("limit", std::to_string(limit));
  add_freshness(wanted, query);
  return "/rows" + query.text();
}

}  // namespace

std::string row_path(const RowRequest& wanted) {
  Query query;
  add_freshness(wanted, query);
  return "/rows/" + api::percent_encoded(wanted.key) + query.text();
}

Result<api::Answer> read_row_pages(api::Client& client, const ProjectionArguments& projection,
                                   const RowRequest& wanted,
                                   const std::function<bool(const RowPage&)>& take) {
  std::uint64_t read = 0;
  for (std::string after;;) {
    const std::uint64_t limit = wanted.limit == 0 ? kPageRows : std::min(kPageRows, wanted.limit - read);
    CAIRN_TRY(api::Answer answer, client.get(projection.path(page_path(wanted, after, limit))));
    if (!answer.ok()) return answer;
    const json body = json::parse(answer.body, nullptr, false);
    const RowPage page{.rows = raw_elements(answer.body, "rows"),
                       .position = number_member(body, "position"),
                       .generation = number_member(body, "generation")};
    read += page.rows.size();
    std::string next = text_member(body, "next");
    const bool is_last = next.empty() || next == after || (wanted.limit > 0 && read >= wanted.limit);
    if (!take(page) || is_last) return answer;
    after = std::move(next);
  }
}

}  // namespace cairn::cli
