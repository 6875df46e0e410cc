package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.LogMessage.Prepare;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a candidate gets at once that knows less than a voter is bounded. */
class TeachingTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final Seat OWN = new Seat(NodeId.of("n2"), 2);
    private static final Seats SEATS = new Seats(1, 7, List.of(new Seat(N1, 1), OWN));
    private static final Ballot LED = new Ballot(5, N1);
    private static final int KIB = 1024;

    private final List<Learn> taught = new ArrayList<>();
    private final LogOutlet outlet = (LogOutlet) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {LogOutlet.class}, (proxy, method, values) -> {
                if (method.getName().equals("send") && values[1] instanceof Learn learn) {
                    taught.add(learn);
                }
                return null;
            });

    /** Asked by a candidate that knows the first slot only. */
    private void teach(int entries, int bytes) {
        LogEntry entry = new LogEntry(LogEntry.COMMAND, Slice.of(new byte[bytes]));
        List<Proposal> decided = Collections.nCopies(entries, new Proposal(LED, entry));
        ReplicatedLog log = new ReplicatedLog(
                OWN,
                new LogCluster(1, 3).timing,
                new LogRecord(LED, 1, SEATS, 1 + entries, decided),
                () -> 0,
                outlet,
                0);
        log.onMessage(N1, new Prepare(new Ballot(6, N1), false, 1, SEATS, null, false), 1);
    }

    @Test
    void whatIsSmallIsTaughtAsAWhole() {
        teach(1000, KIB);
        assertThat(taught.stream().mapToInt(page -> page.entries().size()).sum())
                .isEqualTo(1000);
    }

    @Test
    void whatIsLargeIsTaughtInParts() {
        teach(60, KIB * KIB);
        assertThat(taught).hasSize(4);
        assertThat(taught.get(3).first()).isEqualTo(5);
    }
}
