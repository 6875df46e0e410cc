package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The examples of RFC 5869, appendix A. */
class HkdfTest {
    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    @Test
    void givesTheKeysOfTheStandard() {
        byte[] key = Hkdf.extract(hex("000102030405060708090a0b0c"), hex("0b".repeat(22)));

        assertThat(key).isEqualTo(hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
        assertThat(Hkdf.expand(key, hex("f0f1f2f3f4f5f6f7f8f9"), 42))
                .isEqualTo(hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));
    }

    @Test
    void givesTheLongKeysOfTheStandard() {
        byte[] key = Hkdf.extract(Samples.range(0x60, 0xaf), Samples.range(0x00, 0x4f));

        assertThat(key).isEqualTo(hex("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"));
        assertThat(Hkdf.expand(key, Samples.range(0xb0, 0xff), 82))
                .isEqualTo(hex("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                        + "cc30c58179ec3e87c14c01d5c1f3434f1d87"));
    }
}
