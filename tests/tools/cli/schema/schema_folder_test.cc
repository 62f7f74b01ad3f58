#include "tools/cli/schema/schema_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cli/schema/schema_files.h"
#include "tools/cli/schema/registration_order.h"

namespace cairn::test {
namespace {

using cli::in_registration_order;
using cli::read_schema_folder;
using cli::SchemaFile;
using cli::SchemaReference;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_in(const std::vector<SchemaFile>& files) {
  std::vector<std::string> names;
  for (const SchemaFile& file : files) {
    names.push_back(file.number == 0 ? file.subject : file.subject + "/" + std::to_string(file.number));
  }
  return names;
}

class SchemaFolderTest : public ::testing::Test {
 protected:
  std::string failure() const {
    const auto folder = read_schema_folder(files_.path());
    if (folder.ok()) return "none";
    EXPECT_EQ(folder.error().code, Errc::kInvalidArgument);
    return folder.error().message;
  }

  SchemaFiles files_;
};

TEST_F(SchemaFolderTest, FilesAreSortedBySubjectAndNumber) {
  files_.put("Shipped.avsc", "{}");
  files_.put("Order/10.avsc", "{}");
  files_.put("Order/9.avsc", "{}");
  files_.put("README.md", "");
  files_.put(".hidden.avsc", "");
  files_.put("docs/notes.txt", "");
  const auto folder = read_schema_folder(files_.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(names_in(folder->files), ElementsAre("Order/9", "Order/10", "Shipped"));
  EXPECT_EQ(folder->files[2].path, files_.path_of("Shipped.avsc"));
}

TEST_F(SchemaFolderTest, MissingNumbersAreReported) {
  for (const char* name : {"Order/2.avsc", "Order/5.avsc", "Order/6.avsc"}) files_.put(name, "{}");
  const auto folder = read_schema_folder(files_.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->notes, ElementsAre(HasSubstr("Order/2.avsc: 1.avsc is missing before it"),
                                         HasSubstr("Order/5.avsc: 3.avsc to 4.avsc are missing before it")));
}

TEST_F(SchemaFolderTest, AnUpcasterBelongsToItsTargetVersion) {
  for (const char* name : {"Order/1.avsc", "Order/2.avsc", "Order/10.avsc"}) files_.put(name, "{}");
  files_.put("Order/2-10.lua", "the script");
  const auto folder = read_schema_folder(files_.path());
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_FALSE(folder->files[0].upcaster);
  EXPECT_FALSE(folder->files[1].upcaster);
  ASSERT_TRUE(folder->files[2].upcaster);
  EXPECT_EQ(folder->files[2].upcaster->source, "the script");
  EXPECT_EQ(folder->files[2].upcaster->path, files_.path_of("Order/2-10.lua"));
  EXPECT_EQ(folder->files[2].upcaster->name(), "2-10.lua");
  EXPECT_EQ(folder->files[2].upcaster->from, 2u);
  EXPECT_EQ(folder->files[2].upcaster->to, 10u);
}

TEST_F(SchemaFolderTest, AMisplacedUpcasterIsAnError) {
  for (const char* name : {"Order/1.avsc", "Order/2.avsc", "Order/3.avsc"}) files_.put(name, "{}");
  for (const auto& [name, message] : std::vector<std::pair<std::string, std::string>>{
           {"Order/latest.lua", "latest.lua: the name must say which version"},
           {"Order/2.lua", "2.lua: the name must say"},
           {"Order/2-x.lua", "2-x.lua: the name must say"},
           {"Order/1-2-3.lua", "1-2-3.lua: the name must say"},
           {"Order/0-1.lua", "0-1.lua: the name must say"},
           {"Order/2-1.lua", "2-1.lua: the name must say"},
           {"Order/2-2.lua", "2-2.lua: the name must say"},
           {"Order/3-4.lua", "3-4.lua: 4.avsc, which it leads to, is missing"},
           {"Other/1-2.lua", "1-2.lua: 2.avsc, which it leads to, is missing"},
           {"Order/1-3.lua", "1-3.lua: leads past 2.avsc"}}) {
    files_.put(name, "");
    EXPECT_THAT(failure(), HasSubstr(message)) << name;
    std::filesystem::remove(files_.path_of(name));
  }
  files_.put("Order/1-2.lua", "");
  files_.put("Order/01-2.lua", "");
  EXPECT_THAT(failure(), HasSubstr("two upcasters lead to " + files_.path_of("Order/2.avsc")));
  std::filesystem::remove(files_.path_of("Order/01-2.lua"));
  files_.put("Order/1-2.lua", "-- \xff");
  EXPECT_THAT(failure(), HasSubstr("1-2.lua: is not UTF-8"));
}

TEST_F(SchemaFolderTest, OtherScriptsAreNoted) {
  files_.put("Order/1.avsc", "{}");
  files_.put("Order.lua", "");
  files_.put("scripts/build.lua", "");
  const auto folder = read_schema_folder(files_.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->notes,
              ElementsAre(HasSubstr("Order.lua is ignored"), HasSubstr("build.lua is ignored")));
}

TEST_F(SchemaFolderTest, AFolderWithoutSchemasIsRefused) {
  EXPECT_THAT(failure(), HasSubstr("holds no schemas"));
  EXPECT_THAT(read_schema_folder("/nowhere").error().message, HasSubstr("there is no folder /nowhere"));
  files_.put("Order.avsc", "{}");
  EXPECT_THAT(read_schema_folder(files_.path_of("Order.avsc")).error().message, HasSubstr("is not a folder"));
}

TEST_F(SchemaFolderTest, TwoFilesForOneVersionAreRefused) {
  files_.put("Order.avsc", "{}");
  files_.put("Order/1.avsc", "{}");
  EXPECT_THAT(failure(), HasSubstr("subject Order has two files: " + files_.path_of("Order/1.avsc") +
                                   " and " + files_.path_of("Order.avsc")));
  std::filesystem::remove(files_.path_of("Order.avsc"));
  files_.put("Order/01.avsc", "{}");
  EXPECT_THAT(failure(), HasSubstr("subject Order has two files"));
}

TEST_F(SchemaFolderTest, AMisplacedSchemaIsAnError) {
  files_.put("Order/latest.avsc", "{}");
  EXPECT_THAT(failure(), HasSubstr("latest.avsc: the name must be the number"));
  std::filesystem::remove(files_.path_of("Order/latest.avsc"));
  files_.put("shop/Order/1.avsc", "{}");
  EXPECT_THAT(failure(), HasSubstr("shop/Order holds schemas, but is too deep"));
}

TEST_F(SchemaFolderTest, ReferencesAreReadFromRefsJson) {
  files_.put("Order.avsc", "{}");
  files_.put("Order.refs.json", R"([{"name":"shop.Money","subject":"Money","version":2},
                                    {"name":"Id","subject":"Ids"}])");
  const auto folder = read_schema_folder(files_.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->files[0].references,
              ElementsAre(SchemaReference{"shop.Money", "Money", 2}, SchemaReference{"Id", "Ids", -1}));

  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "must be a JSON list"},
           {"[", "must be a JSON list"},
           {"[1]", "must be an object"},
           {R"([{"name":"a"}])", "needs \"subject\""},
           {R"([{"name":"a","subject":"b","version":0}])", "\"version\" must be"},
           {R"([{"name":"a","subject":"b","versoin":1}])", "has no \"versoin\""}}) {
    files_.put("Order.refs.json", text);
    EXPECT_THAT(failure(), HasSubstr(message)) << text;
  }
}

