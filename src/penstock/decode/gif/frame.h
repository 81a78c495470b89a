// The first frame of a GIF file, by giflib.
#pragma once

#include <gif_lib.h>

#include <cstddef>
#include <memory>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/decode/request.h"

namespace penstock::decode {

bool is_gif(Bytes bytes);

// The size of the canvas: that of the screen, or larger if the first frame is.
Result<ImageHeader> read_gif_header(Bytes bytes);

// A file that giflib has read up to the pixels of its first frame.
class GifFrame {
 public:
  // kCorrupt if anything up to the end of the frame's data is missing, or the frame is empty.
  static Result<GifFrame> open(Bytes bytes);

  ImageSize canvas() const { return canvas_; }
  Rect place() const;  // of the frame on the canvas
  bool is_interlaced() const { return file_->Image.Interlace; }
  // Three bytes to a colour; null if the file has none.
  const ColorMapObject* palette() const;
  // The palette index that stands where the frame does not reach.
  int outer_index() const { return outer_index_; }

  // The next row as it is stored, place().width indices.
  Status read_row(std::uint8_t* indices);

 private:
  struct Input {
    Bytes bytes;
    std::size_t position = 0;
  };
  struct Close {
    void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
  };

  static int read_input(GifFileType* file, GifByteType* out, int size);

  Status open_file();
  Status find_frame();
  Status read_extension();
  Status check_frame();
  Status failure(int error) const;

  std::unique_ptr<Input> input_;  // giflib keeps its address
  std::unique_ptr<GifFileType, Close> file_;
  ImageSize canvas_;
  int outer_index_ = 0;
};

}  // namespace penstock::decode
