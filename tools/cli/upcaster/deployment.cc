#include "tools/cli/upcaster/deployment.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "api/client/server_url.h"
#include "tools/cli/server/answer_lines.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr int kUnprocessable = 422;

std::string path_of(const Deployment& deployment) {
  std::string path = "/upcasters/" + api::percent_encoded(deployment.header.type) + "/" +
                     std::to_string(deployment.header.from) + "?to=" + std::to_string(deployment.header.to) +
                     "&file=" + api::percent_encoded(deployment.file.name());
  if (deployment.dry_run) path += "&dryRun=true";
  return path;
}

std::string progress_text(const ordered_json& progress, std::chrono::steady_clock::time_point began) {
  const std::uint64_t position = number_member(progress, "position");
  const std::uint64_t failed = number_member(progress, "failed");
  std::string text = bar_text("checking", position, number_member(progress, "head"));
  text += "  " + grouped(rate_since(began, position)) + " events/s";
  if (failed > 0) text += "  " + grouped(failed) + " failed";
  return text;
}

}  // namespace

Result<api::Answer> deploy(api::Client& client, const Deployment& deployment) {
  ProgressBar bar;
  const auto began = std::chrono::steady_clock::now();
  AnswerLines lines([&](const ordered_json& progress) { bar.show(progress_text(progress, began)); },
                    kUnprocessable);
  return lines.outcome(client.put_lines(path_of(deployment), {{"Accept", "application/x-ndjson"}},
                                        deployment.file.source, "text/x-lua",
                                        [&](std::string_view line) { return lines.take(line); }));
}

}  // namespace cairn::cli
