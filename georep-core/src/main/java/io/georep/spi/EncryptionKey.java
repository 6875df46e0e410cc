package io.georep.spi;

import io.georep.model.ConfigurationException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A key that records are encrypted with on disk: {@value #BYTES} random bytes, and an id that is stored beside every record.
 * The id is no secret. Immutable; no method and no message shows the bytes.
 */
public final class EncryptionKey {
    /** Bytes of a key. */
    public static final int BYTES = 32;

    /** Most characters of an id. */
    public static final int ID_LENGTH_MAX = 32;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1," + ID_LENGTH_MAX + "}");
    private static final String ALGORITHM = "HmacSHA256";
    private static final String HOW = "draw one with 'openssl rand -base64 32'";

    private final String id;
    private final SecretKey secret;

    private EncryptionKey(String id, SecretKey secret) {
        this.id = id;
        this.secret = secret;
    }

    /**
     * Returns the key of these bytes, which are copied.
     *
     * @param id 1 to {@value #ID_LENGTH_MAX} letters, digits, '.', '_' and '-'. Never use one again for other bytes
     * @param bytes {@value #BYTES} random bytes
     * @throws ConfigurationException if the id is not valid, or if there are more or fewer bytes
     */
    public static EncryptionKey of(String id, byte[] bytes) {
        if (!ID.matcher(id).matches()) {
            // Without the text, which is the key itself if somebody left the id out.
            throw new ConfigurationException("the id of an encryption key is not valid: use 1 to " + ID_LENGTH_MAX
                    + " letters, digits, '.', '_' and '-', for example 2026-07");
        }
        if (bytes.length != BYTES) {
            throw new ConfigurationException(
                    "encryption key '" + id + "' has " + bytes.length + " bytes, needed are " + BYTES + ": " + HOW);
        }
        return new EncryptionKey(id, new SecretKeySpec(bytes, ALGORITHM));
    }

    /**
     * Returns the key that this text holds in Base64 (RFC 4648, section 4).
     *
     * @throws ConfigurationException if the id is not valid, or if the text is not Base64 of {@value #BYTES} bytes; the message
     *     does not repeat the text
     */
    public static EncryptionKey ofBase64(String id, String text) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text.strip());
        } catch (IllegalArgumentException e) {
            // Without the cause, whose message quotes the text; and what does not decode is of no length.
            of(id, new byte[BYTES]);
            throw new ConfigurationException("encryption key '" + id + "' is not Base64: " + HOW);
        }
        return of(id, bytes);
    }

    /** Returns the id. */
    public String id() {
        return id;
    }

    /**
     * Derives {@value #BYTES} bytes for one purpose (HMAC-SHA-256 of the purpose and the salt). They tell nothing about the
     * key or about what other purposes and salts give.
     *
     * @param purpose of ASCII characters
     * @param salt any bytes
     */
    public byte[] derive(String purpose, byte[] salt) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
            mac.update((byte) 0);
            return mac.doFinal(salt);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HMAC-SHA-256, which every JVM must have", e);
        }
    }

    /** Returns whether this is the same key: id and bytes. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EncryptionKey key && id.equals(key.id) && secret.equals(key.secret);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Says the id, and nothing about the bytes. */
    @Override
    public String toString() {
        return "EncryptionKey " + id;
    }
}
