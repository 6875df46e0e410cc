package io.georep.examples.sms.credit;

import io.georep.examples.sms.Printable;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.tables.AdminDoor;
import io.georep.examples.sms.tables.SharedTables;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/** Shows the credit of accounts, and tops it up, for who knows the password of the administrator. */
@Component
@WebEndpoint(id = "credit")
@ConditionalOnProperty("sms.admin.password")
final class CreditEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(CreditEndpoint.class);

    /** So that sums do not overflow. */
    private static final long PARTS_MAX = 1_000_000_000_000L;

    private final SharedTables tables;
    private final Credit credit;
    private final AdminDoor door;

    CreditEndpoint(SharedTables tables, Credit credit, AdminDoor door) {
        this.tables = tables;
        this.credit = credit;
        this.door = door;
    }

    @ReadOperation
    WebEndpointResponse<Object> show() {
        return door.answer(() -> {
            Map<String, CompletionStage<Purse>> purses = new TreeMap<>();
            tables.accounts().all().forEach((name, row) -> {
                if (row.isPaidFirst()) {
                    purses.put(name, credit.purse(name));
                }
            });
            Map<String, Object> accounts = new TreeMap<>();
            purses.forEach((name, purse) -> accounts.put(name, shown(AdminDoor.await(purse))));
            return accounts;
        });
    }

    @ReadOperation
    WebEndpointResponse<Object> show(@Selector String account) {
        return door.answer(() -> shown(AdminDoor.await(credit.purse(named(account)))));
    }

    /**
     * Pays in.
     *
     * @param parts of messages
     * @param toppedUp what the account has topped up before, as {@link #show} tells: so a post that is repeated pays in once
     */
    @WriteOperation
    WebEndpointResponse<Object> topUp(@Selector String account, long parts, long toppedUp) {
        return door.answer(() -> {
            if (parts < 1 || parts > PARTS_MAX) {
                throw new IllegalArgumentException("parts must be 1 to " + PARTS_MAX);
            }
            if (AdminDoor.await(credit.topUp(named(account), parts, toppedUp)) != Outcome.DONE) {
                throw new AdminDoor.RefusedException(
                        409, "the account has not topped up " + toppedUp + " before: look at it, and try again");
            }
            LOG.info("The administrator topped up account '{}' by {} parts", account, parts);
            return Map.of("toppedUp", toppedUp + parts);
        });
    }

    private static String named(String account) {
        if (!account.matches(SmsProperties.ACCOUNT_NAME)) {
            throw new IllegalArgumentException("'" + Printable.of(account) + "' cannot be the name of an account");
        }
        return account;
    }

    private static Map<String, Object> shown(Purse purse) {
        return new TreeMap<>(Map.of(
                "toppedUp", purse.toppedUp(),
                "free", purse.free(),
                "reserved", purse.reserved(),
                "spent", purse.spent()));
    }
}
