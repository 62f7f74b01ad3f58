#include "tests/docs/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MarkdownTest, BlocksHaveTheirKindAndLine) {
  const Markdown read = Markdown::read("# A\n\n```bash eventually\nls\n```\n- b\n  ~~~json\n  {}\n  ~~~\n");
  ASSERT_EQ(read.blocks.size(), 2u);
  EXPECT_EQ(read.blocks[0].info, "bash eventually");
  EXPECT_EQ(read.blocks[0].language(), "bash");
  EXPECT_EQ(read.blocks[0].text, "ls\n");
  EXPECT_EQ(read.blocks[0].line, 3);
  EXPECT_EQ(read.blocks[1].language(), "json");
  EXPECT_EQ(read.blocks[1].text, "{}\n");
  EXPECT_EQ(read.blocks[0].heading, read.blocks[1].heading);
}

TEST(MarkdownTest, AHashInABlockIsNotAHeading) {
  const Markdown read = Markdown::read("# A\n```bash\n# B\n```\n## C d\n");
  EXPECT_THAT(read.anchors, ElementsAre("a", "c-d"));
}

TEST(MarkdownTest, AnchorsMatchGithubsLinks) {
  EXPECT_THAT(
      Markdown::read("## PUT /upcasters/{type}/{from}\n## `.avro` files\n## Same\n## Same\n## POST /a/…\n")
          .anchors,
      ElementsAre("put-upcasterstypefrom", "avro-files", "same", "same-1", "post-a"));
}

TEST(MarkdownTest, CodeAndLinksAreFoundInTheProse) {
  const Markdown read = Markdown::read("See [`x`](a.md#b) and\n`cairn read`, not `[y](c)`.\n\n[r]: d.md\n");
  ASSERT_EQ(read.links.size(), 2u);
  EXPECT_EQ(read.links[0].text, "a.md#b");
  EXPECT_EQ(read.links[1].text, "d.md");
  EXPECT_EQ(read.links[1].line, 4);
  ASSERT_EQ(read.code_spans.size(), 3u);
  EXPECT_EQ(read.code_spans[1].text, "cairn read");
  EXPECT_EQ(read.code_spans[1].line, 2);
}

TEST(MarkdownTest, FourSpacesAreCodeOutsideOfLists) {
  const Markdown read = Markdown::read("a\n\n    code\n    more\n\n- point\n\n    its rest\n\nb\n");
  ASSERT_EQ(read.indented.size(), 1u);
  EXPECT_EQ(read.indented[0].line, 3);
}

TEST(MarkdownTest, CommentsForTheTestsAreRead) {
  const Markdown read = Markdown::read(
      "<!-- samples: serve --schemas optional -->\n<!-- for people -->\n<!-- samples: setup\nls\npwd\n-->\n"
      "<!-- samples: dance -->\n");
  EXPECT_EQ(read.server_arguments, "--schemas optional");
  EXPECT_TRUE(read.has_server);
  ASSERT_EQ(read.blocks.size(), 1u);
  EXPECT_TRUE(read.blocks[0].hidden);
  EXPECT_EQ(read.blocks[0].text, "ls\npwd\n");
  EXPECT_EQ(read.blocks[0].line, 3);
  ASSERT_EQ(read.unknown.size(), 1u);
  EXPECT_FALSE(Markdown::read("<!-- samples: no server -->\n").has_server);
  EXPECT_THAT(Markdown::read("plain\n").blocks, IsEmpty());
}

}  // namespace
}  // namespace cairn::test
