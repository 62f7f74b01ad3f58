#include "api/access/token_file_edit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "eventstore/base/file.h"

namespace cairn::api {

namespace {

// An exclusive lock on the folder, released by the destructor. Not on the file, because each change replaces
// the file.
Result<File> lock_folder(const std::filesystem::path& folder) {
  CAIRN_TRY(File handle, File::open(folder, O_RDONLY | O_DIRECTORY));
  while (::flock(handle.descriptor(), LOCK_EX) != 0) {
    if (errno != EINTR) return system_error("locking folder " + folder.string(), errno);
  }
  return handle;
}

// The target when `path` is a symbolic link, so that the link is preserved. Absolute, because
// weakly_canonical() does not add the folder to a bare name of a file that does not exist.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code none;
  const auto whole = std::filesystem::absolute(path);
  const auto real = std::filesystem::weakly_canonical(whole, none);
  return none ? whole : real;
}

// nullopt when there is no such file.
Result<std::optional<std::string>> read_if_exists(const std::filesystem::path& path) {
  auto text = read_file(path);
  if (!text && text.error().code == Errc::kNotFound) return std::optional<std::string>();
  if (!text) return text.error();
  return std::optional(*std::move(text));
}

// Copies owner and mode of `from` to `to`, so that a server that runs as another user can still read it.
Status copy_owner_and_mode(const std::filesystem::path& from, const std::filesystem::path& to) {
  struct stat facts {};
  if (::stat(from.c_str(), &facts) != 0) return system_error("stat of " + from.string(), errno);
  if (::chown(to.c_str(), facts.st_uid, facts.st_gid) != 0 ||
      ::chmod(to.c_str(), facts.st_mode & 07777) != 0) {
    return system_error("copying owner and mode of " + from.string() + " to " + to.string(), errno);
  }
  return {};
}

// REQUIRES: the folder is locked.
Status replace_file(const std::filesystem::path& path, std::string_view content, bool exists) {
  const std::filesystem::path beside = path.string() + ".new";
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);  // A leftover of a crash could have another mode.
  Status done = write_file(beside, content);
  if (done.ok() && exists) done = copy_owner_and_mode(path, beside);
  if (done.ok() && ::rename(beside.c_str(), path.c_str()) != 0) {
    done = system_error("renaming " + beside.string() + " to " + path.string(), errno);
  }
  if (!done) {
    std::filesystem::remove(beside, ignored);
    return done;
  }
  return sync_folder(path.parent_path());
}

// `text` without the line of this name; nullopt when there is none.
// REQUIRES: parse_tokens() accepts the text.
std::optional<std::string> without_line(std::string_view text, std::string_view name) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const auto tokens = parse_tokens(text.substr(begin, end - begin), "");
    if (tokens.ok() && !tokens->empty() && tokens->front().name == name) {
      return std::string(text.substr(0, begin)) + std::string(text.substr(end));
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace

Status add_token(const std::filesystem::path& path, const Token& token) {
  const std::filesystem::path file = real_path(path);
  CAIRN_TRY(const File lock, lock_folder(file.parent_path()));
  CAIRN_TRY(const std::optional<std::string> before, read_if_exists(file));
  std::string text = before.value_or("");
  CAIRN_TRY(const std::vector<Token> tokens, parse_tokens(text, path.string()));
  for (const Token& other : tokens) {
    if (other.name == token.name) {
      return make_error(Errc::kFailedPrecondition, path.string() + " has a token named '" + token.name +
                                                       "' already; revoke it first or take another name");
    }
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += token_line(token) + '\n';
  return replace_file(file, text, before.has_value());
}

Status remove_token(const std::filesystem::path& path, std::string_view name) {
  const std::filesystem::path file = real_path(path);
  CAIRN_TRY(const File lock, lock_folder(file.parent_path()));
  CAIRN_TRY(const std::string text, read_file(file));
  CAIRN_CHECK(parse_tokens(text, path.string()));
  const auto rest = without_line(text, name);
  if (!rest) {
    return make_error(Errc::kNotFound, path.string() + " has no token named '" + std::string(name) + "'");
  }
  return replace_file(file, *rest, true);
}

}  // namespace cairn::api
