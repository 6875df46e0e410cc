package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Attempts to lead whose answers take long. */
class ProbeTest {
    private static final long SECOND = 1_000 * LogCluster.MILLI;
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final NodeId N3 = NodeId.of("n3");

    /**
     * The answers to a probe come after the next one is due. What is asked for is that somebody gets a lease, not that he has it at one
     * moment: a round trip takes 800 ms and more, a sync up to 300, and a lease of 950 ms counts from the question, so it ends now and then.
     */
    @Test
    void roundTripsNearlyAsLongAsALeaseEndNoAttempt() {
        for (int seed = 1; seed <= 20; seed++) {
            LogCluster cluster = ReplicatedLogTest.founded(seed);
            cluster.way = 400 * LogCluster.MILLI;
            cluster.crash(cluster.leader());

            boolean isLed = cluster.runUntil(() -> cluster.leader() != null, 20 * SECOND);

            assertThat(isLed).as("after seed " + seed).isTrue();
        }
    }

    /** Under the same one nobody who has promised a higher one would ever answer. */
    @Test
    void aProbeIsAskedAgainUnderItsBallotUntilAHigherOneIsKnown() {
        List<Ballot> asked = new ArrayList<>();
        LogOutlet outlet = (LogOutlet) Proxy.newProxyInstance(
                LogOutlet.class.getClassLoader(), new Class<?>[] {LogOutlet.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send") && arguments[1] instanceof LogMessage.Prepare prepare) {
                        asked.add(prepare.ballot());
                    }
                    return null;
                });
        LogTiming timing = new LogCluster(1, 3).timing;
        ReplicatedLog log = new ReplicatedLog(
                new Seat(N2, 2), timing, LogRecord.empty(List.of(N1, N2, N3)), new Random(1), outlet, 0);
        log.endOfTurn(10 * SECOND);
        log.endOfTurn(20 * SECOND);
        assertThat(asked).hasSize(2 * 3).containsOnly(asked.get(0));

        Ballot higher = new Ballot(99, N3);
        log.onMessage(N3, new LogMessage.Refuse(higher), 20 * SECOND);
        log.endOfTurn(30 * SECOND);

        assertThat(asked.subList(6, 9)).allMatch(ballot -> ballot.compareTo(higher) > 0);
    }
}
