#include "penstock/storage/catalog.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

TEST(StorageCatalogTest, MakesAStorageForEachScheme) {
  for (const SchemeDef& def : schemes()) {
    const std::string url = def.scheme.empty() ? "x" : concat(def.scheme, "://x");
    EXPECT_TRUE(make_storage(url).ok()) << url;
  }
}

TEST(StorageCatalogTest, NamesTheSchemesItKnows) {
  EXPECT_EQ(make_storage("gopher://host/x").status(),
            unsupported("no storage for gopher://, expected one of: a plain path, file://"));
}

TEST(StorageCatalogTest, TakesTheSchemeOffAPath) {
  EXPECT_EQ(path_of_url("file:///data/x.tar"), "/data/x.tar");
  EXPECT_EQ(path_of_url("/data/x.tar"), "/data/x.tar");
  EXPECT_EQ(path_of_url("odd folder/a://b"), "odd folder/a://b");
}

}  // namespace
}  // namespace penstock::storage
