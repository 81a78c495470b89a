// A world of variables, files and answers, in which credentials are looked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "penstock/storage/http/test_client.h"
#include "penstock/storage/s3/credentials.h"

namespace penstock::storage {

inline constexpr std::int64_t kTestNow = 1'700'000'000;

struct TestWorld {
  std::map<std::string, std::string> variables = {{"HOME", "/home/me"}};
  std::map<std::string, std::string> files;
  TestClient::Answer answer = [](const HttpRequest&) { return no_response(); };
  std::int64_t now_s = kTestNow;

  S3Environment environment() {
    return {.variable = [this](const char* name) { return variables[name]; },
            .read = [this](const std::string& path) -> Result<std::string> {
              const auto at = files.find(path);
              if (at == files.end()) return not_found("no file at ", path);
              return at->second;
            },
            .now_s = [this] { return now_s; }};
  }
};

}  // namespace penstock::storage
