#include "schemaregistry/compatibility/pair_rules.h"

#include <algorithm>

namespace cairn {
namespace {

// Up to this number of branches a linear search costs less than an index.
constexpr std::size_t kBranchesWithoutIndex = 16;

bool is_primitive(SchemaKind kind) { return kind <= SchemaKind::kString; }

// Whether Avro turns a written value into another kind while reading.
bool promotes(SchemaKind reader, SchemaKind writer) {
  switch (reader) {
    case SchemaKind::kLong:
      return writer == SchemaKind::kInt;
    case SchemaKind::kFloat:
      return writer == SchemaKind::kInt || writer == SchemaKind::kLong;
    case SchemaKind::kDouble:
      return writer == SchemaKind::kInt || writer == SchemaKind::kLong || writer == SchemaKind::kFloat;
    case SchemaKind::kBytes:
      return writer == SchemaKind::kString;
    case SchemaKind::kString:
      return writer == SchemaKind::kBytes;
    default:
      return false;
  }
}

PairPart fault_at(PairFault fault, PathStep step, const SchemaNode& reader, const SchemaNode& writer,
                  std::uint32_t index = 0) {
  return PairPart{.fault = fault, .step = step, .index = index, .reader = &reader, .writer = &writer};
}

PairPart pair_at(PathStep step, const SchemaNode& reader, const SchemaNode& writer, std::uint32_t index = 0) {
  return fault_at(PairFault::kNone, step, reader, writer, index);
}

}  // namespace

bool names_match(const SchemaNode& reader, const SchemaNode& writer) {
  if (reader.name.name == writer.name.name) return true;
  if (reader.aliases.empty()) return false;
  const std::string wanted = writer.name.full();
  return std::find(reader.aliases.begin(), reader.aliases.end(), wanted) != reader.aliases.end();
}

std::optional<bool> can_read_at_a_glance(const SchemaNode& reader, const SchemaNode& writer) {
  if (reader.kind == SchemaKind::kUnion || writer.kind == SchemaKind::kUnion) return std::nullopt;
  if (reader.kind != writer.kind) return promotes(reader.kind, writer.kind);
  if (is_primitive(reader.kind)) return true;
  return std::nullopt;
}

std::vector<std::string_view> missing_symbols(const SchemaNode& reader, const SchemaNode& writer) {
  std::vector<std::string_view> known(reader.symbols.begin(), reader.symbols.end());
  std::vector<std::string_view> written(writer.symbols.begin(), writer.symbols.end());
  std::sort(known.begin(), known.end());
  std::sort(written.begin(), written.end());
  std::vector<std::string_view> missing;
  std::set_difference(written.begin(), written.end(), known.begin(), known.end(),
                      std::back_inserter(missing));
  return missing;
}

void PairRules::expand(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts) {
  parts.clear();
  ++work_;
  if (writer.kind == SchemaKind::kUnion) {
    work_ += writer.branches.size();
    for (std::uint32_t i = 0; i < writer.branches.size(); ++i) {
      parts.push_back(pair_at(PathStep::kBranch, reader, *writer.branches[i], i));
    }
    return;
  }
  switch (reader.kind) {
    case SchemaKind::kArray:
      parts.push_back(pair_at(PathStep::kItems, *reader.element, *writer.element));
      break;
    case SchemaKind::kMap:
      parts.push_back(pair_at(PathStep::kValues, *reader.element, *writer.element));
      break;
    case SchemaKind::kFixed:
      check_name(reader, writer, parts);
      if (reader.size != writer.size)
        parts.push_back(fault_at(PairFault::kSize, PathStep::kSize, reader, writer));
      break;
    case SchemaKind::kEnum:
      expand_enum(reader, writer, parts);
      break;
    case SchemaKind::kRecord:
      expand_record(reader, writer, parts);
      break;
    default:
      break;
  }
}

void PairRules::check_name(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts) {
  work_ += reader.aliases.size();
  if (!names_match(reader, writer))
    parts.push_back(fault_at(PairFault::kName, PathStep::kName, reader, writer));
}

void PairRules::expand_enum(const SchemaNode& reader, const SchemaNode& writer,
                            std::vector<PairPart>& parts) {
  check_name(reader, writer, parts);
  if (reader.symbol_default || reader.symbols == writer.symbols) return;
  SymbolIndex& known = symbols_[&reader];
  if (known.empty()) known.insert(reader.symbols.begin(), reader.symbols.end());
  work_ += writer.symbols.size();
  const bool all_known = std::all_of(writer.symbols.begin(), writer.symbols.end(),
                                     [&known](const std::string& symbol) { return known.contains(symbol); });
  if (!all_known) parts.push_back(fault_at(PairFault::kSymbols, PathStep::kSymbols, reader, writer));
}

void PairRules::expand_record(const SchemaNode& reader, const SchemaNode& writer,
                              std::vector<PairPart>& parts) {
  check_name(reader, writer, parts);
  for (std::uint32_t i = 0; i < reader.fields.size(); ++i) {
    const SchemaField& field = reader.fields[i];
    work_ += 1 + field.aliases.size();
    const SchemaField* found = find_field(writer, field.name, i);
    bool is_ambiguous = false;
    for (const std::string& alias : field.aliases) {
      const SchemaField* other = find_field(writer, alias, i);
      if (other == nullptr || other == found) continue;
      is_ambiguous = is_ambiguous || found != nullptr;
      found = other;
    }
    if (is_ambiguous) {
      parts.push_back(fault_at(PairFault::kFieldAmbiguous, PathStep::kField, reader, writer, i));
    } else if (found != nullptr) {
      parts.push_back(pair_at(PathStep::kFieldType, *field.type, *found->type, i));
    } else if (field.default_json) {
      continue;
    } else if (field.type->kind == SchemaKind::kEnum && field.type->symbol_default) {
      // An enum's default replaces symbols, not fields. Avro's checker compares the enum with the whole
      // record then, and what it reports is what clients know.
      parts.push_back(fault_at(PairFault::kTypes, PathStep::kFieldType, *field.type, writer, i));
    } else {
      parts.push_back(fault_at(PairFault::kFieldMissing, PathStep::kField, reader, writer, i));
    }
  }
}

const SchemaField* PairRules::find_field(const SchemaNode& record, std::string_view name,
                                         std::size_t likely_at) {
  // Most fields keep their position from one version to the next.
  if (likely_at < record.fields.size() && record.fields[likely_at].name == name)
    return &record.fields[likely_at];
  FieldIndex& index = fields_[&record];
  if (index.empty()) {
    for (const SchemaField& field : record.fields) index.emplace(field.name, &field);
  }
  const auto at = index.find(name);
  return at == index.end() ? nullptr : at->second;
}

void PairRules::candidates(const SchemaNode& reader, const SchemaNode& writer,
                           std::vector<const SchemaNode*>& branches) {
  branches.clear();
  ++work_;
  if (!is_named(writer.kind) || reader.branches.size() <= kBranchesWithoutIndex) {
    work_ += reader.branches.size();
    for (const SchemaNode* branch : reader.branches) {
      if (can_read_at_a_glance(*branch, writer) == false) continue;
      if (is_named(writer.kind)) {
        work_ += branch->aliases.size();
        if (!names_match(*branch, writer)) continue;
      }
      branches.push_back(branch);
    }
    return;
  }
  const BranchIndex& index = branches_by_name(reader);
  const auto take = [&](const std::string& name) {
    for (auto [at, end] = index.equal_range(name); at != end; ++at) {
      ++work_;
      const SchemaNode* branch = at->second;
      if (branch->kind == writer.kind && names_match(*branch, writer)) branches.push_back(branch);
    }
  };
  take(writer.name.name);
  if (!writer.name.space.empty()) take(writer.name.full());
}

// Indexed by unqualified names and aliases. A branch may be in the list of a name twice, which is harmless.
const PairRules::BranchIndex& PairRules::branches_by_name(const SchemaNode& choice) {
  BranchIndex& index = branches_[&choice];
  if (index.empty()) {
    for (const SchemaNode* branch : choice.branches) {
      if (!is_named(branch->kind)) continue;
      index.emplace(branch->name.name, branch);
      for (const std::string& alias : branch->aliases) index.emplace(alias, branch);
    }
  }
  return index;
}

}  // namespace cairn
