#include "isolation/output_capture.h"

#include <algorithm>

namespace instar::isolation {

void OutputCapture::feed(std::string_view bytes) {
  total_ += bytes.size();
  const std::uint64_t head_room =
      most_ - most_ / 2 - std::min<std::uint64_t>(head_.size(), most_ - most_ / 2);
  const std::string_view to_head = bytes.substr(0, head_room);
  head_ += to_head;
  bytes.remove_prefix(to_head.size());

  const std::size_t capacity = most_ / 2;
  if (bytes.size() >= capacity) {
    ring_ = bytes.substr(bytes.size() - capacity);
    next_ = 0;
    return;
  }
  const std::string_view growing = bytes.substr(0, capacity - ring_.size());
  ring_ += growing;
  bytes.remove_prefix(growing.size());
  while (!bytes.empty()) {
    const std::size_t now = std::min(bytes.size(), capacity - next_);
    bytes.copy(ring_.data() + next_, now);
    next_ = (next_ + now) % capacity;
    bytes.remove_prefix(now);
  }
}

CapturedStream OutputCapture::finish() && {
  CapturedStream stream{.head = std::move(head_), .tail = {}, .total_bytes = total_};
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(next_), ring_.end());
  if (total_ <= most_) {
    stream.head += ring_;
  } else {
    stream.tail = std::move(ring_);
  }
  return stream;
}

}  // namespace instar::isolation
