package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What would let two members disagree about a slot is refused, also where assertions are off. */
class JournalTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final Ballot OLD = Ballot.NONE.next(N1);
    private static final LogEntry ENTRY = new LogEntry(LogEntry.COMMAND, Slice.utf8("x"));

    private final Journal journal = new Journal(
            new LogCluster(1, 3).members.get(N1), new LogRecord(OLD, 0, Seats.founders(List.of(N1)), 0, List.of()));

    private void breaks(Runnable transition, String promise) {
        assertThatThrownBy(transition::run)
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining(promise);
    }

    @Test
    void aPromiseIsNotTakenBack() {
        breaks(() -> journal.promise(OLD), "promises only rise");
        breaks(() -> journal.promise(Ballot.NONE), "promises only rise");
    }

    @Test
    void entriesAreAcceptedInOrderAndOnceTheyAreDecidedForGood() {
        breaks(() -> journal.accept(2, OLD, ENTRY), "without holes");
        journal.accept(1, OLD, ENTRY);
        journal.decide(1);
        breaks(() -> journal.accept(1, OLD, ENTRY), "accepted for good");
    }

    @Test
    void nothingIsDecidedOrForgottenThatWasNotAcceptedOrDecided() {
        journal.accept(1, OLD, ENTRY);
        breaks(() -> journal.decide(2), "only what was accepted is decided");
        breaks(() -> journal.forget(1), "only what is decided is forgotten");
        journal.decide(1);
        journal.forget(1);
        assertThat(journal).hasToString("journal with " + OLD + ", 1..1..1, 0 bytes");
    }
}
