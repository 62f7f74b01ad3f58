#include "tools/cli/schema/register_run.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/progress_bar.h"
#include "tools/cli/upcaster/deployment.h"
#include "tools/cli/upcaster/installed_upcaster.h"

namespace cairn::cli {

namespace {

UpcasterHeader header_of(const SchemaFile& file) { return *load_upcaster_for(file.subject, *file.upcaster); }

}  // namespace

Status RegisterRun::add_all(const std::vector<SchemaFile>& files) {
  for (const SchemaFile& file : files) CAIRN_CHECK(add(file));
  // In reverse order: a chain must lead from the target of an upcaster to the newest version when it is
  // deployed.
  for (; !there_already_.empty(); there_already_.pop_back()) {
    CAIRN_CHECK(deploy_upcaster(*there_already_.back()));
  }
  return {};
}

Status RegisterRun::add(const SchemaFile& file) {
  CAIRN_TRY(auto before, registry_.look_up(file));
  const bool is_new = !before.found;
  if (is_new) {
    CAIRN_CHECK(add_new(file));
    CAIRN_TRY(before, registry_.look_up(file));
    if (!before.found) {
      return make_error(Errc::kFailedPrecondition,
                        file.path + ": was registered, but has been deleted since");
    }
  }
  schemas_.push_back({file.subject, file.path, is_new, before.found->version, before.found->id});
  if (!file.upcaster) return {};
  if (is_new) return confirm_upcaster(file);
  there_already_.push_back(&file);
  return {};
}

Status RegisterRun::add_new(const SchemaFile& file) {
  ProgressBar bar;
  if (file.upcaster) bar.show("trying " + on_one_line(file.upcaster->path) + " on all history");
  CAIRN_TRY(const api::Answer answer, registry_.add(file));
  if (!answer.ok()) return refused(file.path, answer);
  return {};
}

// Other registries ignore unknown members.
Status RegisterRun::confirm_upcaster(const SchemaFile& file) {
  const UpcasterHeader header = header_of(file);
  CAIRN_TRY(const auto installed, find_installed(client_, header, file.upcaster->source));
  if (!installed) {
    return make_error(Errc::kFailedPrecondition,
                      file.path + " was registered, but the server has not taken " + file.upcaster->path);
  }
  scripts_.push_back({file.subject, file.upcaster->path, true, header.from, header.to});
  return {};
}

Status RegisterRun::deploy_upcaster(const SchemaFile& file) {
  const Deployment deployment{*file.upcaster, header_of(file)};
  CAIRN_TRY(const api::Answer answer, deploy(client_, deployment));
  if (!answer.ok()) return refused(file.upcaster->path, answer);
  const bool unchanged = is_true(nlohmann::json::parse(answer.body, nullptr, false), "unchanged");
  scripts_.push_back(
      {file.subject, file.upcaster->path, !unchanged, deployment.header.from, deployment.header.to});
  return {};
}

Error RegisterRun::refused(const std::string& path, const api::Answer& answer) {
  refusal_ = answer.body;
  return make_error(Errc::kFailedPrecondition, path + ": " + refusal_text(answer));
}

}  // namespace cairn::cli
