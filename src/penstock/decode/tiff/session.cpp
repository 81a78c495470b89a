// Opens a TIFF file in memory by libtiff, with handlers of its own, so that nothing is printed and
// no global handler is needed.
#include "penstock/decode/tiff/session.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "penstock/decode/request.h"

namespace penstock::decode {
namespace {

std::string formatted(const char* format, va_list arguments) {
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  return text.data();
}

// Whether decoding goes on after damage, with a warning.
bool makes_up_pixels(std::uint16_t compression) {
  return compression == COMPRESSION_JPEG || compression == COMPRESSION_CCITTRLE ||
         compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

}  // namespace

Result<TiffSession> TiffSession::open(Bytes bytes) {
  TiffSession session;
  session.input_ = std::make_unique<Input>(Input{bytes});
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  if (options == nullptr) return resource_exhausted("no memory for the decoder");
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxImageBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &on_error, session.input_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &on_warning, session.input_.get());
  session.tiff_.reset(TIFFClientOpenExt("image", "r", session.input_.get(), &read_input,
                                        &refuse_output, &seek_input, &close_input, &size_of_input,
                                        &map_input, &unmap_input, options.get()));
  if (session.tiff_ != nullptr) return session;
  return corrupt("no directory in ", bytes.size(), " bytes: ", session.input_->error);
}

// libtiff reads through the mapping, and through this what it does not find there.
tmsize_t TiffSession::read_input(thandle_t handle, void* out, tmsize_t size) {
  Input& input = *static_cast<Input*>(handle);
  const std::size_t left = input.bytes.size() - std::min(input.position, input.bytes.size());
  const std::size_t count = std::min(static_cast<std::size_t>(std::max<tmsize_t>(size, 0)), left);
  if (count > 0) std::memcpy(out, input.bytes.data() + input.position, count);
  input.position += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t TiffSession::refuse_output(thandle_t, void*, tmsize_t) { return -1; }

toff_t TiffSession::seek_input(thandle_t handle, toff_t offset, int whence) {
  Input& input = *static_cast<Input*>(handle);
  const toff_t base = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? input.position
                                           : input.bytes.size();
  input.position = base + offset;
  return input.position;
}

int TiffSession::close_input(thandle_t) { return 0; }

toff_t TiffSession::size_of_input(thandle_t handle) {
  return static_cast<Input*>(handle)->bytes.size();
}

// libtiff does not write to what it has mapped for reading, though its interface is not const.
int TiffSession::map_input(thandle_t handle, void** base, toff_t* size) {
  const Bytes bytes = static_cast<Input*>(handle)->bytes;
  *base = const_cast<std::byte*>(bytes.data());
  *size = bytes.size();
  return 1;
}

void TiffSession::unmap_input(thandle_t, void*, toff_t) {}

// Answering 1 keeps the message from the global handler, which prints it.
int TiffSession::on_error(TIFF*, void* input, const char*, const char* format, va_list arguments) {
  std::string& error = static_cast<Input*>(input)->error;
  if (error.empty()) error = formatted(format, arguments);
  return 1;
}

int TiffSession::on_warning(TIFF*, void* input, const char*, const char* format,
                            va_list arguments) {
  // The last strip of some writers is as high as the others; nothing is missing.
  if (std::string_view(format).starts_with("JPEG strip size exceeds expected")) return 1;
  std::string& warning = static_cast<Input*>(input)->warning;
  if (warning.empty()) warning = formatted(format, arguments);
  return 1;
}

Status TiffSession::status_of_read(bool is_read) const {
  if (!is_read || !input_->error.empty()) {
    return corrupt("damaged pixels: ", input_->error.empty() ? "no reason given" : input_->error);
  }
  const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (!input_->warning.empty() && makes_up_pixels(compression)) {
    return corrupt("damaged pixels: ", input_->warning);
  }
  return {};
}

}  // namespace penstock::decode
