// gzip and zlib through zlib.
#include "penstock/format/compress.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace penstock::format {
namespace {

class DeflateCompressor final : public Compressor {
 public:
  explicit DeflateCompressor(Compression compression)
      : is_ready_(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                               MAX_WBITS + (compression == Compression::kGzip ? 16 : 0),
                               MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~DeflateCompressor() override { deflateEnd(&stream_); }
  DeflateCompressor(const DeflateCompressor&) = delete;
  DeflateCompressor& operator=(const DeflateCompressor&) = delete;

  bool is_ready() const { return is_ready_; }

  Status append(Bytes in, std::vector<std::byte>& out) override {
    while (!in.empty()) {
      const Bytes part = in.first(std::min<std::size_t>(in.size(), 1 << 30));  // zlib counts in int
      PENSTOCK_TRY(run(part, Z_NO_FLUSH, out));
      in = in.subspan(part.size());
    }
    return {};
  }

  Status finish(std::vector<std::byte>& out) override { return run({}, Z_FINISH, out); }

 private:
  // Until zlib leaves room in its buffer: it holds nothing back then that it could give.
  Status run(Bytes in, int flush, std::vector<std::byte>& out) {
    std::array<std::byte, 16 << 10> buffer;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) return internal_error("deflate: wrong state");
      out.insert(out.end(), buffer.begin(), buffer.end() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return {};
  }

  z_stream stream_{};
  bool is_ready_;
};

}  // namespace

Result<std::unique_ptr<Compressor>> make_compressor(Compression compression) {
  if (compression != Compression::kGzip && compression != Compression::kZlib) {
    return unsupported("compression is ", compression_name(compression), ", expected gzip or zlib");
  }
  auto made = std::make_unique<DeflateCompressor>(compression);
  if (!made->is_ready()) {
    return resource_exhausted(compression_name(compression), ": out of memory");
  }
  return std::unique_ptr<Compressor>(std::move(made));
}

}  // namespace penstock::format
