package io.georep.examples.host;

import java.time.Duration;
import org.awaitility.Awaitility;

/** Waits for what arrives at the other side. */
final class Arrivals {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Arrivals() {}

    /** Waits until so many have arrived, or all that were acknowledged. */
    static void await(OtherSide server, Ledger ledger, int count) {
        Awaitility.await("arrivals at " + server).atMost(PATIENCE).until(() -> {
            server.collect();
            return ledger.missing().isEmpty() || ledger.arrived() >= count;
        });
    }
}
