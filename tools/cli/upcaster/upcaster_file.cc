#include "tools/cli/upcaster/upcaster_file.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/base/names.h"
#include "tools/cli/number_text.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::cli {

namespace {

Error wrong(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

Result<std::string> read_source(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return wrong(path + " is a folder, not a script");
  auto text = read_file(path);
  if (!text) return wrong(text.error().message);
  return *std::move(text);
}

std::string steps_text(std::uint32_t from, std::uint32_t to) {
  return "from = " + std::to_string(from) + ", to = " + std::to_string(to);
}

}  // namespace

std::string UpcasterFile::name() const { return std::filesystem::path(path).filename().string(); }

Result<UpcasterFile> read_upcaster_file(const std::string& path) {
  UpcasterFile file{.path = path == "-" ? "stdin" : std::filesystem::path(path).lexically_normal().string()};
  CAIRN_TRY(file.source, read_source(path));
  if (file.source.size() > kScriptBytesMax) {
    return wrong(file.path + ": is too large for a script, which has at most " + byte_size(kScriptBytesMax));
  }
  if (!is_utf8(file.source)) return wrong(file.path + ": is not UTF-8");  // It travels as JSON, too.
  return file;
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
