// Turns libjpeg's callbacks into Status. libjpeg goes on after most damage and makes pixels up;
// here every warning that concerns image data ends the decode instead.
#include "penstock/decode/jpeg/turbo_session.h"

#include <jerror.h>

#include <algorithm>
#include <array>
#include <string>

namespace penstock::decode {
namespace {

// Files have about ten scans. Each costs a pass over all coefficients, however few bytes it has, so
// a small hostile file could otherwise keep a thread busy for hours.
constexpr int kMaxScans = 500;

constexpr int kEoi = 0xd9;

// What libjpeg reads beyond the last byte.
constexpr std::array<JOCTET, 2> kEndOfImage = {0xff, kEoi};

bool is_unsupported(int error) {
  return error == JERR_SOF_UNSUPPORTED || error == JERR_BAD_PRECISION ||
         error == JERR_NOT_COMPILED || error == JERR_NOTIMPL || error == JERR_CONVERSION_NOTIMPL ||
         error == JERR_FRACT_SAMPLE_NOTIMPL || error == JERR_CCIR601_NOTIMPL ||
         error == JERR_IMAGE_TOO_BIG || error == JERR_COMPONENT_COUNT;
}

// "Unsupported marker type 0x37" as the middle of a sentence.
std::string libjpeg_text(const jpeg_decompress_struct& cinfo) {
  std::array<char, JMSG_LENGTH_MAX> text{};
  // format_message only reads; its signature is older than const.
  auto* common = reinterpret_cast<j_common_ptr>(const_cast<jpeg_decompress_struct*>(&cinfo));
  cinfo.err->format_message(common, text.data());
  std::string message = text.data();
  constexpr std::string_view kPrefix = "Corrupt JPEG data: ";
  if (message.starts_with(kPrefix)) message.erase(0, kPrefix.size());
  if (message.size() > 1 && message[1] >= 'a' && message[1] <= 'z' && message[0] >= 'A' &&
      message[0] <= 'Z') {
    message[0] = static_cast<char>(message[0] - 'A' + 'a');
  }
  return message;
}

}  // namespace

JpegSession::JpegSession(Bytes bytes) : bytes_(bytes) {
  cinfo_.err = jpeg_std_error(&errors_);
  errors_.error_exit = leave;
  errors_.emit_message = on_message;
  cinfo_.client_data = this;
  source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  source_.bytes_in_buffer = bytes.size();
  source_.init_source = [](j_decompress_ptr) {};
  source_.fill_input_buffer = fill_input;
  source_.skip_input_data = skip_input;
  source_.resync_to_restart = jpeg_resync_to_restart;
  source_.term_source = [](j_decompress_ptr) {};
  progress_.progress_monitor = on_progress;
}

JpegSession::~JpegSession() { jpeg_destroy_decompress(&cinfo_); }

Status JpegSession::read_header() {
  const Status status = run([this](jpeg_decompress_struct& cinfo) {
    jpeg_create_decompress(&cinfo);  // clears what was set before it, but for err and client_data
    cinfo.src = &source_;
    cinfo.progress = &progress_;
    jpeg_read_header(&cinfo, TRUE);
  });
  is_in_scans_ = status.ok();
  return status;
}

void JpegSession::leave(j_common_ptr cinfo) { std::longjmp(of(cinfo).escape_, 1); }

void JpegSession::on_message(j_common_ptr cinfo, int level) {
  if (level >= 0 || of(cinfo).is_harmless(cinfo->err->msg_code)) return;
  leave(cinfo);
}

void JpegSession::on_progress(j_common_ptr cinfo) {
  JpegSession& session = of(cinfo);
  if (session.cinfo_.input_scan_number <= kMaxScans) return;
  session.has_too_many_scans_ = true;
  leave(cinfo);
}

boolean JpegSession::fill_input(j_decompress_ptr cinfo) {
  JpegSession& session = of(reinterpret_cast<j_common_ptr>(cinfo));
  session.passed_end_ = true;
  // Nothing in a header may be missing. In Huffman-coded data it depends on what the bits were
  // wanted for: the entropy decoder warns if it really lacks some. The arithmetic decoder does not
  // warn, it takes missing bytes to be zero.
  if (!session.is_in_scans_ || cinfo->arith_code) leave(reinterpret_cast<j_common_ptr>(cinfo));
  session.source_.next_input_byte = kEndOfImage.data();
  session.source_.bytes_in_buffer = kEndOfImage.size();
  return TRUE;
}

void JpegSession::skip_input(j_decompress_ptr cinfo, long num_bytes) {
  jpeg_source_mgr& source = *cinfo->src;
  const std::size_t skipped =
      std::min(static_cast<std::size_t>(std::max(num_bytes, 0L)), source.bytes_in_buffer);
  source.next_input_byte += skipped;
  source.bytes_in_buffer -= skipped;
}

bool JpegSession::is_harmless(int warning) const {
  switch (warning) {
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_NOT_SEQUENTIAL:
      return true;
    case JWRN_EXTRANEOUS_DATA:
      // Padding between the segments of a header, or after the last scan, hides nothing.
      return !is_in_scans_ || errors_.msg_parm.i[1] == kEoi;
    default:
      return false;
  }
}

std::size_t JpegSession::position() const {
  if (passed_end_) return bytes_.size();
  return bytes_.size() - source_.bytes_in_buffer;
}

Status JpegSession::truncated() const {
  if (!is_in_scans_) return corrupt("truncated after ", bytes_.size(), " bytes, in the header");
  const std::int64_t rows_per_mcu_row = std::int64_t{cinfo_.max_v_samp_factor} * DCTSIZE;
  const std::int64_t row =
      std::min<std::int64_t>(cinfo_.input_iMCU_row * rows_per_mcu_row, cinfo_.image_height);
  return corrupt("truncated after ", bytes_.size(), " bytes, at row ", row, " of ",
                 cinfo_.image_height);
}

Status JpegSession::failure() const {
  if (has_too_many_scans_) return unsupported("more than ", kMaxScans, " scans");
  if (passed_end_) return truncated();
  if (errors_.msg_code == JERR_OUT_OF_MEMORY)
    return resource_exhausted("no memory for the decoder");
  if (is_unsupported(errors_.msg_code)) return unsupported(libjpeg_text(cinfo_));
  return corrupt(libjpeg_text(cinfo_), ", before byte ", position());
}

}  // namespace penstock::decode
