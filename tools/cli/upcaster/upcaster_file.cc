#include "tools/cli/upcaster/upcaster_file.h"

#include <utility>

#include "upcasters/script/upcaster_script.h"

namespace cairn::cli {

namespace {

std::string steps_text(std::uint32_t from, std::uint32_t to) {
  return "from = " + std::to_string(from) + ", to = " + std::to_string(to);
}

}  // namespace

Result<UpcasterFile> read_upcaster_file(const std::string& path) {
  CAIRN_TRY(ScriptFile file, read_script_file(path));
  return UpcasterFile{std::move(file)};
}

std::variant<UpcasterHeader, ScriptError> load_upcaster(const UpcasterFile& file) {
  auto loaded = UpcasterScript::load(file.source, file.path);
  if (auto* error = std::get_if<ScriptError>(&loaded)) return std::move(*error);
  return std::get<UpcasterScript>(loaded).header();
}

std::variant<UpcasterHeader, ScriptError> load_upcaster_for(const std::string& type,
                                                            const UpcasterFile& file) {
  auto loaded = load_upcaster(file);
  const auto* header = std::get_if<UpcasterHeader>(&loaded);
  if (header == nullptr) return loaded;
  const auto refuse = [&](std::string message) {
    return ScriptError{ScriptFault::kError, std::move(message), file.path, 0};
  };
  if (header->type != type) {
    return refuse("it stands beside the schemas of " + type + ", but says type = \"" + header->type + "\"");
  }
  if (file.to != 0 && (header->from != file.from || header->to != file.to)) {
    return refuse("its name says " + steps_text(file.from, file.to) + ", but the script says " +
                  steps_text(header->from, header->to));
  }
  return loaded;
}

}  // namespace cairn::cli
