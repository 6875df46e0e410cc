package io.georep.flagons.core;

import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Clients of a simulated fleet that ask one thing after the other, each time at another node: four gets to a put. */
final class ClosedLoop {
    /** Until then all is quiet. */
    static final long BEGIN_MILLIS = 6_000;

    /** A client whose node is gone asks another one after that. */
    private static final long GIVE_UP_MILLIS = 7_000;

    private final FleetRun run;
    private final int clients;
    private final FleetConsistency consistency;
    private final Map<RequestId, Long> asking = new HashMap<>();
    private final List<Long> latencies = new ArrayList<>();
    private final int most;
    private int asked;
    int unsure;

    /** What the clients were told, with what they asked. */
    final Map<FleetOperation, Outcome> told = new LinkedHashMap<>();

    /** Makes clients of a run, which ask for so much together at most. */
    ClosedLoop(FleetRun run, int clients, int most, FleetConsistency consistency) {
        this.run = run;
        this.clients = clients;
        this.most = most;
        this.consistency = consistency;
        run.rate = 0;
        run.script = this::go;
    }

    private void go(FleetSimulation fleet) {
        if (fleet.now % 1000 == 0) {
            asking.values().removeIf(at -> fleet.now - at > GIVE_UP_MILLIS);
        }
        boolean isOn = fleet.now > BEGIN_MILLIS && fleet.now < run.millis - run.quietMillis;
        while (isOn && asking.size() < clients && asked < most) {
            asked++;
            ask(fleet);
        }
    }

    private void ask(FleetSimulation fleet) {
        Slice key = Slice.utf8("key" + fleet.random.nextInt(run.keys));
        boolean puts = fleet.random.nextInt(5) == 0;
        FleetOperation operation = fleet.operation(puts ? FleetOperation.Kind.PUT : FleetOperation.Kind.GET, key);
        long at = fleet.now;
        asking.put(operation.request(), at);
        fleet.submit(fleet.any(), operation, consistency, OrderKey.FIRST, run.quorum, outcome -> {
            boolean isWaited = asking.remove(operation.request()) != null;
            if (outcome.status() == Outcome.Status.UNSURE) {
                unsure++;
            } else if (isWaited) {
                latencies.add(fleet.now - at);
                told.put(operation, outcome);
            }
        });
    }

    int answers() {
        return latencies.size();
    }

    double perSecond() {
        return answers() * 1000.0 / (run.millis - run.quietMillis - BEGIN_MILLIS);
    }

    long mean() {
        return Math.round(latencies.stream().mapToLong(each -> each).average().orElse(0));
    }

    /** Returns the latency that this share of the answers did not exceed. */
    long quantile(double share) {
        List<Long> sorted = new ArrayList<>(latencies);
        Collections.sort(sorted);
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1, share * sorted.size()));
    }
}
