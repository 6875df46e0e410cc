package io.georep.examples.sms;

import io.georep.examples.sms.tables.AccountRow;
import io.georep.examples.sms.tables.SharedTable;
import io.georep.examples.sms.tables.SharedTables;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Everybody who may send messages, as of this moment: accounts are read from a table that all gateways may share. All methods
 * throw {@link io.georep.funnel.MapUnavailableException} while this gateway cannot know them. Thread-safe.
 */
@Component
public final class Accounts {
    private static final Pattern NAME = Pattern.compile(SmsProperties.ACCOUNT_NAME);

    private final SharedTable<AccountRow> table;

    /** Accounts that were used, which count what was sent against the rate. */
    private final Map<String, Account> used = new ConcurrentHashMap<>();

    /** Its password is checked for names that do not exist, so that both take as long. */
    private final AccountRow nobody = AccountRow.of(new SmsProperties.Account("nobody", 0, 0));

    private final Guesses guesses = new Guesses(System::nanoTime);
    private final LongAdder wrong = new LongAdder();
    private final LongAdder slowed = new LongAdder();

    @Autowired
    Accounts(SharedTables tables, MeterRegistry meters) {
        this(tables.accounts());
        counter(meters, "wrong", wrong);
        counter(meters, "slowed", slowed);
    }

    private static void counter(MeterRegistry meters, String reason, LongAdder count) {
        FunctionCounter.builder("sms.logins.refused", count, LongAdder::sum)
                .description("Binds and posts with a wrong name or password, and those that came too fast after such")
                .tag("reason", reason)
                .register(meters);
    }

    private Accounts(SharedTable<AccountRow> table) {
        this.table = table;
    }

    /** The accounts by their names, for a process that shares them with nobody. */
    public Accounts(Map<String, SmsProperties.Account> settings) {
        this(SharedTable.ofSettings(
                "accounts",
                settings.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> AccountRow.of(each.getValue())))));
    }

    /**
     * Returns whether the account of this name was closed. A name without a row is not closed: another gateway may have
     * it in its settings.
     */
    public boolean closed(String name) {
        AccountRow row = any(name);
        return row != null && row.closed();
    }

    /** The account of this name as it is now; null if there is none, or if it is closed. */
    public @Nullable Account find(String name) {
        AccountRow row = row(name);
        if (row == null) {
            used.remove(name);
            return null;
        }
        Account account = used.get(name);
        if (account == null || !account.settings().equals(row)) {
            account = new Account(name, row);
            used.put(name, account);
        }
        return account;
    }

    private @Nullable AccountRow row(String name) {
        AccountRow row = any(name);
        return row == null || row.closed() ? null : row;
    }

    private @Nullable AccountRow any(String name) {
        return NAME.matcher(name).matches() ? table.get(name) : null;
    }

    /**
     * The account, or null when name or password is wrong: which of them is not told.
     *
     * @param address where the client is
     * @throws TooManyGuessesException when too many were wrong, from this address or for this account
     */
    public @Nullable Account authenticate(String name, String password, InetAddress address) {
        Account account = find(name);
        String counted = NAME.matcher(name).matches() ? name : "";
        if (!guesses.allows(address, counted)) {
            slowed.increment();
            throw new TooManyGuessesException();
        }
        boolean right = (account == null ? nobody : account.settings()).hasPassword(password) && account != null;
        guesses.tried(address, counted, right);
        if (!right) {
            wrong.increment();
        }
        return right ? account : null;
    }
}
