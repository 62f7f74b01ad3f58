#include "tools/cli/upcaster/upcaster_file.h"

#include <fmt/format.h>

#include <utility>

#include "upcasters/script/upcaster_script.h"

namespace cairn::cli {

namespace {

std::string steps_text(std::uint32_t from, std::uint32_t to) {
  return fmt::format("from = {}, to = {}", from, to);
}

}  // namespace

Result<UpcasterFile> read_upcaster_file(const std::string& path) {
  CAIRN_TRY(ScriptFile file, read_script_file(path));
  return UpcasterFile{std::move(file)};
}

ScriptResult<UpcasterHeader> load_upcaster(const UpcasterFile& file) {
  CAIRN_TRY(const UpcasterScript script, UpcasterScript::load(file.source, file.path));
  return script.header();
}

ScriptResult<UpcasterHeader> load_upcaster_for(const std::string& type, const UpcasterFile& file) {
  CAIRN_TRY(UpcasterHeader header, load_upcaster(file));
  const auto refuse = [&](std::string message) {
    return ScriptError{ScriptFault::kError, std::move(message), file.path, 0};
  };
  if (header.type != type) {
    return refuse("it is in the folder of " + type + ", but has type = \"" + header.type + "\"");
  }
  if (file.to != 0 && (header.from != file.from || header.to != file.to)) {
    return refuse("its name means " + steps_text(file.from, file.to) + ", but the script has " +
                  steps_text(header.from, header.to));
  }
  return header;
}

}  // namespace cairn::cli
