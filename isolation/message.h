#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace instar::isolation {

/// One message between the engine and a launcher, over a SOCK_SEQPACKET socket.
struct Message {
  std::string bytes;
  std::vector<Fd> fds;
};

/// Below the default send buffer of every kernel we run on.
inline constexpr std::size_t kLargestMessage = 128 * 1024;
inline constexpr std::size_t kMostDescriptors = 4;

/// Sends all of it or fails.
Result<void> send_message(int socket, std::string_view bytes, std::span<const int> fds = {});

/// Waits for the next message. Nothing: the other side is gone, or the message was cut.
std::optional<Message> receive_message(int socket);

/// The bytes of plain data; both sides are one binary.
template <class T>
std::string_view bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// The other way round; false when `bytes` is of another size.
template <class T>
bool value_of(std::string_view bytes, T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() != sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

}  // namespace instar::isolation
