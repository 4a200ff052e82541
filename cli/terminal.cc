#include "cli/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "base/utf8.h"

namespace instar::cli {

std::optional<std::size_t> terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::string fitted(std::string_view line, std::size_t columns) {
  if (line.size() <= columns) return std::string(line);
  std::size_t last = 0;  // where the last column begins
  std::size_t at = 0;
  for (std::size_t column = 0; at < line.size(); ++column) {
    if (column == columns) return std::string(line.substr(0, last)) + (columns > 0 ? "…" : "");
    last = at;
    at += std::max<std::size_t>(1, decode_utf8(line.substr(at)).length);
  }
  return std::string(line);
}

}  // namespace instar::cli
