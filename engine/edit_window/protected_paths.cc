#include "engine/edit_window/protected_paths.h"

namespace instar::engine {

namespace {

constexpr std::string_view kGit =
    "git and its hosts read it: attributes start filters, modules fetch, workflows run";
constexpr std::string_view kVcs = "it is another version control system's own state";
constexpr std::string_view kGuard = "it says what a variant may do and how it is judged";
constexpr std::string_view kSecret = "it holds credentials, or names the place where they are sent";
constexpr std::string_view kCi = "a build service runs it with its own rights, outside any cell";
constexpr std::string_view kLocal = "a developer's tools run it on their own machine";
constexpr std::string_view kReview = "it decides who must review a change";

constexpr ProtectedPath kBuiltIn[] = {
    // `.git*` covers .git, .gitattributes, .gitmodules, .gitignore, .github, .gitlab-ci.yml.
    {".git*", kGit},
    {".hg*", kVcs},
    {".svn", kVcs},
    {".bzr*", kVcs},
    {".jj", kVcs},

    {"instar.yaml", kGuard},
    {"instar.yml", kGuard},
    {"safety.yaml", kGuard},
    {"safety.yml", kGuard},
    {".instar*", kGuard},
    // The module that records pytest's outcomes: a file or package of its name in the directory
    // where `python3 -m pytest` runs would be loaded in its place.
    {"instar_pytest_plugin*", kGuard},

    {".env*", kSecret},
    {"*.env", kSecret},
    {"*.pem", kSecret},
    {"*.key", kSecret},
    {"*.p12", kSecret},
    {"*.pfx", kSecret},
    {"*.jks", kSecret},
    {"*.keystore", kSecret},
    {"*.ppk", kSecret},
    {"*.kdbx", kSecret},
    {"id_rsa*", kSecret},
    {"id_dsa*", kSecret},
    {"id_ecdsa*", kSecret},
    {"id_ed25519*", kSecret},
    {".ssh", kSecret},
    {".gnupg", kSecret},
    {".aws", kSecret},
    {".azure", kSecret},
    {".kube", kSecret},
    {".docker", kSecret},
    {".dockercfg", kSecret},
    {".netrc", kSecret},
    {"_netrc", kSecret},
    {".npmrc", kSecret},
    {".yarnrc*", kSecret},
    {".pypirc", kSecret},
    {".htpasswd*", kSecret},
    {".pgpass", kSecret},
    {".my.cnf", kSecret},
    {".s3cfg", kSecret},
    {".boto", kSecret},
    {".terraformrc", kSecret},
    {".vault-token", kSecret},
    {"**/.cargo/credentials*", kSecret},
    {"**/.gem/credentials", kSecret},
    {"**/.m2/settings*.xml", kSecret},

    {".circleci", kCi},
    {"Jenkinsfile*", kCi},
    {".travis.yml", kCi},
    {".appveyor.yml", kCi},
    {"appveyor.yml", kCi},
    {"azure-pipelines*", kCi},
    {"bitbucket-pipelines.yml", kCi},
    {"buildspec.yml", kCi},
    {"cloudbuild.yaml", kCi},
    {".buildkite", kCi},
    {".cirrus.*", kCi},
    {".drone.*", kCi},
    {".forgejo", kCi},
    {".semaphore", kCi},
    {".teamcity", kCi},
    {".woodpecker*", kCi},
    {".ci", kCi},

    {".husky", kLocal},
    {".pre-commit-config.*", kLocal},
    {"lefthook.*", kLocal},
    {".lefthook*", kLocal},
    {".vscode", kLocal},
    {".idea", kLocal},
    {".devcontainer*", kLocal},

    {"CODEOWNERS", kReview},
};

}  // namespace

std::span<const ProtectedPath> built_in_protected_paths() { return kBuiltIn; }

}  // namespace instar::engine
