package io.georep.examples.sms.tables;

import io.georep.examples.sms.Printable;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.operator.Operators;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Shows accounts and routes, and changes them at all gateways, for who knows the password of the administrator. Passwords and
 * keys of accounts are never shown.
 */
@Component
@WebEndpoint(id = "sms")
@ConditionalOnProperty("sms.admin.password")
final class SmsEndpoint {
    /** An account, as it is shown. */
    record ShownAccount(
            boolean closed,
            boolean prepaid,
            int sessionsMax,
            int rate,
            @Nullable String receiptsUrl,
            boolean receiptsSigned) {}

    private static final Logger LOG = LoggerFactory.getLogger(SmsEndpoint.class);

    private final SharedTables tables;
    private final Operators operators;
    private final AdminDoor door;

    SmsEndpoint(SharedTables tables, Operators operators, AdminDoor door) {
        this.tables = tables;
        this.operators = operators;
        this.door = door;
    }

    @ReadOperation
    WebEndpointResponse<Object> show() {
        return door.answer(() -> {
            Map<String, Object> accounts = new TreeMap<>();
            tables.accounts().all().forEach((name, row) -> accounts.put(name, shown(row)));
            Map<String, Object> routes = new TreeMap<>();
            tables.routes().all().forEach((prefix, row) -> {
                if (!row.operator().isEmpty()) {
                    routes.put(prefix, row.operator());
                }
            });
            return Map.of(
                    "shared",
                    tables.accounts().isShared(),
                    "accounts",
                    accounts,
                    "routes",
                    routes,
                    "operators",
                    operators.names());
        });
    }

    private static ShownAccount shown(AccountRow row) {
        return new ShownAccount(
                row.closed(),
                row.isPaidFirst(),
                row.sessionsMax(),
                row.rate(),
                row.receiptsUrl() == null ? null : row.receiptsUrl().toString(),
                !row.receiptsSecret().isEmpty());
    }

    /** Opens or changes; what is not given stays as it is. */
    @WriteOperation
    WebEndpointResponse<Object> set(
            @Selector String table,
            @Selector String key,
            @Nullable String password,
            @Nullable Integer sessionsMax,
            @Nullable Integer rate,
            @Nullable Boolean prepaid,
            @Nullable String receiptsUrl,
            @Nullable String receiptsSecret,
            @Nullable String operator) {
        return door.answer(() -> switch (table) {
            case "accounts" -> {
                AccountChange change =
                        new AccountChange(password, sessionsMax, rate, prepaid, receiptsUrl, receiptsSecret);
                yield change(tables.accounts(), "account", key, SmsProperties.ACCOUNT_NAME, change::apply);
            }
            case "routes" -> {
                if (operator == null || !operators.names().contains(operator)) {
                    throw new IllegalArgumentException("operator must be one of " + operators.names());
                }
                yield change(tables.routes(), "route", key, SmsProperties.PREFIX, before -> new RouteRow(operator));
            }
            default -> throw unknown(table);
        });
    }

    /** Closes an account, or takes a route out. */
    @DeleteOperation
    WebEndpointResponse<Object> close(@Selector String table, @Selector String key) {
        return door.answer(() -> switch (table) {
            case "accounts" ->
                change(tables.accounts(), "account", key, SmsProperties.ACCOUNT_NAME, before -> {
                    if (before == null) {
                        throw new AdminDoor.RefusedException(404, "there is no account '" + key + "'");
                    }
                    return before.asClosed();
                });
            case "routes" ->
                change(tables.routes(), "route", key, SmsProperties.PREFIX, before -> {
                    if (before == null) {
                        throw new AdminDoor.RefusedException(404, "there is no route '" + key + "'");
                    }
                    return RouteRow.CLOSED;
                });
            default -> throw unknown(table);
        });
    }

    private static AdminDoor.RefusedException unknown(String table) {
        return new AdminDoor.RefusedException(
                404, "there is no table '" + Printable.of(table) + "', only 'accounts' and 'routes'");
    }

    private static <V> Object change(
            SharedTable<V> table, String what, String key, String pattern, UnaryOperator<@Nullable V> change) {
        if (!key.matches(pattern)) {
            throw new IllegalArgumentException(
                    "'" + Printable.of(key) + "' cannot be the key of an " + what + ": it must match " + pattern);
        }
        if (!AdminDoor.await(table.change(key, change))) {
            throw new AdminDoor.RefusedException(
                    409, "somebody else changed the " + what + " at the same time: look at it, and try again");
        }
        LOG.info("The administrator changed {} '{}' at all gateways", what, key);
        return Map.of("changed", key);
    }
}
