// One TIFF file in memory, opened by libtiff, whose messages are values.
#pragma once

#include <tiffio.h>

#include <cstdarg>
#include <memory>
#include <string>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

class TiffSession {
 public:
  // Reads the first directory. `bytes` must outlive the session.
  static Result<TiffSession> open(Bytes bytes);

  TIFF* tiff() const { return tiff_.get(); }
  Bytes bytes() const { return input_->bytes; }

  // The value of a tag, or its default, or `fallback` if it has none.
  template <class T>
  T field(std::uint32_t tag, T fallback) const {
    T value = fallback;
    return TIFFGetFieldDefaulted(tiff(), tag, &value) == 1 ? value : fallback;
  }

  // Calls `step`, which reads pixels and answers whether it could. Also if it could, an error of
  // libtiff is kCorrupt, and so is a warning of those codecs that go on after damage with pixels
  // that they make up.
  template <class Step>
  Status read(Step step) {
    input_->error.clear();
    input_->warning.clear();
    const bool is_read = step(tiff());
    return status_of_read(is_read);
  }

 private:
  struct Input {
    Bytes bytes;
    std::size_t position = 0;
    std::string error;    // the first one
    std::string warning;  // the first one
  };
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };

  static tmsize_t read_input(thandle_t handle, void* out, tmsize_t size);
  static tmsize_t refuse_output(thandle_t handle, void* bytes, tmsize_t size);
  static toff_t seek_input(thandle_t handle, toff_t offset, int whence);
  static int close_input(thandle_t handle);
  static toff_t size_of_input(thandle_t handle);
  static int map_input(thandle_t handle, void** base, toff_t* size);
  static void unmap_input(thandle_t handle, void* base, toff_t size);
  static int on_error(TIFF* tiff, void* input, const char* module, const char* format,
                      va_list arguments);
  static int on_warning(TIFF* tiff, void* input, const char* module, const char* format,
                        va_list arguments);

  Status status_of_read(bool is_read) const;

  std::unique_ptr<Input> input_;  // libtiff keeps its address
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace penstock::decode
