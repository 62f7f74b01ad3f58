// Every command in a document is run, and its output is compared. document_run.h has the rules.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/docs/document_run.h"
#include "tests/docs/documents.h"

namespace cairn::test {
namespace {

class SamplesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SamplesTest, DoWhatTheDocumentSays) {
  const Markdown markdown = document(GetParam());
  for (const std::string& complaint : run_document(GetParam(), markdown)) ADD_FAILURE() << complaint;
}

INSTANTIATE_TEST_SUITE_P(Document, SamplesTest, ::testing::ValuesIn(document_names()),
                         [](const auto& chosen) { return test_name_of(chosen.param); });

}  // namespace
}  // namespace cairn::test
