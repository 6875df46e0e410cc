package io.georep.examples.sms.demo;

import io.georep.examples.sms.simulator.OperatorSimulator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs three gateways and a load, lets the operator stall so that the first gateway holds acknowledged messages, kills that
 * gateway, and waits until every acknowledged message has reached the operator.
 */
final class SmsDemo {
    private static final List<String> SITES = List.of("ams", "nyc", "sgp");
    private static final Duration START_WITHIN = Duration.ofMinutes(5);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(15);
    private static final long POLL_NANOS = 20_000_000;
    private static final long BACKLOG = 200;

    private final SmsDemoOptions options;
    private final Path directory;
    private final Terminal terminal = new Terminal();
    private final AttemptAccount account = new AttemptAccount();

    SmsDemo(SmsDemoOptions options, Path directory) {
        this.options = options;
        this.directory = directory;
    }

    /** Returns the exit code: 0 only when every acknowledged message reached the operator. */
    int run() throws IOException, InterruptedException {
        try (OperatorSimulator operator =
                OperatorSimulator.open("localhost", 0, List.of("gateway"), GatewayProcess.PASSWORD, account::arrived)) {
            operator.delay(Duration.ofMillis(options.operatorMillis()));
            terminal.event("the operator listens on port %d", operator.port());
            // A page may only give orders where the endpoint does.
            String[] more =
                    options.console() ? new String[] {"management.endpoint.georep.access=unrestricted"} : new String[0];
            List<GatewayProcess> gateways = GatewayProcess.start(SITES, operator.port(), directory, more);
            try (Load load = new Load(options, gateways, account)) {
                int exitCode = traffic(operator, gateways, load);
                if (options.console()) {
                    terminal.event("press Enter to end");
                    System.in.read();
                }
                return exitCode;
            } finally {
                for (GatewayProcess gateway : gateways) {
                    gateway.stop(STOP_WITHIN);
                }
                terminal.event("all gateways ended");
            }
        }
    }

    private int traffic(OperatorSimulator operator, List<GatewayProcess> gateways, Load load) {
        for (GatewayProcess gateway : gateways) {
            await("the gateway " + gateway.site() + " to start", START_WITHIN, gateway::ready);
            terminal.event("%s (pid %d) is ready, SMPP on port %d", gateway.site(), gateway.pid(), gateway.smppPort());
        }
        if (options.console()) {
            gateways.forEach(gateway -> terminal.event(
                    "look at http://localhost:%d/georep/ (%s)", gateway.managementPort(), gateway.site()));
        }
        long begin = System.nanoTime();
        load.start();
        terminal.event(
                "%d clients submit %,d messages, up to %d at a time each",
                options.clients(), options.messages(), options.window());
        progress("a third of the messages to be acknowledged", load::done, () -> load.done() >= options.messages() / 3);
        long killNanos = kill(operator, gateways.get(0));
        progress("all messages to be acknowledged", load::done, () -> load.done() >= options.messages());
        terminal.event("all %,d messages are acknowledged", options.messages());
        progress(
                "everything acknowledged to reach the operator",
                () -> account.summary().arrived(),
                () -> account.summary().missing() == 0);
        long end = System.nanoTime();
        terminal.event("everything acknowledged reached the operator");
        long adopted = gateways.stream()
                .skip(1)
                .mapToLong(gateway -> gateway.counter("sms.adopted"))
                .sum();
        return new SmsDemoReport(terminal, account, load).print(adopted, (end - begin) / 1e9, (end - killNanos) / 1e9);
    }

    /** Kills a gateway that holds acknowledged messages; returns when. */
    private long kill(OperatorSimulator operator, GatewayProcess victim) {
        operator.throttle(true);
        terminal.event("the operator throttles everything for a while");
        awaitQuietly(options.patience(), () -> account.missingOf(victim.nodeId()) >= BACKLOG);
        long waiting = account.missingOf(victim.nodeId());
        victim.kill();
        long killNanos = System.nanoTime();
        operator.throttle(false);
        terminal.event(
                "kill -9 %d (%s): it acknowledged %,d messages that the operator does not have",
                victim.pid(), victim.site(), waiting);
        return killNanos;
    }

    private void await(String what, Duration atMost, BooleanSupplier condition) {
        if (!awaitQuietly(atMost, condition)) {
            throw new DemoFailure("Waited " + atMost.toSeconds() + " s for " + what);
        }
    }

    private static boolean awaitQuietly(Duration atMost, BooleanSupplier condition) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /** Waits as long as the count grows. */
    private void progress(String what, LongSupplier count, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            long before = count.getAsLong();
            if (!awaitQuietly(options.patience(), () -> condition.getAsBoolean() || count.getAsLong() > before)) {
                // Not an exception: the report tells what is missing.
                terminal.event("gave up waiting for %s", what);
                return;
            }
        }
    }
}
