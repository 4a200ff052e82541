#include "isolation/workspace_protocol.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "isolation/memory_file.h"
#include "isolation/message.h"

namespace instar::isolation {

namespace {

/// All changes of a variant together; the edit window bounds them far below.
constexpr std::size_t kLargestChanges = std::size_t{256} << 20;

struct ChangeHeader {
  std::uint64_t path_bytes;
  std::uint64_t content_bytes;
  bool present;
  bool executable;
};

struct Answer {
  bool done = false;
  ErrorCode code = ErrorCode::kInternal;
  int sys_errno = 0;
  std::array<char, 512> message{};
};

Result<Fd> write_changes(const std::vector<FileChange>& changes) {
  Fd file = INSTAR_TRY(make_memory_file("changes"));
  std::string text;
  for (const FileChange& change : changes) {
    const std::string_view content = change.content ? *change.content : std::string_view();
    const ChangeHeader header{.path_bytes = change.path.size(),
                              .content_bytes = content.size(),
                              .present = change.content.has_value(),
                              .executable = change.executable};
    text.append(bytes_of(header)).append(change.path).append(content);
  }
  INSTAR_CHECK(write_all(file.get(), text, "the changes of a variant"));
  return file;
}

Result<std::vector<FileChange>> read_changes(int file) {
  const std::string text = INSTAR_TRY(read_memory_file(file, kLargestChanges));
  std::string_view left = text;
  std::vector<FileChange> changes;
  while (!left.empty()) {
    ChangeHeader header{};
    const bool whole = value_of(left.substr(0, sizeof header), header);
    left.remove_prefix(std::min(left.size(), sizeof header));
    if (!whole || header.path_bytes > left.size() ||
        header.content_bytes > left.size() - header.path_bytes) {
      return fail(ErrorCode::kInternal, "the changes of a variant arrived cut");
    }
    FileChange change{.path = std::string(left.substr(0, header.path_bytes)),
                      .content = {},
                      .executable = header.executable};
    left.remove_prefix(header.path_bytes);
    if (header.present) change.content = std::string(left.substr(0, header.content_bytes));
    left.remove_prefix(header.content_bytes);
    changes.push_back(std::move(change));
  }
  return changes;
}

/// The answer to an order, with `count` directories.
Result<std::vector<Fd>> receive_answer(int socket, std::size_t count) {
  auto message = receive_message(socket);
  Answer answer;
  if (!message || !value_of(message->bytes, answer)) {
    return fail(ErrorCode::kInternal, "the launcher of the cells is gone",
                "look for an out-of-memory kill in the kernel's log, then start again");
  }
  if (!answer.done) {
    return fail(Error{.code = answer.code,
                      .message = answer.message.data(),
                      .hint = {},
                      .sys_errno = answer.sys_errno});
  }
  if (message->fds.size() != count) {
    return fail(ErrorCode::kInternal, "the launcher of the cells sent no directory");
  }
  return std::move(message->fds);
}

bool refuse(int socket, const Error& error) {
  Answer answer{.done = false, .code = error.code, .sys_errno = error.sys_errno, .message = {}};
  error.message.copy(answer.message.data(), answer.message.size() - 1);
  return send_message(socket, bytes_of(answer)).has_value();
}

bool confirm(int socket, std::span<const int> directories) {
  const Answer answer{.done = true};
  return send_message(socket, bytes_of(answer), directories).has_value();
}

Result<Fd> open_ordered(LayerStore& store, const WorkspaceOrder& order, int changes) {
  const auto read = INSTAR_TRY(read_changes(changes));
  return store.open(order.id, order.base.data(), order.limits, read);
}

}  // namespace

Result<Fd> ask_to_open(int socket, const WorkspaceOrder& order,
                       const std::vector<FileChange>& changes) {
  const Fd file = INSTAR_TRY(write_changes(changes));
  INSTAR_CHECK(send_order(socket, order, file.get()));
  std::vector<Fd> answer = INSTAR_TRY(receive_answer(socket, 1));
  return std::move(answer.front());
}

Result<LayerStore::Pair> ask_to_snapshot(int socket, const WorkspaceOrder& order) {
  INSTAR_CHECK(send_order(socket, order, -1));
  std::vector<Fd> answer = INSTAR_TRY(receive_answer(socket, 2));
  return LayerStore::Pair{.original = std::move(answer[0]), .copy = std::move(answer[1])};
}

Result<void> ask_to_close(int socket, std::uint64_t id) {
  return send_order(socket, {.kind = WorkspaceOrder::Kind::kClose, .id = id, .limits = {}}, -1);
}

bool serve_order(int socket, LayerStore& store, const WorkspaceOrder& order, int changes) {
  switch (order.kind) {
    case WorkspaceOrder::Kind::kOpen: {
      const auto opened = open_ordered(store, order, changes);
      return opened ? confirm(socket, std::array{opened->get()}) : refuse(socket, opened.error());
    }
    case WorkspaceOrder::Kind::kSnapshot: {
      const auto pair = store.snapshot(order.id, order.copy, order.limits);
      return pair ? confirm(socket, std::array{pair->original.get(), pair->copy.get()})
                  : refuse(socket, pair.error());
    }
    case WorkspaceOrder::Kind::kClose:
      store.close(order.id);
      return true;
  }
  return false;
}

}  // namespace instar::isolation
