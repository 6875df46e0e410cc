package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Durability;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store of a is older than a removal that all forgot, and has as uncommitted what that removed (rule 20.12). */
class OldUncommittedTest {
    private static final View ABC = view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes(FunnelSettings.defaults(), Durability.MEMORY, "a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");
    private final Predicate<TestTurn.Sent> all = nodes.delivers;
    private TestTurn old;

    /** The level is MEMORY: a crash loses what all had applied and removed meanwhile. */
    @BeforeEach
    void aStoresAWriteAsUncommitted() {
        nodes.grant(ABC);
        nodes.delivers = sent -> !sent.to().equals(a.id);
        a.put("k", "<removed>");
        nodes.run();
        assertThat(c.get("k")).isEqualTo("<removed>");
    }

    private void aCrashesLater() {
        nodes.pass(Duration.ofNanos(LateWrites.WAIT_NANOS), ABC);
        assertThat(a.context().writes.size()).isPositive();
        old = a.turn.nextBoot(Duration.ZERO);
    }

    private void theRemovalIsForgotten() {
        nodes.pass(Duration.ofSeconds(2), ABC);
        c.put("other", "v"); // tells how far they may go
        nodes.pass(Duration.ofSeconds(2), ABC);
        assertThat(c.context().tables.removals()).isZero();
        assertThat(c.context().progress.horizon()).isNotEqualTo(Version.NONE);
        old.advance(Duration.ofSeconds(4));
        aHasItsOldStore();
    }

    private void aHasItsOldStore() {
        a.turn = old;
        a.reboot();
        assertThat(a.context().writes.size()).isPositive();
    }

    /** It had dropped all that it held but this, and said in the next view to be up to date. */
    @Test
    void aMemberThatBeganAnewDoesNotBringItBack() {
        aCrashesLater();
        nodes.delivers = all;
        b.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        theRemovalIsForgotten();
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        b.put("open", "v"); // without it a would not begin the view
        nodes.run();
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.GROUP || !sent.to().equals(a.id);
        nodes.grant(view(2, "a", "b", "c"));
        assertThat(a.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
        assertThat(a.context().progress.applied())
                .isEqualTo(c.context().progress.applied());

        nodes.cutOff("c");
        nodes.delivers = all;
        View ab = view(3, "a", "b");
        nodes.grant(ab);
        nodes.pass(Duration.ofSeconds(1), ab);
        assertThat(b.get("open")).isEqualTo("v");
        assertThat(b.get("k")).isEqualTo("none");
        nodes.assertSame("a", "b");
    }

    /** As the tail of a view it drops what it holds, and gets again what others hold too. */
    @Test
    void aTailThatBeganAnewGetsFromOthersWhatItHeldToo() {
        nodes.delivers = sent -> sent.type() == FunnelMessages.DATA && sent.to().equals(a.id);
        b.write(FunnelCommand.Kind.PUT, "open", "v", null, Topology.STAR);
        nodes.run();
        nodes.delivers = sent -> false;
        aCrashesLater();
        assertThat(a.context().writes.size()).isEqualTo(2);
        for (FunnelNodes.Node other : new FunnelNodes.Node[] {b, c}) {
            other.context()
                    .progress
                    .forgetUpTo(other.context().progress.applied()); // as if they had forgotten a removal since
        }
        aHasItsOldStore();

        nodes.delivers = all;
        View bca = view(2, "b", "c", "a");
        nodes.grant(bca);
        nodes.pass(Duration.ofSeconds(1), bca);
        assertThat(a.context().progress.wiped()).as("it began anew").isNotEqualTo(Version.NONE);
        assertThat(a.get("open")).isEqualTo("v");
        nodes.assertSame("a", "b", "c");
    }
}
