#include "penstock/storage/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace penstock::storage {
namespace {

// Sets a variable of the environment, or takes it away, for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, was_set_ = true;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(was_set_ ? before_.c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

TEST(CacheFolderTest, LiesWhereTheVariableSays) {
  const Variable cache("XDG_CACHE_HOME", "/scratch/cache");
  EXPECT_EQ(user_cache_folder(), "/scratch/cache/penstock");
}

TEST(CacheFolderTest, LiesAtHomeOtherwise) {
  const Variable cache("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", "/home/ada");
  EXPECT_EQ(user_cache_folder(), "/home/ada/.cache/penstock");
}

TEST(CacheFolderTest, IgnoresARelativeVariable) {
  const Variable cache("XDG_CACHE_HOME", "cache");
  const Variable home("HOME", "/home/ada");
  EXPECT_EQ(user_cache_folder(), "/home/ada/.cache/penstock");
}

TEST(CacheFolderTest, IsNowhereWithoutVariables) {
  const Variable cache("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", nullptr);
  EXPECT_EQ(user_cache_folder(), "");
}

}  // namespace
}  // namespace penstock::storage
