#include "cli/terminal.h"

#include <sys/ioctl.h>

namespace instar::cli {

std::optional<std::size_t> terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace instar::cli
