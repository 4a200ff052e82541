#include "cli/library_versions.h"

#include <expat.h>
#include <git2.h>
#include <openssl/crypto.h>
#include <seccomp.h>
#include <tree_sitter/api.h>
#include <utf8proc.h>
#include <zstd.h>

#include "build_info.h"

namespace instar::cli {

namespace {

template <class Number>
std::string dotted(Number major, Number minor, Number micro) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
}

std::string libgit2() {
  int major = 0;
  int minor = 0;
  int revision = 0;
  git_libgit2_version(&major, &minor, &revision);
  return dotted(major, minor, revision);
}

std::string expat() {
  const XML_Expat_Version version = XML_ExpatVersionInfo();
  return dotted(version.major, version.minor, version.micro);
}

std::string libseccomp() {
  const scmp_version* version = seccomp_version();
  return version == nullptr ? "unknown" : dotted(version->major, version->minor, version->micro);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"expat", expat()},
          {"libgit2", libgit2()},
          {"libseccomp", libseccomp()},
          {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
          // It has no version to ask for; this is what decides which grammars it loads.
          {"tree-sitter", "ABI " + std::to_string(TREE_SITTER_LANGUAGE_VERSION)},
          {"utf8proc", utf8proc_version()},
          {"yaml-cpp", std::string(build_info::kYamlCpp)},
          {"zstd", ZSTD_versionString()}};
}

}  // namespace instar::cli
