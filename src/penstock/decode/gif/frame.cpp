// Finds the first frame of a GIF file and reads its rows, by giflib (GIF89a specification).
#include "penstock/decode/gif/frame.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace penstock::decode {
namespace {

constexpr GifByteType kHasTransparency = 1;

}  // namespace

bool is_gif(Bytes bytes) {
  const auto begins_with = [&](std::string_view text) {
    const Bytes expected = std::as_bytes(std::span(text));
    return bytes.size() >= expected.size() &&
           std::equal(expected.begin(), expected.end(), bytes.begin());
  };
  return begins_with("GIF87a") || begins_with("GIF89a");
}

Result<ImageHeader> read_gif_header(Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const GifFrame frame, GifFrame::open(bytes));
  return ImageHeader{frame.canvas()};
}

Result<GifFrame> GifFrame::open(Bytes bytes) {
  GifFrame frame;
  frame.input_ = std::make_unique<Input>(Input{bytes});
  PENSTOCK_TRY(frame.open_file());
  PENSTOCK_TRY(frame.find_frame());
  PENSTOCK_TRY(frame.check_frame());
  return frame;
}

Rect GifFrame::place() const {
  const GifImageDesc& image = file_->Image;
  return {image.Left, image.Top, image.Width, image.Height};
}

const ColorMapObject* GifFrame::palette() const {
  return file_->Image.ColorMap != nullptr ? file_->Image.ColorMap : file_->SColorMap;
}

Status GifFrame::read_row(std::uint8_t* indices) {
  if (DGifGetLine(file_.get(), indices, file_->Image.Width) == GIF_OK) return {};
  return failure(file_->Error);
}

// Gives fewer bytes than asked for at the end.
int GifFrame::read_input(GifFileType* file, GifByteType* out, int size) {
  Input& input = *static_cast<Input*>(file->UserData);
  const std::size_t count =
      std::min(static_cast<std::size_t>(size), input.bytes.size() - input.position);
  if (count > 0) std::memcpy(out, input.bytes.data() + input.position, count);
  input.position += count;
  return static_cast<int>(count);
}

Status GifFrame::open_file() {
  int error = 0;
  file_.reset(DGifOpen(input_.get(), &GifFrame::read_input, &error));
  return file_ != nullptr ? Status{} : failure(error);
}

Status GifFrame::find_frame() {
  for (;;) {
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(file_.get(), &type) != GIF_OK) return failure(file_->Error);
    if (type == TERMINATE_RECORD_TYPE) {
      return corrupt("no image in ", input_->position, " bytes");
    }
    if (type == IMAGE_DESC_RECORD_TYPE) break;
    PENSTOCK_TRY(read_extension());
  }
  if (DGifGetImageDesc(file_.get()) != GIF_OK) return failure(file_->Error);
  const Rect frame = place();
  canvas_ = {std::max(file_->SWidth, frame.x + frame.width),
             std::max(file_->SHeight, frame.y + frame.height)};
  return {};
}

// What a frame leaves free has its transparent colour.
Status GifFrame::read_extension() {
  int code = 0;
  GifByteType* block = nullptr;  // its size, then that many bytes
  if (DGifGetExtension(file_.get(), &code, &block) != GIF_OK) return failure(file_->Error);
  if (code == GRAPHICS_EXT_FUNC_CODE && block != nullptr && block[0] >= 4 &&
      (block[1] & kHasTransparency) != 0) {
    outer_index_ = block[4];
  }
  while (block != nullptr) {
    if (DGifGetExtensionNext(file_.get(), &block) != GIF_OK) return failure(file_->Error);
  }
  return {};
}

// Walks over the blocks of the frame's data, without decoding them, so that a cut file is bad
// whatever the crop.
Status GifFrame::check_frame() {
  const Rect frame = place();
  if (frame.width < 1 || frame.height < 1) {
    return corrupt("frame is ", frame.width, "x", frame.height, ", expected at least 1x1");
  }
  const Bytes bytes = input_->bytes;
  std::size_t position = input_->position;
  while (position < bytes.size() && bytes[position] != std::byte{0}) {
    position += 1 + std::to_integer<std::size_t>(bytes[position]);
  }
  if (position < bytes.size()) return {};
  return corrupt("truncated after ", bytes.size(), " bytes, in the first frame");
}

Status GifFrame::failure(int error) const {
  switch (error) {
    case D_GIF_ERR_NOT_ENOUGH_MEM:
      return resource_exhausted("no memory for the decoder");
    case D_GIF_ERR_READ_FAILED:
    case D_GIF_ERR_EOF_TOO_SOON:
    case D_GIF_ERR_NO_SCRN_DSCR:
      return corrupt("truncated after ", input_->position, " bytes");
    default:
      return corrupt("damaged at byte ", input_->position, " of ", input_->bytes.size());
  }
}

}  // namespace penstock::decode
