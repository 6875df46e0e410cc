package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Pages of a transfer that are on their way at one time, and what becomes of the others when one is lost. */
class TransferPagesTest {
    private static final View ABC = view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");

    /** The view of the others, which took what a transfer has several pages of. */
    private View withoutA() {
        View bc = view(1, "b", "c");
        nodes.cutOff("a");
        nodes.grant(bc);
        putLarge(40);
        return bc;
    }

    private void putLarge(int keys) {
        for (int i = 0; i < keys; i++) {
            b.write(FunnelCommand.Kind.PUT, "k" + i, i + "v".repeat(100_000), null, Topology.STAR);
            nodes.run();
        }
    }

    @Test
    void severalPagesAreOnTheWayToALearner() {
        View bc = withoutA();
        putLarge(60);
        List<Integer> bursts = new ArrayList<>();
        AtomicInteger pages = new AtomicInteger();
        AtomicInteger burst = new AtomicInteger();
        nodes.delivers = sent -> {
            if (sent.type() == FunnelMessages.PAGE) {
                pages.incrementAndGet();
                burst.incrementAndGet();
            } else if (sent.type() == FunnelMessages.CATCH_UP && burst.get() > 0) {
                bursts.add(burst.getAndSet(0));
            }
            return true;
        };
        nodes.mend("a");
        nodes.grant(bc);
        assertThat(bursts).as("pages between questions").startsWith(1, 2, 4, StateTransfers.WINDOW);
        assertThat(pages.get()).isLessThanOrEqualTo(25);
        assertThat(a.context().progress.applied())
                .isEqualTo(c.context().progress.applied());
        assertThat(a.lastAsk().renewal().readyView()).isEqualTo(1);
    }

    /** The pages behind the lost one must not be taken for all there was. */
    @Test
    void pageThatIsLostIsAskedForAgain() {
        View bc = withoutA();
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> switch (sent.type()) {
            case FunnelMessages.PAGE -> pages.incrementAndGet() != 4;
            case FunnelMessages.CATCH_UP -> pages.get() < 4; // or it would be asked for at once
            default -> true;
        };
        nodes.mend("a");
        nodes.grant(bc);
        assertThat(pages.get()).isGreaterThan(4);
        assertThat(a.context().tables.keys()).isLessThan(40);
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(3), bc);
        assertThat(a.context().tables.keys()).isEqualTo(40);
        assertThat(a.context().progress.applied())
                .isEqualTo(c.context().progress.applied());
    }

    /**
     * The page with which the receiver begins anew must have come before the next one. Were it lost, the next one would be taken for the
     * first, and what was in that would be missing for good.
     */
    @Test
    void ofATransferThatBeginsAnewOnePageIsOnItsWay() {
        nodes.grant(ABC);
        b.put("gone", "v");
        putLarge(12);
        nodes.cutOff("a");
        View bc = view(2, "b", "c");
        nodes.grant(bc);
        b.write(FunnelCommand.Kind.REMOVE, "gone", null, null, Topology.AUTO);
        nodes.pass(Duration.ofSeconds(3), bc);
        b.put("other", "v");
        nodes.pass(Duration.ofSeconds(3), bc);
        assertThat(c.context().tables.removals()).as("the removal is forgotten").isZero();
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() != 1;
        nodes.mend("a");
        nodes.grant(bc);
        assertThat(pages.get()).as("pages before the first has come").isEqualTo(1);
        nodes.pass(Duration.ofSeconds(5), bc);

        assertThat(a.context().tables.keys()).isEqualTo(13);
        assertThat(a.get("gone")).isEqualTo("ask");
        nodes.grant(view(3, "a", "b", "c"));
        nodes.assertSame("a", "b", "c");
        assertThat(a.get("gone")).isEqualTo("none");
    }

    /** Commits are urgent, so they may be here long before a page that was sent earlier. */
    @Test
    void aPageThatIsLateBringsNoRemovedKeyBack() {
        nodes.grant(ABC);
        List<TestTurn.Sent> commits = new ArrayList<>();
        List<TestTurn.Sent> pages = new ArrayList<>();
        nodes.delivers = sent -> !sent.to().equals(a.id)
                || (sent.type() != FunnelMessages.COMMIT || !commits.add(sent))
                        && (sent.type() != FunnelMessages.PAGE || !pages.add(sent));
        b.put("k", "v");
        nodes.run();
        BinWriter update = new BinWriter(16)
                .varint(1)
                .varint(c.context().progress.applied().commit());
        Runs.writeIds(List.of(), update);
        a.protocol.onMessage(a.peers.peer(b.id), FunnelMessages.UPDATE, new BinReader(update.toSlice()), a.turn);
        nodes.run();
        assertThat(pages).hasSize(1);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.PAGE || !sent.to().equals(a.id);
        commits.forEach(commit -> nodes.deliver(c, commit));
        b.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.pass(Duration.ofSeconds(1), ABC);
        b.put("other", "v");
        nodes.pass(Duration.ofSeconds(1), ABC);
        assertThat(a.context().tables.removals()).isZero();

        nodes.delivers = sent -> true;
        nodes.deliver(c, pages.get(0));
        nodes.run();
        assertThat(a.get("k")).isEqualTo("none");
        nodes.assertSame("a", "b", "c");
    }

    /** A member that compares what it holds gets older commits, and its place in a transfer goes back: they are in none of the pages before. */
    @Test
    void aPageOfOlderCommitsThanThosePassedIsTaken() {
        nodes.cutOff("a");
        nodes.grant(view(1, "b", "c"));
        for (String key : List.of("j", "k", "l")) {
            b.put(key, "v");
            nodes.run();
        }
        c.context().pageBytes = 1;
        c.peers.peer(a.id).full = true;
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() <= 2;
        nodes.mend("a");
        a.grant(view(1, "b", "c"));
        nodes.run();
        Version place = new Version(1, 2);
        Cell older = new Cell(FunnelLayout.keyPlace(FunnelNodes.key("late")));
        older.set(new Version(1, 1), 1, b.id, FunnelNodes.slice("v"), 0);
        BinWriter page = new BinWriter(64).varint(1);
        FunnelMessages.page(page, false, false, place, place, Version.NONE, List.of(older.stored()));
        a.protocol.onMessage(a.peers.peer(c.id), FunnelMessages.PAGE, new BinReader(page.toSlice()), a.turn);
        nodes.run();

        assertThat(a.context().tables.find(older.key)).isNotNull();
    }

    /** As where the link has little room. It is no slow link: whoever waits longer after each loss gets nowhere. */
    @Test
    void whereAllPagesButTheFirstAreLostEachIsAskedForAtOnce() {
        View bc = withoutA();
        AtomicInteger burst = new AtomicInteger();
        nodes.delivers = sent -> switch (sent.type()) {
            case FunnelMessages.CATCH_UP -> burst.getAndSet(0) >= 0;
            case FunnelMessages.PAGE -> burst.getAndIncrement() == 0;
            default -> true;
        };
        nodes.mend("a");
        a.grant(bc);
        nodes.pass(Duration.ofSeconds(2), bc);

        assertThat(a.context().tables.keys())
                .as("also the last ones, behind which nothing comes")
                .isEqualTo(40);
    }
}
