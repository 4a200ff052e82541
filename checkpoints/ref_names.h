#pragma once

#include <string>
#include <string_view>

namespace instar::checkpoints {

/// Everything of ours among a repository's refs stands below this.
inline constexpr std::string_view kRefRoot = "refs/instar/";

/// "refs/instar/<run>/"
std::string run_ref_prefix(std::string_view run);
/// "refs/instar/<run>/champion"
std::string champion_ref(std::string_view run);
/// "refs/instar/<run>/v/<variant>"
std::string variant_ref(std::string_view run, std::string_view variant);
/// "refs/instar/<run>/anchor"
std::string anchor_ref(std::string_view run);

/// Whether `name` is a ref that this program may write: below refs/instar/, of plain characters
/// ([A-Za-z0-9._-] between slashes), no part empty or beginning with a dot, none ending in `.lock`.
/// Narrower than git's own rule on purpose.
bool is_own_ref(std::string_view name);

}  // namespace instar::checkpoints
