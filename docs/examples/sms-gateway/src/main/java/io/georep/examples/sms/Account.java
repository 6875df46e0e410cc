package io.georep.examples.sms;

import io.georep.examples.sms.tables.AccountRow;

/** Somebody who may send messages. Thread-safe. */
public final class Account {
    private final String name;
    private final AccountRow settings;
    private final RateLimit rateLimit;

    Account(String name, AccountRow settings) {
        this.name = name;
        this.settings = settings;
        rateLimit = new RateLimit(settings.rate());
    }

    /** Name, which is the system id of SMPP and the user of HTTP. */
    public String name() {
        return name;
    }

    /** Its limits. */
    public AccountRow settings() {
        return settings;
    }

    /** Returns whether the account may send one more message now. */
    boolean allowsOneMore() {
        return rateLimit.allows(System.nanoTime());
    }

    @Override
    public String toString() {
        return name;
    }
}
