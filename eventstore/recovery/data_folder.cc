#include "eventstore/recovery/data_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"

namespace cairn {
namespace {

constexpr const char* kIdentity = "cairn.json";
constexpr const char* kUnfinished = "cairn.json.new";
constexpr const char* kReplacement = "cairn.json.tmp";

// File systems whose locks or memory maps are not coherent across machines.
bool is_network_file_system(const std::filesystem::path& path) {
  constexpr std::array<unsigned long, 6> kMagics{0x6969 /* nfs */,      0x517B /* smb */,
                                                 0xFF534D42 /* cifs */, 0xFE534D42 /* smb2 */,
                                                 0x01021997 /* 9p */,   0x73757245 /* coda */};
  struct statfs facts {};
  if (statfs(path.c_str(), &facts) != 0) return false;
  for (const unsigned long magic : kMagics) {
    if (static_cast<unsigned long>(facts.f_type & 0xFFFFFFFF) == magic) return true;
  }
  return false;
}

SipKey new_id_key() { return {new_event_id().low(), new_event_id().low()}; }

// nullopt for a format that this program does not read.
std::optional<LogFormat> parse_format(const nlohmann::json& json) {
  for (const LogFormat format : {LogFormat::k1, LogFormat::k2}) {
    if (json == static_cast<int>(format)) return format;
  }
  return std::nullopt;
}

// nullopt for anything but the 32 digits of identity_text().
std::optional<SipKey> parse_id_key(const nlohmann::json& json) {
  if (!json.is_string() || json.get_ref<const std::string&>().size() != 32) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  SipKey key;
  const auto parse = [](const char* from, std::uint64_t& word) {
    const auto [end, failure] = std::from_chars(from, from + 16, word, 16);
    return failure == std::errc() && end == from + 16;
  };
  if (!parse(text.data(), key.high) || !parse(text.data() + 16, key.low)) return std::nullopt;
  return key;
}

bool has_log(const std::filesystem::path& path) { return std::filesystem::exists(path / "log" / "data.mdb"); }
bool has_identity(const std::filesystem::path& path) { return std::filesystem::exists(path / kIdentity); }

Error missing_log(const std::filesystem::path& path) {
  return make_error(Errc::kCorruption,
                    path.string() + " is a Cairn store (cairn.json) but its log, log/data.mdb, is " +
                        "missing. Is a disk not mounted? A backup has to be restored whole");
}

Error missing_identity(const std::filesystem::path& path) {
  return make_error(Errc::kCorruption, path.string() + " has a log but no identity file, cairn.json");
}

// Whether there is anything beside the files that a first start, cut short, may leave.
bool holds_anything_else(const std::filesystem::path& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (name != "lock" && name != "log" && name != "index" && name != kUnfinished && name != "lost+found")
      return true;
  }
  return false;
}

}  // namespace

Result<DataFolder> DataFolder::claim(const std::filesystem::path& path, CreateIfMissing create,
                                     LogFormat format) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  DataFolder folder(error ? path : absolute.lexically_normal());
  folder.identity_.format = format;
  if (!has_identity(folder.path_)) {
    if (create == CreateIfMissing::kNo) {
      return make_error(Errc::kNotFound, "there is no Cairn store in " + folder.path_.string());
    }
    if (std::filesystem::is_regular_file(folder.path_, error)) {
      return make_error(Errc::kFailedPrecondition, folder.path_.string() + " is a file; name a folder");
    }
    CAIRN_CHECK(make_folder(folder.path_));
  }
  if (is_network_file_system(folder.path_)) {
    return make_error(
        Errc::kFailedPrecondition,
        folder.path_.string() + " is on a network file system, where a memory-mapped log is not safe");
  }
  CAIRN_CHECK(folder.take_lock());
  if (has_identity(folder.path_)) {
    if (!has_log(folder.path_)) return missing_log(folder.path_);
    CAIRN_CHECK(folder.read_identity());
    // The process that sealed, restored or moved the store may have been killed before it synced the names.
    CAIRN_CHECK(sync_folder(folder.path_));
    CAIRN_CHECK(sync_path(folder.path_));
    CAIRN_CHECK(folder.add_what_is_missing());
    return folder;
  }
  CAIRN_CHECK(folder.begin_new());
  return folder;
}

// Begins a new store. What an earlier first start left that was cut short is removed: cairn.json.new shows
// that it was never finished, so no client has appended to it. A log without that file is data.
Status DataFolder::begin_new() {
  const bool unfinished = std::filesystem::exists(path_ / kUnfinished);
  if (!unfinished && has_log(path_)) return missing_identity(path_);
  if (holds_anything_else(path_)) {
    return make_error(Errc::kFailedPrecondition,
                      path_.string() + " has other files and no Cairn store; name an empty folder");
  }
  std::error_code error;
  if (unfinished) {
    std::filesystem::remove_all(log(), error);
    if (!error) std::filesystem::remove_all(index(), error);
    if (error) return system_error("removing an unfinished store in " + path_.string(), error.value());
  }
  identity_.store_id = new_event_id();
  identity_.id_key = id_key_ = new_id_key();
  identity_.history_id = new_event_id();
  CAIRN_CHECK(write_file(path_ / kUnfinished, text_of(identity_)));
  CAIRN_CHECK(sync_folder(path_));
  return sync_path(path_);
}

