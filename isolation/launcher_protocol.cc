#include "isolation/launcher_protocol.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace instar::isolation {

namespace {

constexpr std::uint32_t kRequestMagic = 0x49524551;
constexpr std::uint32_t kStopMagic = 0x49535450;
constexpr std::uint32_t kEndMagic = 0x49454E44;
/// Below the default send buffer of every kernel we run on.
constexpr std::size_t kLargestMessage = 128 * 1024;

struct RequestHeader {
  std::uint32_t magic;
  std::uint32_t arguments;
  std::uint32_t variables;
  std::uint32_t workspace_read_only;
  Limits limits;
};
struct EndMessage {
  std::uint32_t magic;
  CellEnd end;
};
static_assert(std::is_trivially_copyable_v<RequestHeader>);
static_assert(std::is_trivially_copyable_v<EndMessage>);

constexpr std::size_t kDescriptors = 2;
union ControlBuffer {
  cmsghdr align;
  std::array<char, CMSG_SPACE(kDescriptors * sizeof(int))> bytes;
};

std::string serialize(const CellRequest& request) {
  const RequestHeader header{.magic = kRequestMagic,
                             .arguments = static_cast<std::uint32_t>(request.argv.size()),
                             .variables = static_cast<std::uint32_t>(request.env.size()),
                             .workspace_read_only = request.workspace_read_only ? 1U : 0U,
                             .limits = request.limits};
  std::string message(reinterpret_cast<const char*>(&header), sizeof header);
  const auto add = [&](const std::string& text) { message.append(text.c_str(), text.size() + 1); };
  add(request.workspace);
  add(request.cell);
  for (const auto& argument : request.argv) add(argument);
  for (const auto& variable : request.env) add(variable);
  return message;
}

/// The strings of a message, each ended by NUL; false when there are not exactly as many as said.
bool parse(std::string_view message, CellRequest& request) {
  RequestHeader header{};
  if (message.size() < sizeof header) return false;
  std::memcpy(&header, message.data(), sizeof header);
  message.remove_prefix(sizeof header);
  if (header.magic != kRequestMagic) return false;
  const auto take = [&](std::string& into) {
    const auto end = message.find('\0');
    if (end == std::string_view::npos) return false;
    into = message.substr(0, end);
    message.remove_prefix(end + 1);
    return true;
  };
  request.limits = header.limits;
  request.workspace_read_only = header.workspace_read_only != 0;
  if (!take(request.workspace) || !take(request.cell)) return false;
  request.argv.resize(std::min<std::size_t>(header.arguments, kLargestMessage));
  request.env.resize(std::min<std::size_t>(header.variables, kLargestMessage));
  for (auto& argument : request.argv) {
    if (!take(argument)) return false;
  }
  for (auto& variable : request.env) {
    if (!take(variable)) return false;
  }
  return message.empty() && !request.argv.empty();
}

Result<void> send_whole(int socket, msghdr& message, std::size_t size) {
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0 || static_cast<std::size_t>(sent) != size) {
    return fail(Error::system("cannot reach the launcher of the cell", errno));
  }
  return {};
}

void take_descriptors(const msghdr& message, CellRequest& request) {
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return;
  std::array<int, kDescriptors> fds{-1, -1};
  const std::size_t bytes = std::min(control->cmsg_len - CMSG_LEN(0), sizeof fds);
  std::memcpy(fds.data(), CMSG_DATA(control), bytes);
  request.out = Fd(fds[0]);
  request.err = Fd(fds[1]);
}

}  // namespace

Result<void> send_request(int socket, const CellRequest& request) {
  std::string text = serialize(request);
  if (text.size() > kLargestMessage) {
    return fail(ErrorCode::kInvalidInput,
                "the command and its environment are longer than " +
                    std::to_string(kLargestMessage) + " bytes",
                "put the data into a file of the workspace");
  }
  iovec part{.iov_base = text.data(), .iov_len = text.size()};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(kDescriptors * sizeof(int));
  const std::array<int, kDescriptors> fds{request.out.get(), request.err.get()};
  std::memcpy(CMSG_DATA(header), fds.data(), sizeof fds);
  return send_whole(socket, message, text.size());
}

Result<void> send_stop(int socket) {
  std::uint32_t magic = kStopMagic;
  iovec part{.iov_base = &magic, .iov_len = sizeof magic};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return send_whole(socket, message, sizeof magic);
}

Result<CellEnd> receive_end(int socket) {
  EndMessage message{};
  ssize_t got = -1;
  do {
    got = ::recv(socket, &message, sizeof message, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof message) || message.magic != kEndMagic) {
    return fail(ErrorCode::kInternal, "the launcher of the cell is gone",
                "look for an out-of-memory kill in the kernel's log, then start again");
  }
  return message.end;
}

Incoming receive(int socket, CellRequest& request) {
  static std::array<char, kLargestMessage> buffer;
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
  if (got <= 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return Incoming::kClosed;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  std::uint32_t magic = 0;
  if (text.size() == sizeof magic) {
    std::memcpy(&magic, text.data(), sizeof magic);
    return magic == kStopMagic ? Incoming::kStop : Incoming::kClosed;
  }
  take_descriptors(message, request);
  const bool whole = parse(text, request) && request.out.valid() && request.err.valid();
  return whole ? Incoming::kRequest : Incoming::kClosed;
}

bool send_end(int socket, const CellEnd& end) {
  const EndMessage message{.magic = kEndMagic, .end = end};
  ssize_t sent = -1;
  do {
    sent = ::send(socket, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

}  // namespace instar::isolation
