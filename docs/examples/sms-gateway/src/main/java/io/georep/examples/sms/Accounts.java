package io.georep.examples.sms;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** Everybody who may send messages. Thread-safe. */
@Component
public final class Accounts {
    private final Map<String, Account> accounts = new HashMap<>();

    /** Stands in for accounts that do not exist, so that they cost as much time as those that do. */
    private final Account nobody = new Account("", new SmsProperties.Account("nobody", 0, 0));

    @Autowired
    Accounts(SmsProperties properties) {
        this(properties.accounts());
    }

    /** The accounts by their names. */
    public Accounts(Map<String, SmsProperties.Account> settings) {
        settings.forEach((name, each) -> accounts.put(name, new Account(name, each)));
    }

    /** Whether there is an account of this name. */
    public boolean knows(String name) {
        return accounts.containsKey(name);
    }

    /** The account, or null when name or password is wrong. */
    public @Nullable Account authenticate(String name, String password) {
        Account account = accounts.getOrDefault(name, nobody);
        boolean right = account.hasPassword(password);
        return right && account != nobody ? account : null;
    }
}