// Replaces cairn.json by one with a key and a history, if it lacks them. On a full disk the store opens all
// the same, for this time with a key that follows from its identity; a history is tried again when it is
// asked for.
Status DataFolder::add_what_is_missing() {
  id_key_ = identity_.id_key;
  if (identity_.id_key && identity_.history_id) return {};
  Identity whole = identity_;
  if (!whole.id_key) whole.id_key = new_id_key();
  if (!whole.history_id) whole.history_id = new_event_id();
  const Status written = replace(whole);
  if (written.ok()) {
    identity_ = whole;
    id_key_ = whole.id_key;
  } else if (written.error().code != Errc::kDiskFull) {
    return written;
  } else if (!id_key_) {
    const Sha256 hash = sha256("cairn event ids " + store_id().to_string());
    id_key_ = SipKey{load_le<std::uint64_t>(hash.data()), load_le<std::uint64_t>(hash.data() + 8)};
  }
  return {};
}

Status DataFolder::replace(const Identity& identity) {
  CAIRN_CHECK(write_file(path_ / kReplacement, text_of(identity)));
  if (::rename((path_ / kReplacement).c_str(), (path_ / kIdentity).c_str()) != 0)
    return system_error("replacing " + (path_ / kIdentity).string(), errno);
  return sync_folder(path_);
}

Status DataFolder::raise_format(LogFormat format) {
  if (format <= identity_.format) return {};
  Identity raised = identity_;
  raised.format = format;
  CAIRN_CHECK(replace(raised));
  identity_.format = format;  // and nothing else: other threads read store_id() meanwhile
  return {};
}

Result<Uuid> DataFolder::history_id() {
  if (!identity_.history_id) {
    Identity whole = identity_;
    whole.history_id = new_event_id();
    CAIRN_CHECK(replace(whole));
    identity_.history_id = whole.history_id;
  }
  return *identity_.history_id;
}

std::string DataFolder::text_of(const Identity& identity) {
  nlohmann::ordered_json json{{"format", static_cast<int>(identity.format)},
                              {"storeId", identity.store_id.to_string()}};
  if (identity.id_key)
    json["idKey"] = fmt::format("{:016x}{:016x}", identity.id_key->high, identity.id_key->low);
  if (identity.history_id) json["historyId"] = identity.history_id->to_string();
  return json.dump(2) + "\n";
}

Result<std::string> DataFolder::identity_for_copy(const std::filesystem::path& folder) {
  CAIRN_TRY(const std::string text, read_file(folder / kIdentity));
  CAIRN_TRY(Identity identity, parse(folder / kIdentity, text));
  identity.history_id.reset();
  return text_of(identity);
}

Result<DataFolder> DataFolder::inspect(const std::filesystem::path& path) {
  DataFolder folder(path);
  if (!has_identity(path)) {
    if (has_log(path) && !std::filesystem::exists(path / kUnfinished)) return missing_identity(path);
    return make_error(Errc::kNotFound, "there is no Cairn store in " + path.string());
  }
  if (!has_log(path)) return missing_log(path);
  CAIRN_CHECK(folder.read_identity());
  return folder;
}

Status DataFolder::take_lock() {
  const std::filesystem::path file = path_ / "lock";
  CAIRN_TRY(File lock, File::open(file, O_RDWR | O_CREAT));
  if (flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_error("locking " + file.string(), errno);
    char holder[32] = {};
    const ssize_t got = pread(lock.descriptor(), holder, sizeof holder - 1, 0);
    std::string process(holder, got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!process.empty() && process.back() == '\n') process.pop_back();
    return make_error(Errc::kFailedPrecondition, "the store in " + path_.string() + " is in use by process " +
                                                     (process.empty() ? "?" : process) +
                                                     "; stop it, or name another folder");
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock.descriptor(), 0) != 0 ||
      pwrite(lock.descriptor(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    // The process id is only there for a message, and a store on a full disk can still be read.
    const Error error = system_error("writing " + file.string(), errno);
    if (error.code != Errc::kDiskFull) return error;
  }
  lock_.emplace(std::move(lock));
  return {};
}

Status DataFolder::read_identity() {
  const std::filesystem::path file = path_ / kIdentity;
  CAIRN_TRY(const std::string text, read_file(file));
  CAIRN_TRY(identity_, parse(file, text));
  sealed_ = true;
  return {};
}

Result<DataFolder::Identity> DataFolder::parse(const std::filesystem::path& file, const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("format") || !json["format"].is_number_integer()) {
    return make_error(Errc::kCorruption, file.string() + " cannot be read as a store's identity");
  }
  const auto format = parse_format(json["format"]);
  if (!format) {
    return make_error(Errc::kFailedPrecondition,
                      fmt::format("{} is of format {}; this program reads formats 1 to {}", file.string(),
                                  json["format"].dump(), static_cast<int>(kNewestLogFormat)));
  }
  const auto uuid = [&json](const char* name) {
    return json.contains(name) && json[name].is_string() ? Uuid::parse(json[name].get<std::string>())
                                                         : std::nullopt;
  };
  const auto unreadable = [&file](const char* name) {
    return make_error(Errc::kCorruption, file.string() + " has no readable " + name);
  };
  Identity identity{.format = *format, .store_id = {}, .id_key = {}, .history_id = uuid("historyId")};
  const auto id = uuid("storeId");
  if (!id) return unreadable("storeId");
  identity.store_id = *id;
  if (json.contains("historyId") && !identity.history_id) return unreadable("historyId");
  if (json.contains("idKey")) {
    identity.id_key = parse_id_key(json["idKey"]);
    if (!identity.id_key) return unreadable("idKey");
  }
  return identity;
}

Status DataFolder::seal() {
  if (sealed_) return {};
  if (::rename((path_ / kUnfinished).c_str(), (path_ / kIdentity).c_str()) != 0) {
    return system_error("naming the new store in " + path_.string(), errno);
  }
  CAIRN_CHECK(sync_folder(path_));
  sealed_ = true;
  return {};
}

}  // namespace cairn
