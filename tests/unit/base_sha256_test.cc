#include <gtest/gtest.h>

#include <string>

#include "base/sha256.h"

namespace instar {
namespace {

// Vectors of FIPS 180-2, appendix B.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HashesBytesAfterANul) {
  EXPECT_NE(sha256(std::string("a\0b", 3)), sha256(std::string("a\0c", 3)));
}

TEST(PartsHash, BordersBetweenPartsCount) {
  EXPECT_EQ(PartsHash().add("ab").add("c").finish(), sha256("2:ab1:c"));
  EXPECT_NE(PartsHash().add("ab").add("c").finish(), PartsHash().add("a").add("bc").finish());
  EXPECT_NE(PartsHash().add("ab").finish(), PartsHash().add("ab").add("").finish());
  // A part cannot imitate the frame of the next one.
  EXPECT_NE(PartsHash().add("a1:b").finish(), PartsHash().add("a").add("b").finish());
}

TEST(Digest, ComesBackFromItsHexOnly) {
  const Digest digest = sha256("abc");
  const std::string hex = digest.hex();
  EXPECT_EQ(Digest::parse(hex), digest);
  std::string upper = hex;
  upper[0] = 'B';
  for (const std::string& other :
       {upper, hex.substr(1), hex + "0", "g" + hex.substr(1), std::string()}) {
    EXPECT_FALSE(Digest::parse(other)) << other;
  }
}

TEST(ToHex, WritesHighBytes) { EXPECT_EQ(to_hex(std::string("\x00\x7f\x80\xff", 4)), "007f80ff"); }

}  // namespace
}  // namespace instar
