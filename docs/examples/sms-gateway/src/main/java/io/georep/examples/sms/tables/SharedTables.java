package io.georep.examples.sms.tables;

import io.georep.examples.sms.SmsProperties;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.logging.SafeLog;
import io.georep.model.GeoRepException;
import io.georep.spring.Maps;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * The accounts and routes of all gateways, if they have replicated maps. Reads them when this gateway becomes one of those that
 * serve, and adds what its settings name. Until then the gateway is not ready. Thread-safe.
 */
@Component("tables")
public final class SharedTables implements HealthIndicator, DisposableBean {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTables.class);
    private static final Duration WRITE_WITHIN = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 500;

    private final SharedTable<AccountRow> accounts;
    private final SharedTable<RouteRow> routes;
    private final @Nullable ReplicatedMaps maps;
    private final ScheduledThreadPoolExecutor thread;

    /** Whether the tables were read since this gateway serves. Used by the thread only. */
    private boolean read;

    SharedTables(SmsProperties properties, ObjectProvider<Maps> byName, ObjectProvider<ReplicatedMaps> all) {
        Maps open = byName.getIfAvailable();
        maps = all.getIfAvailable();
        accounts = table(
                "accounts",
                open == null ? null : open.map("sms-accounts", String.class, AccountRow.class),
                properties.accounts().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> AccountRow.of(each.getValue()))),
                properties.tables());
        routes = table(
                "routes",
                open == null ? null : open.map("sms-routes", String.class, RouteRow.class),
                properties.routes().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, each -> new RouteRow(each.getValue()))),
                properties.tables());
        thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "sms-tables");
            made.setDaemon(true);
            return made;
        });
        ReplicatedMaps shared = maps;
        if (shared != null) {
            shared.onStatus(status -> lookSoon());
            var unused = thread.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private static <V> SharedTable<V> table(
            String name, @Nullable ReplicatedMap<String, V> map, Map<String, V> rows, SmsProperties.Tables settings) {
        return new SharedTable<>(name, map, rows, settings.staleMax(), System::nanoTime);
    }

    /** Who may send messages. */
    public SharedTable<AccountRow> accounts() {
        return accounts;
    }

    /** Where messages go, by prefixes of numbers. */
    public SharedTable<RouteRow> routes() {
        return routes;
    }

    private void lookSoon() {
        try {
            thread.execute(this::look);
        } catch (RejectedExecutionException e) {
            LOG.debug("The gateway is leaving");
        }
    }

    /** Reads the tables again whenever this gateway has come back to those that serve. */
    private void look() {
        ReplicatedMaps shared = maps;
        if (shared == null) {
            return;
        }
        try {
            boolean serves = shared.status().role() == MapsStatus.Role.SERVING
                    && !shared.leaseLeft().isZero();
            if (!serves) {
                if (read) {
                    LOG.warn(
                            "This gateway is cut off from the accounts and routes of all gateways: it goes on with those"
                                    + " it knew last");
                }
                read = false;
                return;
            }
            if (!read) {
                List.of(accounts, routes).forEach(table -> table.load(WRITE_WITHIN));
                read = true;
                LOG.info("Accounts and routes are those of all gateways");
            }
            accounts.served();
            routes.served();
        } catch (GeoRepException e) {
            LOG.debug("The accounts and routes of all gateways cannot be read now", e);
        } catch (Throwable e) {
            // Catches everything: a task that throws would not be called again.
            SafeLog.log(LOG, "The accounts and routes of all gateways cannot be read", e);
        }
    }

    @Override
    public Health health() {
        if (!accounts.isShared()) {
            return Health.up().withDetail("shared", false).build();
        }
        String fault = accounts.fault() == null ? routes.fault() : accounts.fault();
        return fault == null
                ? Health.up().withDetail("shared", true).build()
                : Health.outOfService().withDetail("reason", fault).build();
    }

    @Override
    public void destroy() {
        thread.shutdownNow();
    }
}
