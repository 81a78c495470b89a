// gzip and zlib through zlib, zstd through libzstd, behind one interface.
#include "penstock/format/decompress.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace penstock::format {
namespace {

constexpr int kMaxZstdWindowLog = 27;  // 128 MiB, what the zstd command accepts by default

// zlib counts in unsigned int.
uInt clamp_to_uint(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
}

// A gzip member and a zlib stream differ in what stands around the deflated bytes.
class InflateDecompressor final : public Decompressor {
 public:
  explicit InflateDecompressor(Compression compression)
      : name_(compression_name(compression)),
        is_ready_(inflateInit2(&stream_,
                               MAX_WBITS + (compression == Compression::kGzip ? 16 : 0)) == Z_OK) {}
  ~InflateDecompressor() override { inflateEnd(&stream_); }
  InflateDecompressor(const InflateDecompressor&) = delete;
  InflateDecompressor& operator=(const InflateDecompressor&) = delete;

  bool is_ready() const { return is_ready_; }

  Result<Progress> run(Bytes in, MutableBytes out) override {
    PENSTOCK_TRY(failure_);
    Progress progress;
    while (progress.produced < out.size() && failure_.ok()) {
      const Bytes rest = in.subspan(progress.consumed);
      if (is_between_members_) {
        progress.consumed += skip_padding(rest);
        if (progress.consumed == in.size()) break;
        is_between_members_ = false;
      }
      const Progress part =
          inflate_some(in.subspan(progress.consumed), out.subspan(progress.produced));
      progress.consumed += part.consumed;
      progress.produced += part.produced;
      if (part.consumed == 0 && part.produced == 0 && !part.is_finished) break;
    }
    if (!failure_.ok() && progress.produced == 0) return failure_;
    progress.is_finished = finish().ok();
    return progress;
  }

  Status finish() const override {
    PENSTOCK_TRY(failure_);
    if (is_between_members_ && has_member_) return {};
    return corrupt(name_, ": cut after ", position_, " bytes");
  }

 private:
  // Zero bytes may stand after a member: tapes and some stores fill up their blocks.
  std::size_t skip_padding(Bytes in) {
    if (!has_member_) return 0;
    const auto end =
        std::find_if(in.begin(), in.end(), [](std::byte b) { return b != std::byte{}; });
    const auto skipped = static_cast<std::size_t>(end - in.begin());
    position_ += skipped;
    return skipped;
  }

  // Until the end of the member or a failure at most.
  Progress inflate_some(Bytes in, MutableBytes out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = clamp_to_uint(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamp_to_uint(out.size());
    const uInt num_in = stream_.avail_in;
    const uInt num_out = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Progress progress{num_in - stream_.avail_in, num_out - stream_.avail_out, code == Z_STREAM_END};
    position_ += progress.consumed;
    if (code == Z_MEM_ERROR) {
      failure_ = resource_exhausted(name_, ": out of memory");
    } else if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      failure_ = corrupt(name_, ": ", stream_.msg != nullptr ? stream_.msg : "garbage", " at byte ",
                         position_);
    }
    if (code == Z_STREAM_END) {
      has_member_ = true;
      is_between_members_ = true;
      inflateReset(&stream_);
    }
    return progress;
  }

  z_stream stream_{};
  std::string_view name_;
  bool is_ready_;
  std::uint64_t position_ = 0;  // in the compressed stream
  bool is_between_members_ = true;
  bool has_member_ = false;
  Status failure_;
};

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdDecompressor final : public Decompressor {
 public:
  explicit ZstdDecompressor(Compression) : context_(ZSTD_createDCtx()) {
    if (context_) ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxZstdWindowLog);
  }

  bool is_ready() const { return context_ != nullptr; }

  Result<Progress> run(Bytes in, MutableBytes out) override {
    PENSTOCK_TRY(failure_);
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos < output.size) {
      if (is_between_frames_ && input.pos == input.size) break;
      const std::size_t consumed = input.pos;
      const std::size_t produced = output.pos;
      const std::size_t code = ZSTD_decompressStream(context_.get(), &output, &input);
      position_ += input.pos - consumed;
      if (ZSTD_isError(code)) {
        failure_ = failure(code);
        break;
      }
      is_between_frames_ = code == 0;
      has_frame_ |= is_between_frames_;
      if (input.pos == consumed && output.pos == produced) break;
    }
    if (!failure_.ok() && output.pos == 0) return failure_;
    return Progress{input.pos, output.pos, finish().ok()};
  }

  Status finish() const override {
    PENSTOCK_TRY(failure_);
    if (is_between_frames_ && has_frame_) return {};
    return corrupt("zstd: cut after ", position_, " bytes");
  }

 private:
  Status failure(std::size_t code) const {
    switch (ZSTD_getErrorCode(code)) {
      case ZSTD_error_memory_allocation:
        return resource_exhausted("zstd: out of memory");
      case ZSTD_error_frameParameter_windowTooLarge:
        return unsupported("zstd: the frame before byte ", position_,
                           " needs a window above 128 MiB");
      default:
        return corrupt("zstd: ", ZSTD_getErrorName(code), " at byte ", position_);
    }
  }

  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  std::uint64_t position_ = 0;  // in the compressed stream
  bool is_between_frames_ = true;
  bool has_frame_ = false;
  Status failure_;
};

template <class Kind>
Result<std::unique_ptr<Decompressor>> make_ready(Compression compression) {
  auto made = std::make_unique<Kind>(compression);
  if (!made->is_ready())
    return resource_exhausted(compression_name(compression), ": out of memory");
  return std::unique_ptr<Decompressor>(std::move(made));
}

bool begins_with(Bytes bytes, std::initializer_list<int> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](int m, std::byte b) { return m == std::to_integer<int>(b); });
}

bool ends_with(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         std::equal(
             ending.begin(), ending.end(), name.end() - static_cast<long>(ending.size()),
             [](char e, char n) { return e == std::tolower(static_cast<unsigned char>(n)); });
}

}  // namespace

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
    case Compression::kZlib:
      return "zlib";
  }
  return "unknown";
}

Compression compression_of(Bytes first_bytes) {
  if (begins_with(first_bytes, {0x1f, 0x8b})) return Compression::kGzip;
  if (begins_with(first_bytes, {0x28, 0xb5, 0x2f, 0xfd})) return Compression::kZstd;
  return Compression::kNone;
}

Compression compression_of_name(std::string_view name) {
  if (ends_with(name, ".gz") || ends_with(name, ".tgz")) return Compression::kGzip;
  if (ends_with(name, ".zst") || ends_with(name, ".tzst")) return Compression::kZstd;
  return Compression::kNone;
}

Result<std::unique_ptr<Decompressor>> make_decompressor(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return invalid_argument("compression is none, expected gzip, zlib or zstd");
    case Compression::kGzip:
    case Compression::kZlib:
      return make_ready<InflateDecompressor>(compression);
    case Compression::kZstd:
      return make_ready<ZstdDecompressor>(compression);
  }
  return internal_error("compression is ", static_cast<int>(compression));
}

}  // namespace penstock::format
