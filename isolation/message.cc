#include "isolation/message.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace instar::isolation {

namespace {

union ControlBuffer {
  cmsghdr align;
  std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> bytes;
};

std::vector<Fd> take_descriptors(msghdr& message) {
  std::vector<Fd> fds;
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return fds;
  const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(control) + i * sizeof fd, sizeof fd);
    fds.emplace_back(fd);
  }
  return fds;
}

}  // namespace

Result<void> send_message(int socket, std::string_view bytes, std::span<const int> fds) {
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0 || static_cast<std::size_t>(sent) != bytes.size()) {
    return fail(Error::system("cannot reach the launcher of the cell", errno));
  }
  return {};
}

std::optional<Message> receive_message(int socket) {
  static thread_local std::array<char, kLargestMessage> buffer;
  iovec part{.iov_base = buffer.data(), .iov_len = buffer.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return {};
  std::vector<Fd> fds = take_descriptors(message);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return {};
  return Message{.bytes = {buffer.data(), static_cast<std::size_t>(got)}, .fds = std::move(fds)};
}

}  // namespace instar::isolation
