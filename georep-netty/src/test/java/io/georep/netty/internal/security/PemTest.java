package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PemTest {
    /** Made for this test with {@code openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256}. */
    private static final String KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHX9nRXLAGTneAEme
            Ycmdlze0rtTXhKxTogt78sVtg/GhRANCAAQKF7MVQP362vOcnQxelJG3xji8AxFC
            GqsAVqK26siZX0j7LKwROan4Rg3jQXQYT/YFLNtHIcnbGVs7KlnSBHpe
            -----END PRIVATE KEY-----
            """;

    /** The same key, through {@code openssl pkcs8 -topk8 -v2 aes256}. */
    private static final String ENCRYPTED = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhh7FDICAkj7wICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFnwozZlppIX6/bpogg/EhgEgZBf
            sPurW9xEMDdGjKMKUmeKcwt6Pa7pflcG+BxzJUs4JfmrywTaJXVRXR6T/WJCTAjf
            ucjCPpHdDzDuWoWAJtGWZUzcoM86hx600C7BQDqaiUjh9KoWAAwsjX3Ms1pM10pv
            HuxRwm3SKnWaaTOFo4BOSPTPwC98GO7OPzvClBGp+WzMMC0TwHU0lPjHjBWABxI=
            -----END ENCRYPTED PRIVATE KEY-----
            """;

    private static final String PASSWORD = "between-us";

    private static PrivateKey read(String text, @Nullable String password) throws Exception {
        return Pem.privateKey(
                text.getBytes(StandardCharsets.US_ASCII), "EC", password == null ? null : password.toCharArray());
    }

    @Test
    void readsAKeyWhateverStandsAroundIt() throws Exception {
        PrivateKey key = read(KEY, null);

        assertThat(key.getAlgorithm()).isEqualTo("EC");
        assertThat(read("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + KEY, null))
                .isEqualTo(key);
        assertThat(read(KEY.replace("\n", "\r\n"), "not needed")).isEqualTo(key);
    }

    @Test
    void readsAnEncryptedKeyWithItsPasswordOnly() throws Exception {
        assertThat(read(ENCRYPTED, PASSWORD)).isEqualTo(read(KEY, null));
        assertThatThrownBy(() -> read(ENCRYPTED, null))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("give its password");
        assertThatThrownBy(() -> read(ENCRYPTED, "another one"))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageNotContaining("another one");
    }

    @Test
    void refusesAKeyOfAnOlderFormWithTheRemedy() {
        assertThatThrownBy(() -> read(KEY.replace("PRIVATE KEY", "EC PRIVATE KEY"), null))
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
    }
}
