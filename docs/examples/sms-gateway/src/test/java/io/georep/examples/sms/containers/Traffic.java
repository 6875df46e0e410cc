package io.georep.examples.sms.containers;

import io.georep.examples.sms.demo.SmppClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jsmpp.SMPPConstant;

/** Clients that send one message after the other, one by HTTP and one by SMPP at each gateway, until they are closed. */
final class Traffic implements AutoCloseable {
    /** Not faster than this, so that the machine is busy with the gateways. */
    private static final long PAUSE_NANOS = 25_000_000;

    private final Ledger ledger;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    Traffic(Ledger ledger, List<Gateway> gateways) {
        this.ledger = ledger;
        gateways.forEach(this::sendTo);
    }

    /** Sends to one more gateway. */
    void sendTo(Gateway gateway) {
        start("http-" + gateway.name(), () -> post(gateway));
        start("smpp-" + gateway.name(), () -> submit(gateway));
    }

    private void start(String name, Runnable client) {
        Thread thread = new Thread(client, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    private void post(Gateway gateway) {
        while (!closed) {
            gateway.post(ledger);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void submit(Gateway gateway) {
        while (!closed) {
            try (SmppClient session = gateway.bind()) {
                int status = SMPPConstant.STAT_ESME_ROK;
                while (!closed && status != -1) {
                    status = gateway.submit(ledger, session);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (IOException | IllegalStateException e) {
                LockSupport.parkNanos(10 * PAUSE_NANOS);
            }
        }
    }

    /** Returns when each client has its last answer. */
    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join(30_000);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (threads.stream().anyMatch(Thread::isAlive)) {
            throw new IllegalStateException("a client still waits for an answer: what it is told would be missed");
        }
    }
}
