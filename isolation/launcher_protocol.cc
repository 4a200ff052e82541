#include "isolation/launcher_protocol.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "isolation/message.h"

namespace instar::isolation {

namespace {

constexpr std::uint32_t kRequestMagic = 0x49524551;
constexpr std::uint32_t kStopMagic = 0x49535450;
constexpr std::uint32_t kEndMagic = 0x49454E44;
constexpr std::uint32_t kOrderMagic = 0x494F5244;

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
struct OrderMessage {
  std::uint32_t magic;
  WorkspaceOrder order;
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

}  // namespace

Result<void> send_request(int socket, const CellRequest& request) {
  const std::string text = serialize(request);
  if (text.size() > kLargestMessage) {
    return fail(ErrorCode::kInvalidInput,
                "the command and its environment are longer than " +
                    std::to_string(kLargestMessage) + " bytes",
                "put the data into a file of the workspace");
  }
  return send_message(socket, text, std::array{request.out.get(), request.err.get()});
}

Result<void> send_stop(int socket) { return send_message(socket, bytes_of(kStopMagic)); }

Result<CellEnd> receive_end(int socket, Fd* out) {
  auto message = receive_message(socket);
  EndMessage end{};
  if (!message || !value_of(message->bytes, end) || end.magic != kEndMagic) {
    return fail(ErrorCode::kInternal, "the launcher of the cell is gone",
                "look for an out-of-memory kill in the kernel's log, then start again");
  }
  if (out != nullptr && !message->fds.empty()) *out = std::move(message->fds.front());
  return end.end;
}

Incoming receive(int socket, LauncherMessage& into) {
  auto message = receive_message(socket);
  if (!message) return Incoming::kClosed;
  std::uint32_t magic = 0;
  if (value_of(message->bytes, magic)) {
    return magic == kStopMagic ? Incoming::kStop : Incoming::kClosed;
  }
  OrderMessage order{};
  if (value_of(message->bytes, order) && order.magic == kOrderMagic) {
    into.order = order.order;
    if (!message->fds.empty()) into.changes = std::move(message->fds.front());
    return Incoming::kOrder;
  }
  if (message->fds.size() != 2 || !parse(message->bytes, into.cell)) return Incoming::kClosed;
  into.cell.out = std::move(message->fds[0]);
  into.cell.err = std::move(message->fds[1]);
  return Incoming::kRequest;
}

Result<void> send_order(int socket, const WorkspaceOrder& order, int changes) {
  const OrderMessage message{.magic = kOrderMagic, .order = order};
  if (changes < 0) return send_message(socket, bytes_of(message));
  return send_message(socket, bytes_of(message), std::array{changes});
}

bool send_end(int socket, const CellEnd& end, int out) {
  const EndMessage message{.magic = kEndMagic, .end = end};
  if (out < 0) return send_message(socket, bytes_of(message)).has_value();
  return send_message(socket, bytes_of(message), std::array{out}).has_value();
}

}  // namespace instar::isolation
