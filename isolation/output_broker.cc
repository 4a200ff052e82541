#include "isolation/output_broker.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/fd.h"
#include "isolation/beneath.h"

namespace instar::isolation {

namespace {

Result<std::string> read_output(int root, const std::string& name, std::uint64_t max_bytes) {
  // O_NONBLOCK: opening a FIFO, or a file under a lease, must not wait for the other side.
  const Fd fd = INSTAR_TRY(open_beneath(root, name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail(Error::system("cannot stat " + name, errno));
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::kRefused, name + " is not a regular file");
  if (info.st_nlink != 1) {
    return fail(ErrorCode::kRefused, name + " has another name elsewhere (a hard link)");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > max_bytes) {
    return fail(ErrorCode::kRefused, name + " is larger than the " + std::to_string(max_bytes) +
                                         " bytes that may still leave");
  }
  return read_all(fd.get(), size, name);
}

}  // namespace

std::vector<OutputFile> collect_outputs(int root, const std::vector<std::string>& names,
                                        const BrokerCaps& caps) {
  std::vector<OutputFile> outputs;
  std::uint64_t bytes_left = caps.bytes;
  std::uint64_t files_left = caps.files;
  for (const auto& name : names) {
    OutputFile output{.path = name, .bytes = {}, .refused = {}};
    auto content = read_output(root, name, bytes_left);
    if (content && files_left == 0) {
      output.refused = "there are more outputs than the " + std::to_string(caps.files) + " allowed";
    } else if (content) {
      --files_left;
      bytes_left -= content->size();
      output.bytes = *std::move(content);
    } else {
      output.refused = content.error().message;
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace instar::isolation
