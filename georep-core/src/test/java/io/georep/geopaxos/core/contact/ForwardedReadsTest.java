package io.georep.geopaxos.core.contact;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.groups.GroupLog;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a node remembers of reads that others answer. */
class ForwardedReadsTest {
    private static final NodeId LEADER = NodeId.of("n2");
    private static final Uses NOTHING = new Uses(Map.of());

    private final List<GeoMessage.Read> sent = new ArrayList<>();
    private final GroupLog.Host host = (GroupLog.Host) Proxy.newProxyInstance(
            GroupLog.Host.class.getClassLoader(), new Class<?>[] {GroupLog.Host.class}, (proxy, method, args) -> {
                sent.add((GeoMessage.Read) args[1]);
                return null;
            });
    private final ForwardedReads reads = new ForwardedReads(host, new Random(1));

    private static Call call(long token, int bytes) {
        return new Call(token, Operation.READ, 0, 0, 0, 0, Slice.of(new byte[bytes]));
    }

    @Test
    void onlyTheFirstAnswerOfWhomItAskedCounts() {
        assertThat(reads.ask(LEADER, call(5, 1), NOTHING, 0)).isTrue();
        long number = sent.get(0).number();

        assertThat(reads.ends(LEADER, number + 1)).isNull();
        assertThat(reads.ends(NodeId.of("n3"), number)).isNull();
        assertThat(reads.ends(LEADER, number))
                .isNotNull()
                .extracting(asked -> asked.call().token())
                .isEqualTo(5L);
        assertThat(reads.ends(LEADER, number)).isNull();
    }

    @Test
    void whatIsNotAnsweredInTimeIsGivenBack() {
        reads.ask(LEADER, call(1, 1), NOTHING, 10);
        reads.ask(LEADER, call(2, 1), NOTHING, 20);

        assertThat(reads.firstDue(100, 500)).isEqualTo(110);
        assertThat(reads.overdue(10)).extracting(Call::token).containsExactly(1L);
        assertThat(reads.ends(LEADER, sent.get(0).number())).isNull();
        assertThat(reads.firstDue(100, 500)).isEqualTo(120);
        assertThat(reads.firstDue(100, 50)).isEqualTo(50);
    }

    @Test
    void whatIsUnderWayIsBounded() {
        for (int call = 0; call < ForwardedReads.OPEN_MAX; call++) {
            assertThat(reads.ask(LEADER, call(call, 1), NOTHING, 0)).isTrue();
        }
        assertThat(reads.ask(LEADER, call(1, 1), NOTHING, 0)).isFalse();
        reads.overdue(0);
        assertThat(reads.ask(LEADER, call(1, (int) ForwardedReads.BYTES_MAX), NOTHING, 0))
                .isTrue();
        assertThat(reads.ask(LEADER, call(2, 1), NOTHING, 0)).isFalse();
    }
}
