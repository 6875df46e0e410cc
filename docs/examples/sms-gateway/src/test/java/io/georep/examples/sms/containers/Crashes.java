package io.georep.examples.sms.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Kills gateways, changes their stores, and when all copies are back, kills others and takes their stores away. */
final class Crashes {
    /** What a killed gateway finds when it starts again. */
    enum Disk {
        SAME,
        EMPTIED,
        OLDER
    }

    private static final int EACH = 20;

    /** A second failure a minute after the first one loses nothing. */
    private static final Duration COPIES_BACK_WITHIN = Duration.ofMinutes(1);

    private final Cluster cluster;
    private final Operator operator;
    private final Ledger ledger;
    private long waiting;

    Crashes(Cluster cluster, Ledger ledger) {
        this.cluster = cluster;
        this.operator = cluster.operator();
        this.ledger = ledger;
    }

    /** Not more than f gateways in each group. */
    void survive(Disk disk, List<Gateway> first, List<Gateway> second) {
        operator.throttle(true);
        post("before");
        if (disk == Disk.OLDER) {
            first.forEach(this::copy);
            post("after the old image");
        }
        first.forEach(Gateway::kill);
        for (Gateway gateway : first) {
            switch (disk) {
                case SAME -> {}
                case EMPTIED -> operator.empty(gateway);
                case OLDER -> operator.restore(gateway);
            }
            gateway.start();
        }
        cluster.awaitCalm();
        long allUp = System.nanoTime();
        cluster.awaitCopies(waiting);
        assertThat(Duration.ofNanos(System.nanoTime() - allUp))
                .as("until all copies are back, from when all gateways are up")
                .isLessThan(COPIES_BACK_WITHIN);

        post("between");
        second.forEach(Gateway::kill);
        for (Gateway gateway : second) {
            operator.empty(gateway);
            gateway.start();
        }
        cluster.awaitCalm();
        cluster.awaitCopies(waiting);
        operator.report(ledger);
        assertThat(ledger.missing()).as("nothing was forwarded yet").hasSize((int) waiting);

        operator.throttle(false);
        cluster.settle(ledger);
        List<String> killed = Stream.concat(first.stream(), second.stream())
                .map(Gateway::name)
                .toList();
        assertThat(ledger.repeated())
                .allMatch(attempt -> killed.contains(attempt.gateway))
                .allMatch(attempt -> attempt.arrivals() <= cluster.f() + 1);
    }

    private void post(String phase) {
        ledger.phase(phase);
        Cluster.post(ledger, EACH, cluster.members());
        waiting += (long) EACH * cluster.members().size();
        cluster.awaitCopies(waiting);
    }

    /** As a snapshot of the disk would be: all files of one moment. */
    private void copy(Gateway gateway) {
        cluster.pause(gateway);
        operator.copy(gateway);
        cluster.unpause(gateway);
    }
}
