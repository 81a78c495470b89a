// Multipart upload, as S3 has it.
#include "penstock/storage/s3/multipart_writer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

namespace penstock::storage {
namespace {

// S3 allows 10,000 parts of at least 5 MiB: parts grow with their number, which reaches 5 TiB.
constexpr std::size_t kFirstPartBytes = 8 << 20;
constexpr int kPartsOfASize = 1000;
constexpr int kMaxInFlight = 4;

std::size_t part_bytes(int number) {
  return kFirstPartBytes << std::min(number / kPartsOfASize, 7);
}

class MultipartWriter final : public ObjectWriter {
 public:
  MultipartWriter(const RemoteParts& parts, std::string_view path) : parts_(parts), path_(path) {}

  ~MultipartWriter() override {
    wait_until([&] { return num_in_flight_ == 0; });
    if (!upload_.empty()) {
      (void)run_call(parts_, {.method = "DELETE", .path = path_, .query = {{"uploadId", upload_}}});
    }
  }

  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      const std::size_t room = part_bytes(num_parts()) - part_.size();
      const Bytes taken = bytes.first(std::min(room, bytes.size()));
      part_.insert(part_.end(), taken.begin(), taken.end());
      bytes = bytes.subspan(taken.size());
      if (part_.size() == part_bytes(num_parts())) PENSTOCK_TRY(send_part());
    }
    return {};
  }

  Status commit() override {
    if (upload_.empty()) return put();
    if (!part_.empty()) PENSTOCK_TRY(send_part());
    wait_until([&] { return num_in_flight_ == 0; });
    PENSTOCK_TRY(failure_.at(path_));
    std::string list = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < etags_.size(); ++i) {
      list +=
          concat("<Part><PartNumber>", i + 1, "</PartNumber><ETag>", etags_[i], "</ETag></Part>");
    }
    list += "</CompleteMultipartUpload>";
    auto response = run_call(parts_, {.method = "POST",
                                      .path = path_,
                                      .query = {{"uploadId", upload_}},
                                      .body = std::as_bytes(std::span(list))});
    if (!response.ok()) return response.status().at(path_);
    // A failure may come with code 200, because the answer begins before the work is done.
    if (response->text.find("<Error>") != std::string::npos) {
      return refusal_of("POST", *response).at(path_);
    }
    upload_.clear();
    pugi::xml_document document;
    document.load_string(response->text.c_str());
    parts_.versions.renew(path_,
                          document.child("CompleteMultipartUploadResult").child_value("ETag"));
    return {};
  }

 private:
  int num_parts() const { return static_cast<int>(etags_.size()); }

  Status put() {
    const auto response = run_call(parts_, {.method = "PUT", .path = path_, .body = part_});
    if (!response.ok()) return response.status().at(path_);
    parts_.versions.renew(path_, response->header("etag"));
    return {};
  }

  Status begin_upload() {
    auto response = run_call(parts_, {.method = "POST", .path = path_, .query = {{"uploads", ""}}});
    if (!response.ok()) return response.status().at(path_);
    pugi::xml_document document;
    document.load_string(response->text.c_str());
    upload_ = document.child("InitiateMultipartUploadResult").child_value("UploadId");
    if (upload_.empty()) return io_error(path_, ": the server began no upload");
    return {};
  }

  // Waits while too many are under way.
  Status send_part() {
    if (upload_.empty()) PENSTOCK_TRY(begin_upload());
    wait_until([&] { return num_in_flight_ < kMaxInFlight; });
    {
      const std::scoped_lock lock(mutex_);
      PENSTOCK_TRY(failure_.at(path_));
      ++num_in_flight_;
      etags_.emplace_back();
    }
    const std::size_t number = etags_.size();
    auto part = std::make_shared<std::vector<std::byte>>(std::exchange(part_, {}));
    start_call(parts_,
               {.method = "PUT",
                .path = path_,
                .query = {{"partNumber", concat(number)}, {"uploadId", upload_}},
                .body = *part},
               {}, [this, part, number](const Result<HttpResponse>& response) {
                 end_part(number, response);
               });
    return {};
  }

  void end_part(std::size_t number, const Result<HttpResponse>& response) {
    const std::scoped_lock lock(mutex_);
    if (response.ok()) {
      etags_[number - 1] = response->header("etag");
    } else if (failure_.ok()) {
      failure_ = response.status();
    }
    --num_in_flight_;
    changed_.notify_all();
  }

  template <class Condition>
  void wait_until(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }

  const RemoteParts parts_;
  const std::string path_;
  std::string upload_;
  std::vector<std::byte> part_;  // not sent yet

  std::mutex mutex_;
  std::condition_variable changed_;
  int num_in_flight_ = 0;
  Status failure_;
  std::vector<std::string> etags_;  // of the parts that were sent; empty while under way
};

}  // namespace

Result<std::unique_ptr<ObjectWriter>> make_multipart_writer(const RemoteParts& parts,
                                                            std::string_view path) {
  return std::unique_ptr<ObjectWriter>(std::make_unique<MultipartWriter>(parts, path));
}

}  // namespace penstock::storage
