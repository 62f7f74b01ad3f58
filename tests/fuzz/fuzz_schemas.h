#pragma once

#include <array>
#include <string_view>

namespace cairn::fuzz {

// Schemas with different risks; the first byte of an input selects one.
inline constexpr std::array<std::string_view, 10> kSchemas = {
    R"({"type":"record","name":"Order","fields":[{"name":"id","type":"string"},{"name":"total","type":"long"},
        {"name":"paid","type":"boolean","default":false},{"name":"note","type":["null","string"],"default":null},
        {"name":"lines","type":{"type":"array","items":"int"},"default":[]}]})",
    R"({"type":"record","name":"L","fields":[{"name":"v","type":"bytes"},{"name":"next","type":["null","L"]}]})",
    R"({"type":"map","values":{"type":"array","items":["null","string","bytes","double","long"]}})",
    R"(["null","boolean","int","long","float","double","bytes","string",{"type":"fixed","name":"F","size":3},
        {"type":"enum","name":"E","symbols":["A","B"]},{"type":"map","values":"int"},{"type":"array","items":"null"}])",
    R"({"type":"array","items":{"type":"record","name":"Empty","fields":[]}})",
    R"([{"type":"record","name":"A","fields":[{"name":"x","type":["string","A"]}]},
        {"type":"record","name":"B","fields":[{"name":"x","type":["A","B","int"]}]},{"type":"map","values":["A","B"]}])",
    R"(["string","double",{"type":"map","values":"double"}])",
    R"(["null",{"type":"record","name":"Foo","fields":[{"name":"Foo","type":"int","default":3}]}])",
    R"({"type":"enum","name":"E","symbols":["A","B","C"],"default":"B"})",
    R"({"type":"record","name":"Order","fields":[{"name":"lines","type":{"type":"array","items":"double"}},
        {"name":"new","type":"string","default":"x"},{"name":"total","type":"double"},{"name":"id","type":"string"}]})",
};

}  // namespace cairn::fuzz
