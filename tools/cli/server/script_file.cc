#include "tools/cli/server/script_file.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/base/names.h"
#include "tools/cli/text/number_text.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::cli {

namespace {

Error wrong_script(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

Result<std::string> read_source(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return wrong_script(path + " is a folder, not a script");
  auto text = read_file(path);
  if (!text) return wrong_script(text.error().message);
  return *std::move(text);
}

}  // namespace

std::string ScriptFile::name() const { return std::filesystem::path(path).filename().string(); }

Result<ScriptFile> read_script_file(const std::string& path) {
  ScriptFile file{.path = path == "-" ? "stdin" : std::filesystem::path(path).lexically_normal().string()};
  CAIRN_TRY(file.source, read_source(path));
  if (file.source.size() > kScriptBytesMax) {
    return wrong_script(file.path + ": is too large for a script, which has at most " +
                        byte_size(kScriptBytesMax));
  }
  if (!is_utf8(file.source)) return wrong_script(file.path + ": is not UTF-8");
  return file;
}

}  // namespace cairn::cli
