package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** For how long processes are refused that send what cannot be read. */
class LinkChangesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final NodeIdentity FIRST = process("first", 1);
    private static final NodeIdentity SECOND_ONE = process("second", 2);

    private final List<String> asked = new ArrayList<>();
    private final LinkChanges changes = new LinkChanges(new Asked());
    private long now = -1000 * SECOND;

    private static NodeIdentity process(String name, long nonce) {
        return new NodeIdentity(NodeId.of(name), 1, 1, nonce, name + ":1", "");
    }

    /** Notes who is refused, and who is not any more. */
    private final class Asked extends IdleTransport {
        @Override
        public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
            asked.add("targets");
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            asked.add("refuse " + peer.id());
        }

        @Override
        public void pardon(NodeIdentity peer) {
            asked.add("pardon " + peer.id());
        }
    }

    /** Lets time pass, and does what is due exactly when it is. */
    private void pass(double seconds) {
        long end = now + (long) (seconds * SECOND);
        while (changes.nextDeadlineNanos() <= end) {
            assertThat(changes.nextDeadlineNanos()).isGreaterThanOrEqualTo(now);
            now = changes.nextDeadlineNanos();
            changes.apply(now);
            assertThat(changes.nextDeadlineNanos()).isGreaterThan(now);
        }
        now = end;
    }

    private boolean refuse(NodeIdentity process) {
        return changes.refuseForNow(process, "unreadable", now);
    }

    @Test
    void aProcessIsRefusedForOneSecondAndItsOtherFramesAreNoNews() {
        assertThat(refuse(FIRST)).isTrue();
        assertThat(refuse(FIRST)).isFalse();
        pass(0.9);
        assertThat(asked).containsOnly("refuse first");

        pass(0.2);
        assertThat(asked).endsWith("pardon first");
        assertThat(refuse(FIRST)).isTrue();
    }

    @Test
    void whoRepeatsItIsRefusedForLongerAndNobodyElseIs() {
        for (double pause : new double[] {1, 2, 4, 4}) {
            asked.clear();
            refuse(FIRST);
            pass(pause - 0.1);
            assertThat(asked).doesNotContain("pardon first");
            pass(0.2);
            assertThat(asked).contains("pardon first");
        }
        asked.clear();
        refuse(FIRST);
        pass(0.5);
        refuse(SECOND_ONE);

        pass(1.1);

        assertThat(asked).containsExactly("refuse first", "refuse second", "pardon second");
        pass(3);
        assertThat(asked).contains("pardon first");
    }

    /** A process may say any nonce; only its name is checked. */
    @Test
    void whoCopiesTheNonceOfAnotherDoesNotPauseIt() {
        refuse(process("copier", FIRST.nonce()));

        assertThat(refuse(FIRST)).isTrue();
        pass(1.1);

        assertThat(asked).containsExactly("refuse copier", "refuse first", "pardon copier", "pardon first");
    }

    @Test
    void afterPeaceItBeginsAnewAndNothingIsKept() {
        refuse(FIRST);
        pass(1);
        refuse(FIRST);
        pass(2);
        pass(9);
        assertThat(changes.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        asked.clear();

        refuse(FIRST);
        pass(1);

        assertThat(asked).containsExactly("refuse first", "pardon first");
    }
}
