package io.georep.examples.sms.tables;

import io.georep.examples.sms.SmsProperties;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who may send messages. Travels between the gateways as JSON, and never with the password itself.
 *
 * @param salt drawn when the password was set, Base64
 * @param digest SHA-256 over salt and password, Base64
 * @param sessionsMax most SMPP sessions with one gateway at a time
 * @param rate most messages per second at one gateway; 0 for no limit
 * @param receiptsUrl where receipts of messages that came by HTTP are posted; null for nowhere
 * @param receiptsSecret key of the signature of what is posted; empty for none
 * @param closed whether nobody may use it any more
 * @param prepaid whether its messages are paid before they are sent; null in rows of older versions, as false
 */
public record AccountRow(
        String salt,
        String digest,
        int sessionsMax,
        int rate,
        @Nullable URI receiptsUrl,
        String receiptsSecret,
        boolean closed,
        @Nullable Boolean prepaid) {
    private static final int SALT_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Returns the row for the settings of an account. */
    public static AccountRow of(SmsProperties.Account settings) {
        String salt = newSalt();
        return new AccountRow(
                salt,
                digest(salt, settings.password()),
                settings.sessionsMax(),
                settings.rate(),
                settings.receiptsUrl(),
                settings.receiptsSecret(),
                false,
                settings.prepaid());
    }

    /** Returns this row without anything that opens it. */
    AccountRow asClosed() {
        return new AccountRow("", "", sessionsMax, rate, receiptsUrl, "", true, prepaid);
    }

    /** Returns whether its messages are paid before they are sent. */
    public boolean isPaidFirst() {
        return Boolean.TRUE.equals(prepaid);
    }

    /** Takes the same time wherever the passwords differ, and however long they are. */
    public boolean hasPassword(String password) {
        boolean same = MessageDigest.isEqual(
                digest.getBytes(StandardCharsets.US_ASCII),
                digest(salt, password).getBytes(StandardCharsets.US_ASCII));
        return same && !closed;
    }

    static String newSalt() {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return Base64.getEncoder().encodeToString(salt);
    }

    static String digest(String salt, String password) {
        return Base64.getEncoder().encodeToString(sha256((salt + password).getBytes(StandardCharsets.UTF_8)));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return "sessionsMax " + sessionsMax + ", rate " + rate + (closed ? ", closed" : "");
    }
}
