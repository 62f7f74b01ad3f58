#include "tools/cli/commands/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/base/base64.h"
#include "eventstore/json/json_cursor.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/datafile/avro_file_writer.h"
#include "tools/cli/avro/event_envelope.h"
#include "tools/cli/avro/event_shaper.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/interruption.h"
#include "tools/cli/server/read_query.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/server/version_argument.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

struct ExportArguments {
  ServerOptions server;
  std::string type;
  std::string file;
  std::vector<std::string> categories;
  std::string schema_version = "latest";
  bool skip_unfit = false;
  bool bytes = false;
};

// Writes the events of an answer, one after the other.
class ExportRun {
 public:
  // Without a shaper the events have opaque data.
  ExportRun(const ExportArguments& arguments, std::optional<EventShaper> shaper, AvroFileWriter writer)
      : arguments_(arguments), shaper_(std::move(shaper)), writer_(std::move(writer)) {}

  // False when the export cannot go on.
  bool take(std::string_view line) {
    const Status taken = write(line);
    if (!taken) failure_ = taken.error();
    return !failure_;
  }

  Status finish() { return failure_ ? Status(*failure_) : writer_.finish(); }

  const std::optional<Error>& failure() const { return failure_; }
  std::uint64_t written() const { return written_; }
  std::uint64_t skipped() const { return skipped_; }
  const std::string& first_misfit() const { return first_misfit_; }
  int schema_version() const { return shaper_ ? shaper_->version() : 0; }

 private:
  Status write(std::string_view line) {
    auto event = parse_exported_event(line);
    if (!event) {
      return make_error(Errc::kFailedPrecondition,
                        "the answer is not a Cairn server's: an event that " + event.error().message);
    }
    data_.clear();
    CAIRN_TRY(const auto misfit, shaper_ ? shaper_->append(*event, data_) : append_opaque(*event, data_));
    if (misfit) return skip(*event, *misfit);
    record_.clear();
    append_envelope(record_, *event, data_);
    // kIo of the disk, while report_failure() takes kIo for a lost connection.
    if (Status done = writer_.write(record_); !done) {
      return make_error(Errc::kFailedPrecondition, done.error().message);
    }
    ++written_;
    show();
    return {};
  }

  static Result<std::optional<std::string>> append_opaque(const ExportedEvent& event, std::string& to) {
    using Misfit = std::optional<std::string>;
    if (event.content_type.empty()) return Misfit("its data is not opaque");
    const bool is_text = event.data.starts_with('"');
    const auto bytes = is_text ? decode_base64(JsonCursor(event.data).take_string()) : std::nullopt;
    if (!bytes) return make_error(Errc::kFailedPrecondition, "the answer is not a Cairn server's: no base64");
    append_avro_bytes(to, *bytes);
    append_avro_bytes(to, event.content_type);
    return Misfit();
  }

  Status skip(const ExportedEvent& event, const std::string& why) {
    const std::string target =
        shaper_ ? fmt::format("does not match version {} of the schema", shaper_->version())
                : "cannot be exported as bytes";
    const std::string misfit =
        fmt::format("the event at position {} (version {} of {}) {}: {}", event.position, event.version,
                    on_one_line(event.stream), target, on_one_line(why));
    if (!arguments_.skip_unfit) {
      return make_error(Errc::kFailedPrecondition,
                        misfit + "\nNothing was written. " +
                            (shaper_ ? "--schema-version selects another version; " : "") +
                            "--skip-unfit skips such events.");
    }
    if (skipped_++ == 0) first_misfit_ = misfit;
    return {};
  }

  void show() {
    if (written_ % 256 != 0) return;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    const auto rate =
        static_cast<std::uint64_t>(static_cast<double>(written_) / std::max(taken.count(), 0.001));
    bar_.show("export  " + grouped(written_) + " events  " + grouped(rate) + "/s");
  }

  const ExportArguments& arguments_;
  std::optional<EventShaper> shaper_;
  AvroFileWriter writer_;
  ProgressBar bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string data_;
  std::string record_;
  std::string first_misfit_;
  std::optional<Error> failure_;
  std::uint64_t written_ = 0;
  std::uint64_t skipped_ = 0;
};

