#include "schemaregistry/model/canonical_form.h"

#include <array>
#include <unordered_set>

#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

class CanonicalPrinter {
 public:
  std::string print(const SchemaNode& root) {
    type(root);
    return std::move(text_);
  }

 private:
  void type(const SchemaNode& node) {
    if (is_named(node.kind) && !written_.insert(&node).second) return string(node.name.full());
    switch (node.kind) {
      case SchemaKind::kRecord:
        named(node);
        text_ += R"(,"fields":[)";
        for (const SchemaField& field : node.fields) {
          text_ += &field == &node.fields.front() ? R"({"name":)" : R"(,{"name":)";
          string(field.name);
          text_ += R"(,"type":)";
          type(*field.type);
          text_ += '}';
        }
        text_ += "]}";
        return;
      case SchemaKind::kEnum:
        named(node);
        text_ += R"(,"symbols":[)";
        for (const std::string& symbol : node.symbols) {
          if (&symbol != &node.symbols.front()) text_ += ',';
          string(symbol);
        }
        text_ += "]}";
        return;
      case SchemaKind::kFixed:
        named(node);
        text_ += R"(,"size":)" + std::to_string(node.size) + '}';
        return;
      case SchemaKind::kArray:
      case SchemaKind::kMap:
        text_ +=
            node.kind == SchemaKind::kArray ? R"({"type":"array","items":)" : R"({"type":"map","values":)";
        type(*node.element);
        text_ += '}';
        return;
      case SchemaKind::kUnion:
        text_ += '[';
        for (const SchemaNode* branch : node.branches) {
          if (branch != node.branches.front()) text_ += ',';
          type(*branch);
        }
        text_ += ']';
        return;
      default:
        return string(to_string(node.kind));
    }
  }

  void named(const SchemaNode& node) {
    text_ += R"({"name":)";
    string(node.name.full());
    text_ += R"(,"type":)";
    string(to_string(node.kind));
  }

  void string(std::string_view text) { append_json_string(text_, text); }

  std::string text_;
  std::unordered_set<const SchemaNode*> written_;
};

constexpr std::uint64_t kEmptyFingerprint = 0xc15d213aa4d7a795;

constexpr std::array<std::uint64_t, 256> kTable = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    std::uint64_t fingerprint = i;
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint64_t low = fingerprint & 1;
      fingerprint = (fingerprint >> 1) ^ (low ? kEmptyFingerprint : 0);
    }
    table[i] = fingerprint;
  }
  return table;
}();

}  // namespace

std::string canonical_form(const Schema& schema) { return CanonicalPrinter().print(schema.root()); }

std::uint64_t crc64_avro(std::string_view text) {
  std::uint64_t fingerprint = kEmptyFingerprint;
  for (const char c : text) {
    fingerprint = (fingerprint >> 8) ^ kTable[(fingerprint ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return fingerprint;
}

}  // namespace cairn
