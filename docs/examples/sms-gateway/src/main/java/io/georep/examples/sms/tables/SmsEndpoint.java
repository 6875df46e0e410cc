package io.georep.examples.sms.tables;

import io.georep.examples.sms.Guesses;
import io.georep.examples.sms.Printable;
import io.georep.examples.sms.RareLog;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.operator.Operators;
import io.georep.funnel.UnavailableException;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
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
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

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
            int sessionsMax,
            int rate,
            @Nullable String receiptsUrl,
            boolean receiptsSigned) {}

    /** A refusal with its status. */
    private static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        RefusedException(int status, String message) {
            super(message);
            this.status = status;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(SmsEndpoint.class);
    private static final Duration WITHIN = Duration.ofSeconds(15);
    private static final Duration STRANGERS_LOG = Duration.ofSeconds(10);
    private static final String BASIC = "Basic ";

    /** All guesses count as guesses at this one, whatever name they give. */
    private static final String ADMIN = "admin";

    private final SharedTables tables;
    private final Operators operators;
    private final SmsProperties.Admin admin;
    private final Guesses guesses = new Guesses(System::nanoTime);
    private final RareLog strangers = new RareLog(LOG, 1, STRANGERS_LOG, System::nanoTime);

    SmsEndpoint(SharedTables tables, Operators operators, SmsProperties properties) {
        this.tables = tables;
        this.operators = operators;
        this.admin = properties.admin();
    }

    @ReadOperation
    WebEndpointResponse<Object> show() {
        return answer(() -> {
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
            @Nullable String receiptsUrl,
            @Nullable String receiptsSecret,
            @Nullable String operator) {
        return answer(() -> switch (table) {
            case "accounts" -> {
                AccountChange change = new AccountChange(password, sessionsMax, rate, receiptsUrl, receiptsSecret);
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
        return answer(() -> switch (table) {
            case "accounts" ->
                change(tables.accounts(), "account", key, SmsProperties.ACCOUNT_NAME, before -> {
                    if (before == null) {
                        throw new RefusedException(404, "there is no account '" + key + "'");
                    }
                    return before.asClosed();
                });
            case "routes" ->
                change(tables.routes(), "route", key, SmsProperties.PREFIX, before -> {
                    if (before == null) {
                        throw new RefusedException(404, "there is no route '" + key + "'");
                    }
                    return RouteRow.CLOSED;
                });
            default -> throw unknown(table);
        });
    }

    private static RefusedException unknown(String table) {
        return new RefusedException(
                404, "there is no table '" + Printable.of(table) + "', only 'accounts' and 'routes'");
    }

    private static <V> Object change(
            SharedTable<V> table, String what, String key, String pattern, UnaryOperator<@Nullable V> change) {
        if (!key.matches(pattern)) {
            throw new IllegalArgumentException(
                    "'" + Printable.of(key) + "' cannot be the key of an " + what + ": it must match " + pattern);
        }
        if (!Waiting.forAnswer(table.change(key, change), WITHIN)) {
            throw new RefusedException(
                    409, "somebody else changed the " + what + " at the same time: look at it, and try again");
        }
        LOG.info("The administrator changed {} '{}' at all gateways", what, key);
        return Map.of("changed", key);
    }

    private WebEndpointResponse<Object> answer(Supplier<Object> operation) {
        try {
            requireAdmin();
            return new WebEndpointResponse<>(operation.get());
        } catch (RefusedException e) {
            return refused(e.status, e);
        } catch (IllegalArgumentException e) {
            return refused(400, e);
        } catch (IllegalStateException e) {
            return refused(409, e);
        } catch (UnavailableException e) {
            return refused(503, e);
        } catch (IndeterminateException e) {
            return refused(504, e);
        } catch (GeoRepException e) {
            return refused(503, e);
        }
    }

    private static WebEndpointResponse<Object> refused(int status, Exception error) {
        return new WebEndpointResponse<>(
                Map.of("status", status, "message", String.valueOf(error.getMessage())), status);
    }

    /** The gateway has no Spring Security, so this is done here: no way leads around it. */
    private void requireAdmin() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            String header = attributes.getRequest().getHeader(HttpHeaders.AUTHORIZATION);
            if (header != null && isAdmin(header, attributes.getRequest().getRemoteAddr())) {
                return;
            }
            HttpServletResponse response = attributes.getResponse();
            if (response != null) {
                response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"sms\", charset=\"UTF-8\"");
            }
        }
        strangers.info("Somebody asked for accounts and routes without the password of the administrator");
        throw new RefusedException(401, "name or password of the administrator is wrong");
    }

    private boolean isAdmin(String header, String remote) {
        InetAddress address;
        try {
            address = InetAddress.getByName(remote);
        } catch (UnknownHostException e) {
            return false;
        }
        if (!guesses.allows(address, ADMIN)) {
            strangers.info("Somebody guesses the password of the administrator");
            throw new RefusedException(429, "too many wrong passwords: try again in a few seconds");
        }
        boolean right = isAdmin(header);
        guesses.tried(address, ADMIN, right);
        return right;
    }

    private boolean isAdmin(String header) {
        if (admin.password().isEmpty() || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return false;
        }
        try {
            byte[] given =
                    Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
            byte[] expected = (admin.name() + ":" + admin.password()).getBytes(StandardCharsets.UTF_8);
            // Over digests, so that the time does not tell how long the password is.
            return MessageDigest.isEqual(AccountRow.sha256(given), AccountRow.sha256(expected));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
