package io.georep.connectors.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What shows that a request comes from one who knows the secret: HMAC-SHA256 of {@code <id>.<seconds>.<body>}, as in
 * Standard Webhooks. Used by one thread at a time.
 */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;

    Signature(byte[] secret) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }

    String of(String id, long seconds, byte[] body) {
        mac.update((id + "." + seconds + ".").getBytes(StandardCharsets.UTF_8));
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    }
}