// A file of a subject that refers to the latest versions of others.
SchemaFile file(const std::string& subject, int number, const std::vector<std::string>& needs = {}) {
  SchemaFile file{.subject = subject, .number = number, .path = subject + ".avsc"};
  for (const std::string& need : needs) file.references.push_back({need, need, SchemaReference::kLatest});
  return file;
}

TEST(RegistrationOrderTest, ReferencedSchemasComeFirst) {
  const auto ordered = in_registration_order(
      {file("A", 0, {"C", "Elsewhere"}), file("B", 0), file("C", 1), file("C", 2, {"D"}), file("D", 0)});
  ASSERT_TRUE(ordered.ok());
  EXPECT_THAT(names_in(*ordered), ElementsAre("C/1", "D", "C/2", "A", "B"));
}

TEST(RegistrationOrderTest, AReferenceToAVersionDoesNotWaitForLaterOnes) {
  SchemaFile needs_first = file("B", 0);
  needs_first.references = {{"C", "C", 1}};
  SchemaFile needs_b = file("C", 2, {"B"});
  const auto ordered = in_registration_order({needs_first, file("C", 1), needs_b});
  ASSERT_TRUE(ordered.ok()) << ordered.error().message;
  EXPECT_THAT(names_in(*ordered), ElementsAre("C/1", "B", "C/2"));
}

TEST(RegistrationOrderTest, ACycleIsReportedWithItsFiles) {
  const auto ordered = in_registration_order({file("A", 0, {"B"}), file("B", 0, {"C"}), file("C", 0, {"B"})});
  ASSERT_FALSE(ordered.ok());
  EXPECT_THAT(ordered.error().message, HasSubstr("in a cycle: B.avsc -> C.avsc -> B.avsc"));
}

TEST(RegistrationOrderTest, ALongChainOfReferencesDoesNotOverflowTheStack) {
  std::vector<SchemaFile> files;
  for (int i = 0; i < 20'000; ++i)
    files.push_back(file("S" + std::to_string(i), 0, {"S" + std::to_string(i + 1)}));
  const auto ordered = in_registration_order(std::move(files));
  ASSERT_TRUE(ordered.ok());
  EXPECT_EQ(ordered->front().subject, "S19999");
}

}  // namespace
}  // namespace cairn::test
