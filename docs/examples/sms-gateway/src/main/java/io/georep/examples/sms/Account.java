package io.georep.examples.sms;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Somebody who may send messages. Never shows the password. Thread-safe. */
public final class Account {
    private final String name;
    private final byte[] passwordDigest;
    private final SmsProperties.Account settings;
    private final RateLimit rateLimit;

    Account(String name, SmsProperties.Account settings) {
        this.name = name;
        this.settings = settings;
        passwordDigest = digest(settings.password());
        rateLimit = new RateLimit(settings.rate());
    }

    /** Name, which is the system id of SMPP and the user of HTTP. */
    public String name() {
        return name;
    }

    /** Its limits. */
    public SmsProperties.Account settings() {
        return settings;
    }

    /** Whether the account may send one more message now. */
    boolean allowsOneMore() {
        return rateLimit.allows(System.nanoTime());
    }

    /** Takes the same time wherever the passwords differ, and however long they are. */
    boolean hasPassword(String password) {
        return MessageDigest.isEqual(passwordDigest, digest(password));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
