#include "tools/cli/commands/commands.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/client/line_splitter.h"
#include "eventstore/base/file.h"
#include "eventstore/base/limits.h"
#include "eventstore/types.h"
#include "tools/cli/avro/avro_event_file.h"
#include "tools/cli/commands/import_batch.h"
#include "tools/cli/commands/import_line.h"
#include "tools/cli/commands/import_types.h"
#include "tools/cli/commands/importer.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/event_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

struct ImportArguments {
  ServerOptions server;
  std::string file;
  BatchLimits limits;
  std::string expect = "any";
};

// Parses the lines of a file and sends them in batches.
class ImportRun {
 public:
  ImportRun(api::Client& client, const ImportArguments& arguments)
      : limits_(arguments.limits), importer_(client, arguments.expect), batch_(limits_) {}

  // False when the import cannot go on.
  bool take(std::string_view line) {
    ++lines_;
    if (line.find_first_not_of(" \t") == std::string_view::npos) return true;
    auto parsed = parse_import_line(line, lines_);
    if (!parsed) return fail({lines_, lines_, parsed.error().message});
    if (parsed->was_stored && is_system_stream(parsed->stream)) {
      ++skipped_;  // A system stream of the other store.
      return true;
    }
    importer_.choose_version(*parsed);
    if (!batch_.has_room_for(*parsed) && !send()) return false;
    batch_.add(*parsed, lines_);
    return true;
  }

  // Sends the last batch. False when it could not be stored.
  bool finish() { return !failure_ && (batch_.empty() || send()); }

  bool fail(ImportFailure failure) {
    failure_ = std::move(failure);
    return false;
  }

  std::uint64_t lines() const { return lines_; }
  std::uint64_t skipped() const { return skipped_; }
  const ImportCounts& counts() const { return importer_.counts(); }
  const std::optional<ImportFailure>& failure() const { return failure_; }

  // The first line that is not known to be stored.
  std::uint64_t first_open_line() const { return batch_.empty() ? lines_ : batch_.first_line(); }

 private:
  bool send() {
    failure_ = importer_.send(batch_);
    if (!failure_) batch_ = ImportBatch(limits_);
    return !failure_;
  }

  BatchLimits limits_;
  Importer importer_;
  ImportBatch batch_;
  std::uint64_t lines_ = 0;
  std::uint64_t skipped_ = 0;
  std::optional<ImportFailure> failure_;
};

// Progress by bytes read. The size of a pipe is unknown.
class ImportProgress {
 public:
  ImportProgress() = default;
  explicit ImportProgress(int file) {
    struct stat facts {};
    if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
      bytes_total_ = static_cast<std::uint64_t>(facts.st_size);
    }
  }

  void update(std::uint64_t bytes, const ImportCounts& counts) {
    const std::uint64_t events = counts.appended + counts.already_applied;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    const auto rate =
        static_cast<std::uint64_t>(static_cast<double>(events) / std::max(taken.count(), 0.001));
    std::string text = bytes_total_ > 0 ? share_text("import", bytes, bytes_total_) : "import";
    bar_.show(text + "  " + grouped(events) + " events  " + grouped(rate) + "/s");
  }

 private:
  ProgressBar bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::uint64_t bytes_total_ = 0;
};

// Reads the file to its end or to the line where the import stops. Fails when the file cannot be read.
Status read_lines(int file, const std::string& name, ImportRun& run) {
  ImportProgress progress(file);
  api::LineSplitter splitter;
  const auto take = [&](std::string_view line) { return run.take(line); };
  std::uint64_t bytes_read = 0;
  std::string buffer(256u << 10, '\0');
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading " + name, errno);
    if (got == 0) break;
    bytes_read += static_cast<std::uint64_t>(got);
    if (!splitter.feed({buffer.data(), static_cast<std::size_t>(got)}, take)) {
      if (!run.failure()) run.fail({run.lines() + 1, run.lines() + 1, "is too long for an event"});
      return {};
    }
    progress.update(bytes_read, run.counts());
  }
  if (!splitter.rest().empty()) run.take(splitter.rest());
  run.finish();
  return {};
}

