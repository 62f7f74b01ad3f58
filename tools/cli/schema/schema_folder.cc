#include "tools/cli/schema/schema_folder.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchemaEnding = ".avsc";
constexpr std::string_view kScriptEnding = ".lua";

Error wrong_folder(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

std::string shown(const fs::path& path) { return path.lexically_normal().string(); }

// Sorted, because directory order differs between file systems.
Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path());
  }
  if (error) return wrong_folder(shown(folder) + ": " + error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number > 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// The version of a file like 2.avsc.
std::optional<int> number_of(const fs::path& path) { return number_in(path.stem().string()); }

// The versions a file like 1-2.lua leads from and to.
std::optional<std::pair<int, int>> step_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t dash = stem.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto from = number_in(std::string_view(stem).substr(0, dash));
  const auto to = number_in(std::string_view(stem).substr(dash + 1));
  return from && to ? std::optional(std::pair(*from, *to)) : std::nullopt;
}

bool holds_schemas(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == kSchemaEnding) return true;
  }
  return false;
}

class FolderReader {
 public:
  Status read(const fs::path& folder) {
    CAIRN_TRY(const auto entries, entries_of(folder));
    for (const fs::path& entry : entries) {
      if (is_folder(entry)) {
        CAIRN_CHECK(read_subject_folder(entry));
      } else if (entry.extension() == kSchemaEnding) {
        CAIRN_CHECK(add(entry.stem().string(), 0, entry));
      } else if (entry.extension() == kScriptEnding) {
        folder_.notes.push_back(shown(entry) +
                                " is ignored: an upcaster belongs into the folder of the versions of " +
                                "its subject, as in Subject/1-2.lua");
      }
    }
    if (subjects_.empty()) {
      return wrong_folder(shown(folder) + " holds no schemas: no Subject.avsc, and no Subject/1.avsc");
    }
    return {};
  }

  SchemaFolder take() && {
    for (auto& [subject, files] : subjects_) {
      note_gaps(files);
      for (auto& [number, file] : files) folder_.files.push_back(std::move(file));
    }
    return std::move(folder_);
  }

 private:
  Status read_subject_folder(const fs::path& folder) {
    CAIRN_TRY(const auto entries, entries_of(folder));
    const std::string subject = folder.filename().string();
    std::vector<fs::path> scripts;
    for (const fs::path& entry : entries) {
      if (is_folder(entry)) {
        if (holds_schemas(entry)) {
          return wrong_folder(shown(entry) + " holds schemas, but is too deep: they go into " +
                              shown(folder) + "/1.avsc and so on");
        }
      } else if (entry.extension() == kSchemaEnding) {
        const auto number = number_of(entry);
        if (!number)
          return wrong_folder(shown(entry) + ": the name must be the number of a version, as in 1.avsc");
        CAIRN_CHECK(add(subject, *number, entry));
      } else if (entry.extension() == kScriptEnding) {
        scripts.push_back(entry);
      }
    }
    for (const fs::path& script : scripts) CAIRN_CHECK(add_upcaster(subject, script));
    return {};
  }

  // REQUIRES: the schemas of the subject were added.
  Status add_upcaster(const std::string& subject, const fs::path& path) {
    const auto known = subjects_.find(subject);
    const auto step = step_of(path);
    if (!step && known == subjects_.end()) {
      folder_.notes.push_back(shown(path) + " is ignored: its folder has no schemas");
      return {};
    }
    if (!step || step->first >= step->second) {
      return wrong_folder(shown(path) +
                          ": the name must say which version an upcaster leads from and to, as in " +
                          "1-2.lua");
    }
    const auto [from, to] = *step;
    const std::string target = std::to_string(to) + std::string(kSchemaEnding);
    SchemaFile* file = nullptr;
    if (known != subjects_.end() && known->second.contains(to)) file = &known->second.at(to);
    if (file == nullptr) return wrong_folder(shown(path) + ": " + target + ", which it leads to, is missing");
    if (const int next = known->second.upper_bound(from)->first; next != to) {
      return wrong_folder(shown(path) + ": leads past " + std::to_string(next) + std::string(kSchemaEnding) +
                          "; an upcaster leads to the next version");
    }
    CAIRN_TRY(UpcasterFile upcaster, read_upcaster_file(path.string()));
    if (file->upcaster) {
      return wrong_folder("two upcasters lead to " + file->path + ": " + file->upcaster->path + " and " +
                          upcaster.path);
    }
    upcaster.from = static_cast<std::uint32_t>(from);
    upcaster.to = static_cast<std::uint32_t>(to);
    file->upcaster = std::move(upcaster);
    return {};
  }

  Status add(const std::string& subject, int number, const fs::path& path) {
    CAIRN_TRY(SchemaFile file, read_schema_file(subject, number, path));
    auto& files = subjects_[subject];
    const auto clash = std::find_if(files.begin(), files.end(), [&](const auto& other) {
      return other.first == number || other.first == 0 || number == 0;
    });
    if (clash != files.end()) {
      return wrong_folder("subject " + subject + " has two files: " + clash->second.path + " and " +
                          file.path);
    }
    files.emplace(number, std::move(file));
    return {};
  }

  void note_gaps(const std::map<int, SchemaFile>& files) {
    int expected = 1;
    for (const auto& [number, file] : files) {
      if (number == 0) return;
      if (number > expected) {
        const std::string first = std::to_string(expected) + ".avsc";
        const std::string last = std::to_string(number - 1) + ".avsc";
        folder_.notes.push_back(
            file.path + ": " +
            (first == last ? first + " is missing" : first + " to " + last + " are missing") + " before it");
      }
      expected = number + 1;
    }
  }

  std::map<std::string, std::map<int, SchemaFile>> subjects_;
  SchemaFolder folder_;
};

}  // namespace

Result<SchemaFolder> read_schema_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return wrong_folder("there is no folder " + shown(folder));
  if (!is_folder(folder)) return wrong_folder(shown(folder) + " is not a folder");
  FolderReader reader;
  CAIRN_CHECK(reader.read(folder));
  return std::move(reader).take();
}

}  // namespace cairn::cli
