// A client whose answers the test gives, for services that no test machine has.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/storage/http/client.h"

namespace penstock::storage {

class TestClient final : public HttpClient {
 public:
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  explicit TestClient(Answer answer) : answer_(std::move(answer)) {}

  void start(HttpRequest request, Done done, std::chrono::milliseconds) override {
    HttpResponse response = answer_(request);
    asked.push_back(request.method + " " + request.url);
    done(std::move(response));
  }
  HttpCounters counters() const override { return {}; }

  std::vector<std::string> asked;  // method and url of each request

 private:
  const Answer answer_;
};

inline HttpResponse text_response(std::string text, int code = 200) {
  HttpResponse response;
  response.code = code;
  response.text = std::move(text);
  return response;
}

inline HttpResponse no_response() {
  HttpResponse response;
  response.status = io_error("no connection");
  return response;
}

inline bool has_header(const HttpRequest& request, std::string_view line) {
  for (const std::string& header : request.headers) {
    if (header == line) return true;
  }
  return false;
}

}  // namespace penstock::storage
