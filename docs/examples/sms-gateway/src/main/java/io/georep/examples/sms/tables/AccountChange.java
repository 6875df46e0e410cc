package io.georep.examples.sms.tables;

import io.georep.examples.sms.SmsProperties;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** What an administrator wants to be different about an account; null: nothing. Never shows a password. */
final class AccountChange {
    private static final int SECRET_MAX = 1000;

    private final @Nullable String password;
    private final @Nullable Integer sessionsMax;
    private final @Nullable Integer rate;
    private final @Nullable Boolean prepaid;
    private final @Nullable String receiptsUrl;
    private final @Nullable String receiptsSecret;

    AccountChange(
            @Nullable String password,
            @Nullable Integer sessionsMax,
            @Nullable Integer rate,
            @Nullable Boolean prepaid,
            @Nullable String receiptsUrl,
            @Nullable String receiptsSecret) {
        this.password = password;
        this.sessionsMax = sessionsMax;
        this.rate = rate;
        this.prepaid = prepaid;
        this.receiptsUrl = receiptsUrl;
        this.receiptsSecret = receiptsSecret;
    }

    /**
     * Returns the row after it. An account that is new or closed opens only with a password.
     *
     * @throws IllegalArgumentException if a value is not allowed
     */
    AccountRow apply(@Nullable AccountRow before) {
        if (password == null ? before == null || before.closed() : password.isEmpty()) {
            throw new IllegalArgumentException("an account that is new or closed needs a password");
        }
        AccountRow base = before == null ? AccountRow.of(defaults()) : before;
        if ((sessionsMax != null && sessionsMax < 0) || (rate != null && rate < 0)) {
            throw new IllegalArgumentException("sessionsMax and rate must be 0 or more");
        }
        if (receiptsSecret != null && receiptsSecret.length() > SECRET_MAX) {
            throw new IllegalArgumentException("receiptsSecret may have " + SECRET_MAX + " characters");
        }
        String salt = password == null ? base.salt() : AccountRow.newSalt();
        return new AccountRow(
                salt,
                password == null ? base.digest() : AccountRow.digest(salt, password),
                sessionsMax == null ? base.sessionsMax() : sessionsMax,
                rate == null ? base.rate() : rate,
                receiptsUrl == null ? base.receiptsUrl() : url(receiptsUrl),
                receiptsSecret == null ? base.receiptsSecret() : receiptsSecret,
                false,
                prepaid == null ? base.prepaid() : prepaid);
    }

    /** An empty one takes the address out. */
    private static @Nullable URI url(String text) {
        if (text.isEmpty()) {
            return null;
        }
        return new SmsProperties.Account("-", 0, 0, URI.create(text), "", false).receiptsUrl();
    }

    private static SmsProperties.Account defaults() {
        return new SmsProperties.Account("-", 10, 1000);
    }
}
