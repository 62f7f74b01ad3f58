#include "schemaregistry/codec/plan_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "schemaregistry/compatibility/pair_rules.h"

namespace cairn {

namespace {

void fail(PlanNode& node, std::string reason) {
  node.op = PlanOp::kFail;
  node.reason = std::move(reason);
}

std::string shown(const SchemaNode& type) {
  std::string text(to_string(type.kind));
  return is_named(type.kind) ? text + " " + type.name.full() : text;
}

using FieldPlaces = std::unordered_map<std::string_view, std::size_t>;

FieldPlaces places_of(const SchemaNode& record) {
  FieldPlaces places;
  for (const SchemaField& field : record.fields) places.emplace(field.name, places.size());
  return places;
}

// The writer's field that a reader's field takes its value from.
std::optional<std::size_t> source_of(const FieldPlaces& writer, const SchemaField& field) {
  if (const auto place = writer.find(field.name); place != writer.end()) return place->second;
  for (const std::string& alias : field.aliases) {
    if (const auto place = writer.find(alias); place != writer.end()) return place->second;
  }
  return std::nullopt;
}

// Primitive types and their widening.
std::optional<PlanOp> scalar_op(SchemaKind writer, SchemaKind reader) {
  switch (reader) {
    case SchemaKind::kNull:
      if (writer == reader) return PlanOp::kNull;
      break;
    case SchemaKind::kBoolean:
      if (writer == reader) return PlanOp::kBoolean;
      break;
    case SchemaKind::kInt:
      if (writer == reader) return PlanOp::kInt;
      break;
    case SchemaKind::kLong:
      if (writer == SchemaKind::kInt) return PlanOp::kInt;
      if (writer == reader) return PlanOp::kLong;
      break;
    case SchemaKind::kFloat:
      if (writer == SchemaKind::kInt || writer == SchemaKind::kLong) return PlanOp::kLongToFloat;
      if (writer == reader) return PlanOp::kFloat;
      break;
    case SchemaKind::kDouble:
      if (writer == SchemaKind::kInt || writer == SchemaKind::kLong) return PlanOp::kLongToDouble;
      if (writer == SchemaKind::kFloat) return PlanOp::kFloatToDouble;
      if (writer == reader) return PlanOp::kDouble;
      break;
    case SchemaKind::kBytes:
      if (writer == SchemaKind::kBytes || writer == SchemaKind::kString) return PlanOp::kBytes;
      break;
    case SchemaKind::kString:
      if (writer == SchemaKind::kBytes) return PlanOp::kBytesToString;
      if (writer == reader) return PlanOp::kString;
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<DecodePlan> PlanCompiler::compile(const Schema& writer, const Schema& reader) {
  reader_root_ = &reader.root();
  plan_.root_ = node_of(writer.root(), reader.root());
  while (!to_fill_.empty()) {
    if (plan_.nodes_.size() > kPlanNodesMax) {
      return make_error(Errc::kTooLarge, "the two schemas have more than " + std::to_string(kPlanNodesMax) +
                                             " pairs of types to be read as each other");
    }
    const auto [node, pair] = to_fill_.back();
    to_fill_.pop_back();
    CAIRN_CHECK(fill(*node, *pair.first, *pair.second));
  }
  return std::move(plan_);
}

PlanNode* PlanCompiler::node_of(const SchemaNode& writer, const SchemaNode& reader) {
  PlanNode*& known = known_[{&writer, &reader}];
  if (!known) {
    known = &plan_.nodes_.emplace_back();
    to_fill_.push_back({known, {&writer, &reader}});
  }
  return known;
}

Status PlanCompiler::fill(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader) {
  if (writer.kind == SchemaKind::kUnion) {
    node.op = PlanOp::kUnion;
    for (const SchemaNode* branch : writer.branches) node.branches.push_back(node_of(*branch, reader));
    return {};
  }
  if (reader.kind == SchemaKind::kUnion) {
    fill_in_union(node, writer, reader);
    return {};
  }
  if (const auto op = scalar_op(writer.kind, reader.kind)) {
    node.op = *op;
    return {};
  }
  if (writer.kind == reader.kind && (!is_named(writer.kind) || names_match(reader, writer))) {
    return fill_same_kind(node, writer, reader);
  }
  fail(node, shown(writer) + " cannot be read as " + shown(reader));
  return {};
}

Status PlanCompiler::fill_same_kind(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader) {
  switch (reader.kind) {
    case SchemaKind::kArray:
    case SchemaKind::kMap:
      node.op = reader.kind == SchemaKind::kArray ? PlanOp::kArray : PlanOp::kMap;
      node.element = node_of(*writer.element, *reader.element);
      break;
    case SchemaKind::kFixed:
      node.op = PlanOp::kFixed;
      node.size = reader.size;
      if (writer.size != reader.size) {
        fail(node, fmt::format("{} has {} bytes for the writer and {} for the reader", shown(writer),
                               writer.size, reader.size));
      }
      break;
    case SchemaKind::kEnum:
      fill_enum(node, writer, reader);
      break;
    case SchemaKind::kRecord:
      return fill_record(node, writer, reader);
    default:
      fail(node, shown(writer) + " cannot be read as " + shown(reader));
  }
  return {};
}

void PlanCompiler::fill_enum(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader) {
  node.op = PlanOp::kEnum;
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (const std::string& symbol : reader.symbols) {
    known.emplace(symbol, static_cast<std::uint32_t>(known.size()));
  }
  for (const std::string& symbol : writer.symbols) {
    auto found = known.find(symbol);
    if (found == known.end() && reader.symbol_default) found = known.find(*reader.symbol_default);
    node.symbols.push_back(found == known.end() ? PlanSymbol{} : PlanSymbol{found->first, found->second});
  }
}

Status PlanCompiler::fill_record(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader) {
  node.op = PlanOp::kRecord;
  const FieldPlaces writer_places = places_of(writer);
  std::vector<std::optional<std::size_t>> sources;
  bool in_order = true;
  std::size_t next = 0;
  for (const SchemaField& field : reader.fields) {
    const auto source = source_of(writer_places, field);
    sources.push_back(source);
    if (!source) continue;
    in_order = in_order && *source >= next;
    next = *source + 1;
  }

  const auto skip_to = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const SchemaNode& skipped = *writer.fields[i].type;
      node.fields.push_back({.source = PlanField::Source::kSkip, .node = node_of(skipped, skipped)});
    }
  };
  if (!in_order) {
    for (const SchemaField& field : writer.fields) node.places.push_back(node_of(*field.type, *field.type));
  }
  std::size_t read = 0;
  for (std::size_t i = 0; i < reader.fields.size(); ++i) {
    const SchemaField& field = reader.fields[i];
    PlanField step{.name = field.name, .json_name = "\"" + field.name + "\":"};
    if (const auto source = sources[i]) {
      if (in_order) skip_to(read, *source);
      read = *source + 1;
      step.source = in_order ? PlanField::Source::kNext : PlanField::Source::kPlace;
      step.place = static_cast<std::uint32_t>(*source);
      step.node = node_of(*writer.fields[*source].type, *field.type);
    } else if (field.default_json) {
      if (!defaults_) {
        CAIRN_TRY(defaults_, EncodeProgram::compile(*reader_root_));
      }
      step.source = PlanField::Source::kDefault;
      step.node = node_of(*field.type, *field.type);
      step.default_bytes = *defaults_->find(reader)->fields[i].default_bytes;
    } else {
      fail(node, "record " + writer.name.full() + " was written without the field \"" + field.name +
                     "\", which has no default");
      return {};
    }
    node.fields.push_back(std::move(step));
  }
  if (in_order) skip_to(read, writer.fields.size());
  return {};
}

// As Avro does, prefers the reader's type that is the same over one that the value can be widened to.
void PlanCompiler::fill_in_union(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader) {
  const auto is_same = [&](const SchemaNode& branch) {
    return branch.kind == writer.kind && (!is_named(writer.kind) || branch.name == writer.name);
  };
  const auto is_of_same_kind = [&](const SchemaNode& branch) { return branch.kind == writer.kind; };
  const auto is_any = [](const SchemaNode&) { return true; };
  const auto first = [&](auto&& wanted) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < reader.branches.size(); ++i) {
      if (wanted(*reader.branches[i]) && checker_.can_read(*reader.branches[i], writer)) return i;
    }
    return std::nullopt;
  };
  std::optional<std::size_t> chosen;
  if (const auto itself = std::find(reader.branches.begin(), reader.branches.end(), &writer);
      itself != reader.branches.end()) {
    chosen = static_cast<std::size_t>(itself - reader.branches.begin());
  }
  if (!chosen) chosen = first(is_same);
  if (!chosen) chosen = first(is_of_same_kind);
  if (!chosen) chosen = first(is_any);
  if (!chosen) {
    // The types are incompatible, but some values of the same type may still be readable.
    for (std::size_t i = 0; i < reader.branches.size() && !chosen; ++i) {
      if (is_same(*reader.branches[i])) chosen = i;
    }
  }
  if (!chosen) return fail(node, shown(writer) + " is none of the types of the reader's union");
  node.op = PlanOp::kInUnion;
  node.branch = static_cast<std::uint32_t>(*chosen);
  node.form = form_of(reader);
  node.element = node_of(writer, *reader.branches[*chosen]);
}

const UnionForm* PlanCompiler::form_of(const SchemaNode& reader) {
  const UnionForm*& known = forms_[&reader];
  if (!known) known = &plan_.forms_.emplace_back(reader);
  return known;
}

Result<DecodePlan> DecodePlan::compile(const Schema& writer, const Schema& reader) {
  return PlanCompiler().compile(writer, reader);
}

}  // namespace cairn
