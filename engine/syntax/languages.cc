#include <array>

#include "engine/syntax/language.h"

namespace instar::engine {

std::span<const Language* const> languages() {
  static constexpr std::array<const Language*, 2> kLanguages{&kPython, &kC};
  return kLanguages;
}

const Language* language_for(std::string_view path) {
  for (const Language* language : languages()) {
    for (const std::string_view extension : language->extensions) {
      if (path.ends_with(extension)) return language;
    }
  }
  return nullptr;
}

const OperatorChoice* find_operator(const Language& language, OperatorGroup group,
                                    std::string_view text) {
  for (const OperatorChoice& choice : language.operators[static_cast<std::size_t>(group)]) {
    if (choice.op == text) return &choice;
  }
  return nullptr;
}

}  // namespace instar::engine
