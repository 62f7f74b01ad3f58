#include "schemaregistry/codec/encode_program.h"

#include <algorithm>

#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/encode_run.h"

namespace cairn {

Result<EncodeProgram> EncodeProgram::compile(const SchemaNode& root) {
  EncodeProgram program;
  program.root_ = program.node_of(root);
  // Nodes are made when they are first named and filled here from a list, so that deep types do not recurse.
  for (std::size_t i = 0; i < program.nodes_.size(); ++i) program.fill(program.nodes_[i]);
  for (EncodeNode& node : program.nodes_) CAIRN_CHECK(program.compile_defaults(node));
  return program;
}

EncodeNode* EncodeProgram::node_of(const SchemaNode& type) {
  EncodeNode*& known = known_[&type];
  if (!known) {
    known = &nodes_.emplace_back();
    known->type = &type;
  }
  return known;
}

void EncodeProgram::fill(EncodeNode& node) {
  const SchemaNode& type = *node.type;
  for (const SchemaField& field : type.fields) {
    node.places.emplace(field.name, static_cast<std::uint32_t>(node.fields.size()));
    node.fields.push_back({.name = field.name, .type = node_of(*field.type)});
    if (!field.default_json) ++node.required_fields;
  }
  for (const std::string& symbol : type.symbols) {
    node.places.emplace(symbol, static_cast<std::uint32_t>(node.places.size()));
  }
  if (type.element) node.element = node_of(*type.element);
  for (const SchemaNode* branch : type.branches) {
    if (json_group(branch->kind) == JsonGroup::kObject) {
      node.object_branches.push_back(static_cast<std::uint32_t>(node.branches.size()));
    }
    node.branches.push_back(node_of(*branch));
  }
  if (type.kind == SchemaKind::kUnion) node.form.emplace(type);
}

Status EncodeProgram::compile_defaults(EncodeNode& node) {
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    const SchemaField& field = node.type->fields[i];
    if (!field.default_json) continue;
    std::string bytes;
    EncodeRun run(*field.default_json, UnionStyle::kPlainInOrder, bytes);
    const auto faults = run.encode(*node.fields[i].type);
    if (!faults.empty()) {
      return make_error(Errc::kInvalidArgument, "the default of the field \"" + field.name + "\" of " +
                                                    node.type->name.full() + " cannot be written: at \"" +
                                                    faults.front().path + "\" " + faults.front().expected +
                                                    " was expected, not " + faults.front().found);
    }
    default_bytes_ += bytes.size();
    if (default_bytes_ > kDefaultBytesMax) {
      return make_error(Errc::kInvalidArgument, "the defaults take more than " +
                                                    std::to_string(kDefaultBytesMax) +
                                                    " bytes when they are written out");
    }
    node.fields[i].default_bytes = std::move(bytes);
    node.fields[i].default_depth = run.deepest();
    node.fields[i].default_empty = run.empty_values();
    node.default_depth_max = std::max(node.default_depth_max, run.deepest());
  }
  node.has_default_bytes = true;
  return {};
}

}  // namespace cairn
