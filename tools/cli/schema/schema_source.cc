#include "tools/cli/schema/schema_source.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "tools/cli/schema/registration_order.h"

namespace cairn::cli {

void add_schema_source(CLI::App& command, SchemaSource& source) {
  command.add_option("subject", source.subject, "The subject, which is the type of the events")
      ->type_name("SUBJECT");
  command.add_option("file", source.file, "Its schema, an .avsc file")->type_name("FILE");
  command
      .add_option("--dir", source.folder,
                  "All of a folder: Subject.avsc, or Subject/1.avsc, Subject/1-2.lua, Subject/2.avsc, …")
      ->type_name("DIR");
  command
      .add_option("--upcaster", source.upcaster,
                  "With FILE: the Lua script that brings events of the version before it over")
      ->type_name("FILE");
}

Result<SchemaFolder> read_schema_source(const SchemaSource& source) {
  const bool is_single = !source.subject.empty() && !source.file.empty() && source.folder.empty();
  const bool is_folder = source.subject.empty() && source.file.empty() && !source.folder.empty();
  if (!is_single && !is_folder) {
    return make_error(Errc::kInvalidArgument, "name a SUBJECT and its FILE, or a folder with --dir");
  }
  if (is_folder && !source.upcaster.empty()) {
    return make_error(Errc::kInvalidArgument,
                      "--upcaster goes with one FILE; in a folder they are found by name, as in "
                      "Subject/1-2.lua");
  }
  SchemaFolder folder;
  if (is_single) {
    CAIRN_TRY(SchemaFile file, read_schema_file(source.subject, 0, source.file));
    if (!source.upcaster.empty()) {
      CAIRN_TRY(file.upcaster, read_upcaster_file(source.upcaster));
    }
    folder.files.push_back(std::move(file));
  } else {
    CAIRN_TRY(folder, read_schema_folder(source.folder));
  }
  CAIRN_TRY(folder.files, in_registration_order(std::move(folder.files)));
  return folder;
}

}  // namespace cairn::cli