// Gathers the types of a regular file, and reads it from its beginning again afterwards.
Result<ImportTypes> types_of_lines(int file, const std::string& name) {
  ImportTypes types;
  api::LineSplitter splitter;
  const auto take = [&](std::string_view line) {
    types.take(line);
    return true;
  };
  ProgressBar bar;
  std::uint64_t bytes_read = 0;
  std::string buffer(256u << 10, '\0');
  for (;;) {
    const ssize_t got = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(bytes_read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading " + name, errno);
    if (got == 0) break;
    bytes_read += static_cast<std::uint64_t>(got);
    if (!splitter.feed({buffer.data(), static_cast<std::size_t>(got)}, take))
      return types;  // The import says so.
    bar.show("types  " + grouped(bytes_read >> 20) + " MiB");
  }
  if (!splitter.rest().empty()) types.take(splitter.rest());
  return types;
}

Result<ImportTypes> types_of_records(const std::string& path) {
  CAIRN_TRY(AvroEventFile file, AvroEventFile::open(path));
  ImportTypes types;
  std::string line;
  for (;;) {
    CAIRN_TRY(const bool more, file.next(line));
    if (!more) return types;
    types.take(line);
  }
}

bool is_regular(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
}

// The same for an .avro file, in which every record is a line.
Status read_records(const std::string& path, ImportRun& run) {
  CAIRN_TRY(AvroEventFile file, AvroEventFile::open(path));
  ImportProgress progress;
  std::string line;
  for (;;) {
    CAIRN_TRY(const bool more, file.next(line));
    if (!more) break;
    if (!run.take(line)) return {};
    progress.update(0, run.counts());
  }
  run.finish();
  return {};
}

std::string lines_text(const ImportFailure& failure, const std::string& line) {
  if (failure.first_line == failure.last_line) return fmt::format("{} {}", line, failure.first_line);
  return fmt::format("{}s {} to {}", line, failure.first_line, failure.last_line);
}

void print_summary(const ImportArguments& arguments, const ImportRun& run) {
  const ImportCounts& counts = run.counts();
  if (arguments.server.json) {
    nlohmann::ordered_json json = {{"lines", run.lines()},
                                   {"appended", counts.appended},
                                   {"alreadyApplied", counts.already_applied},
                                   {"passedOver", run.skipped()}};
    if (const auto& failure = run.failure()) {
      json["failed"] = {
          {"firstLine", failure->first_line}, {"lastLine", failure->last_line}, {"reason", failure->reason}};
    }
    std::cout << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return;
  }
  std::cout << grouped(counts.appended) << (counts.appended == 1 ? " event" : " events") << " imported";
  if (counts.already_applied > 0)
    std::cout << ", " << grouped(counts.already_applied) << " were there already";
  if (run.skipped() > 0) {
    std::cout << ", " << grouped(run.skipped()) << " of Cairn's own streams ($…) skipped";
  }
  std::cout << '\n';
}

int run_import(const ImportArguments& arguments) {
  const bool from_stdin = arguments.file == "-";
  std::optional<File> opened;
  if (!from_stdin) {
    std::error_code ignored;
    if (std::filesystem::is_directory(arguments.file, ignored)) {
      return report_usage(arguments.file + " is a folder; name a file");
    }
    auto file = File::open(arguments.file, O_RDONLY);
    if (!file) return report_usage(file.error().message);
    opened = *std::move(file);
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);

  ImportRun run(*client, arguments);
  const std::string name = from_stdin ? "stdin" : arguments.file;
  const bool is_avro = !from_stdin && is_avro_file(arguments.file);
  // A pipe can be read only once: its types are checked with each batch.
  if (is_avro || (opened && is_regular(opened->descriptor()))) {
    const auto types =
        is_avro ? types_of_records(arguments.file) : types_of_lines(opened->descriptor(), name);
    if (const auto missing = types ? types->missing(*client) : std::nullopt) run.fail(*missing);
  }
  const auto read_all = [&]() -> Status {
    if (run.failure()) return {};
    if (is_avro) return read_records(arguments.file, run);
    return read_lines(opened ? opened->descriptor() : STDIN_FILENO, name, run);
  };
  const Status read = read_all();
  if (!read) run.fail({run.lines() + 1, run.lines() + 1, read.error().message});
  if (!run.failure() || arguments.server.json) print_summary(arguments, run);
  if (!run.failure()) return kExitOk;

  const ImportFailure& failure = *run.failure();
  const std::string line = is_avro ? "record" : "line";
  std::cerr << "cairn: " << name << ", " << lines_text(failure, line) << ": " << failure.reason << '\n';
  if (run.first_open_line() > 1) {
    std::cerr << "Everything before " << line << ' ' << run.first_open_line()
              << " is stored; the same import again skips it.\n";
  } else {
    std::cerr << "Nothing was imported.\n";
  }
  return failure.unreachable ? kExitUnreachable : kExitNo;
}

std::string check_batch(const std::string& text) {
  std::size_t events = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), events);
  const bool good = error == std::errc() && end == text.data() + text.size() && events > 0 &&
                    events <= limits::kRequestEventsMax;
  return good ? "" : "must be a number from 1 to " + std::to_string(limits::kRequestEventsMax);
}

}  // namespace

void add_import_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("import", "Append many events from a file");
  command.footer(
      "\nEach line is a JSON object with stream, type and data, and optionally id, metadata, tags and "
      "schemaVersion.\n"
      "The output of `cairn read --json` is accepted, and so is an .avro file that `cairn export` wrote. "
      "Schemas\n"
      "are not copied: register them first. Types without a schema are named before anything is appended, "
      "unless\n"
      "the file is a pipe. Numbers keep their digits. An interrupted import can be "
      "repeated: events that are already stored are skipped, always "
      "with\n"
      "--expect 0, and otherwise as long as the server remembers ids.\n"
      "\nExamples:\n"
      "  cairn import orders.ndjson\n"
      "  cairn import orders.avro                               what `cairn export` wrote\n"
      "  cairn import orders.ndjson --expect 0                  only into streams that do not exist yet\n"
      "  cairn read --all --json --shape stored --url http://old:7878 | cairn import - --keep-order");
  auto arguments = std::make_shared<ImportArguments>();
  command.add_option("file", arguments->file, "The file, or - for stdin")->type_name("FILE")->required();
  command
      .add_option("--batch", arguments->limits.events_max,
                  "Events in one request, which is stored completely or not at all")
      ->type_name("N")
      ->check(CLI::Validator(check_batch, ""))
      ->capture_default_str();
  command
      .add_option("--expect", arguments->expect,
                  "The version of each stream before the import (0 = does not exist), or 'exists', or 'any'")
      ->type_name("VERSION")
      ->check(CLI::Validator(check_expectation, ""))
      ->capture_default_str();
  command.add_flag("--keep-order", arguments->limits.keep_order,
                   "Keep the order of events of different streams too; batches get smaller");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_import(*arguments); });
}

}  // namespace cairn::cli