int print_summary(const ExportArguments& arguments, const ExportRun& run) {
  if (arguments.server.json) {
    const nlohmann::ordered_json json = {{"file", arguments.file},
                                         {"events", run.written()},
                                         {"skipped", run.skipped()},
                                         {"schemaVersion", run.schema_version()}};
    std::cout << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return kExitOk;
  }
  std::cout << grouped(run.written()) << (run.written() == 1 ? " event" : " events") << " of "
            << arguments.type << " exported "
            << (arguments.bytes ? "as bytes"
                                : fmt::format("with version {} of its schema", run.schema_version()))
            << '\n';
  if (run.skipped() > 0) {
    std::cout << std::flush;
    std::cerr << "warning: " << grouped(run.skipped()) << (run.skipped() == 1 ? " event was" : " events were")
              << " left out; the first: " << run.first_misfit() << '\n';
  }
  return kExitOk;
}

int run_export(const ExportArguments& arguments) {
  if (!has_avro_files()) {
    std::cerr << "cairn: this cairn was built without .avro files; `./run deps` fetches what they need\n";
    return kExitNo;
  }
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  // A second connection: schemas are read while events arrive on the first.
  auto schema_client = make_client(arguments.server);
  if (!schema_client) return report_usage(schema_client.error().message);
  Interruption interruption([&] {
    client->stop();
    schema_client->stop();
  });
  RegistryClient registry(*schema_client);
  std::optional<EventShaper> shaper;
  if (!arguments.bytes) {
    auto made = EventShaper::make(registry, arguments.type, arguments.schema_version);
    if (!made) return report_failure(made.error());
    shaper.emplace(*std::move(made));
  }
  const auto envelope = shaper ? envelope_schema(shaper->schema()) : Result<Schema>(opaque_envelope_schema());
  if (!envelope) return report_failure(envelope.error());
  auto writer = AvroFileWriter::create(arguments.file, *envelope);
  if (!writer) return report_usage(writer.error().message);

  std::optional<ExportRun> run(std::in_place, arguments, std::move(shaper), *std::move(writer));
  ReadQuery query;
  query.types = {arguments.type};
  query.categories = arguments.categories;
  using Next = api::Client::Next;
  const auto answer =
      client->get_lines(read_path(query), {{"Accept", "application/x-ndjson"}}, [&](std::string_view event) {
        if (interruption.arrived()) return Next::kStop;
        return event.empty() || run->take(event) ? Next::kGoOn : Next::kStop;
      });
  if (interruption.arrived()) {
    std::cerr << "cairn: interrupted; nothing was written\n";
    return kExitNo;
  }
  if (!answer) return report_unreachable(answer.error());
  if (!answer->ok()) return report_refusal(*answer, arguments.server.json);
  if (const Status finished = run->finish(); !finished) {
    std::cerr << "cairn: " << finished.error().message << '\n';
    return kExitNo;
  }
  return print_summary(arguments, *run);
}

}  // namespace

void add_export_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("export", "Write all events of a type into an .avro file");
  command.footer(
      "\nThe file is a compressed Avro data file that other Avro tools and `cairn import` read. Each record "
      "has\n"
      "position, stream, version, id, type, recordedAt, metadata (JSON, or null), tags, and data in the "
      "schema of\n"
      "the events. Events of another version are converted by Avro's schema resolution.\n"
      "\nExamples:\n"
      "  cairn export --type OrderPlaced --out orders.avro\n"
      "  cairn export --type OrderPlaced --out orders.avro --category order --schema-version 2\n"
      "  cairn export --type LabelPrinted --out labels.avro --bytes");
  auto arguments = std::make_shared<ExportArguments>();
  command.add_option("--type", arguments->type, "The type of the events")->type_name("TYPE")->required();
  command.add_option("--out", arguments->file, "The file; created under its name when it is complete")
      ->type_name("FILE")
      ->required();
  command.add_option("--category", arguments->categories, "Only streams of this category, repeatable")
      ->type_name("CATEGORY")
      ->allow_extra_args(false);
  command
      .add_option("--schema-version", arguments->schema_version,
                  "The version of the schema to write, or 'latest'")
      ->type_name("VERSION")
      ->check(CLI::Validator(check_version_argument, ""))
      ->capture_default_str();
  command
      .add_flag("--bytes", arguments->bytes,
                "Export events with opaque data: data is bytes, and contentType says of what type")
      ->excludes("--schema-version");
  command.add_flag("--skip-unfit", arguments->skip_unfit,
                   "Skip events that do not match that version, and report their number");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_export(*arguments); });
}

}  // namespace cairn::cli
