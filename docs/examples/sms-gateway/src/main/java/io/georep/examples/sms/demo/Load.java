package io.georep.examples.sms.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.jspecify.annotations.Nullable;

/**
 * SMPP clients that submit until every message is acknowledged. Each prefers one gateway; after an error or without an
 * answer it binds to the next one and submits the message again, as a new attempt.
 */
final class Load implements AutoCloseable {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);
    private static final long THROTTLE_NANOS = 50_000_000;
    private static final long REBIND_NANOS = 100_000_000;
    private static final int LATENCIES_MAX = 1_000_000;

    private final SmsDemoOptions options;
    private final List<GatewayProcess> gateways;
    private final AttemptAccount account;
    private final Latencies latencies = new Latencies(LATENCIES_MAX);
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "client");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Client> clients = new ArrayList<>();
    private volatile boolean closed;

    Load(SmsDemoOptions options, List<GatewayProcess> gateways, AttemptAccount account) {
        this.options = options;
        this.gateways = gateways;
        this.account = account;
    }

    void start() {
        for (int i = 0; i < options.clients(); i++) {
            Client client = new Client(i % gateways.size());
            clients.add(client);
            for (int slot = 0; slot < options.window(); slot++) {
                threads.execute(() -> submitAll(client));
            }
        }
    }

    /** Messages acknowledged. */
    int done() {
        return done.get();
    }

    Latencies latencies() {
        return latencies;
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
        clients.forEach(Client::close);
    }

    private void submitAll(Client client) {
        int message = next.getAndIncrement();
        while (message < options.messages() && !closed) {
            if (submit(client, message)) {
                done.incrementAndGet();
                message = next.getAndIncrement();
            }
        }
    }

    /** One attempt; returns whether it was acknowledged. */
    private boolean submit(Client client, int message) {
        SmppClient session = client.session();
        if (session == null) {
            LockSupport.parkNanos(REBIND_NANOS);
            return false;
        }
        int attempt = account.open();
        long begin = System.nanoTime();
        try {
            String id = session.submit("GeoRep", "+316" + (10_000_000 + message), AttemptAccount.text(attempt));
            latencies.add(System.nanoTime() - begin);
            account.acknowledged(attempt, id);
            return true;
        } catch (NegativeResponseException e) {
            if (e.getCommandStatus() == SMPPConstant.STAT_ESME_RTHROTTLED) {
                account.throttled();
                LockSupport.parkNanos(THROTTLE_NANOS);
            } else {
                account.refused();
                client.leave(session);
            }
        } catch (IOException e) {
            account.unanswered();
            client.leave(session);
        }
        return false;
    }

    /** One session at a time, with the preferred gateway or the next one. */
    private final class Client {
        private int gateway;
        private @Nullable SmppClient session;

        Client(int gateway) {
            this.gateway = gateway;
        }

        /** The session, opened if need be; null when the gateway does not let us in. */
        synchronized @Nullable SmppClient session() {
            SmppClient current = session;
            if ((current != null && current.bound()) || closed) {
                return current;
            }
            GatewayProcess target = gateways.get(gateway);
            try {
                SmppClient opened = target.alive()
                        ? SmppClient.bind(target.smppPort(), "client", GatewayProcess.PASSWORD, ANSWER_WITHIN)
                        : null;
                session = opened;
            } catch (IOException e) {
                session = null;
            }
            if (session == null) {
                gateway = (gateway + 1) % gateways.size();
            }
            return session;
        }

        /** Goes to the next gateway, unless another thread did so already. */
        synchronized void leave(SmppClient from) {
            if (session == from) {
                gateway = (gateway + 1) % gateways.size();
                session = null;
                threads.execute(from::close);
            }
        }

        synchronized void close() {
            if (session != null) {
                session.close();
            }
        }
    }
}
