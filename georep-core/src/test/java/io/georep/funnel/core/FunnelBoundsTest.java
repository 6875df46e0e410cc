package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.WriteOptions;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.model.StoreState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What another member, or a client, can make a node keep or believe. */
class FunnelBoundsTest {
    private static final View ABC = view(1, "a", "b", "c");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");

    private static void comes(FunnelNodes.Node to, FunnelNodes.Node from, int type, BinWriter body) {
        to.protocol.onMessage(to.peers.peer(from.id), type, new BinReader(body.toSlice()), to.turn);
    }

    private static Slice group(FunnelNodes.Node head, long counter, long clock) {
        return group(head, counter, clock, 0);
    }

    private static Slice group(FunnelNodes.Node head, long counter, long clock, long lifeMillis) {
        Slice put = GroupCodec.content(
                        Write.PUT,
                        FunnelNodes.key("k"),
                        FunnelNodes.slice("v"),
                        null,
                        lifeMillis,
                        null,
                        0,
                        null,
                        new BinWriter(64))
                .encoded();
        return GroupCodec.group(1, head.id, counter, clock, List.of(put)).encoded;
    }

    private BinWriter holding(long view, long clock) {
        BinWriter flush = new BinWriter(32).varint(view);
        FunnelMessages.holding(flush, new FunnelMessages.Holding(Version.NONE, clock, List.of(), Version.NONE));
        return flush;
    }

    @Test
    void clockThatCannotBeTrueIsRefused() {
        nodes.grant(ABC);
        long far = c.context().clock() + (1L << 40);
        BinWriter data = new BinWriter(64).varint(1).u8(0).raw(group(a, 1, far));
        BinWriter tooMany = new BinWriter(64).varint(1).u8(0).raw(group(a, 1L << 30, 5));
        BinWriter report = new BinWriter(64).varint(1);
        FunnelMessages.report(report, false, 2, far, 0, 0, new Runs(), List.of());

        assertThatThrownBy(() -> comes(c, a, FunnelMessages.DATA, data))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("of a is more than");
        assertThatThrownBy(() -> comes(c, a, FunnelMessages.DATA, tooMany))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("too far ahead");
        assertThatThrownBy(() -> comes(c, a, FunnelMessages.REPORT, report)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> comes(c, a, FunnelMessages.FLUSH, holding(1, far)))
                .isInstanceOf(MalformedException.class);
        assertThat(c.context().clock()).isLessThan(1000);
        assertThat(c.context().writes.log(0).end()).as("nothing is known of it").isEqualTo(1);
        a.put("k", "v");
        nodes.run();
        assertThat(a.done()).hasSize(1);
    }

    /** What is stored of it could not be read again. */
    @Test
    void timeToLiveThatNobodyCanGiveIsRefused() {
        nodes.grant(ABC);
        long most = WriteOptions.TIME_TO_LIVE_MAX.toMillis();
        BinWriter tooLong = new BinWriter(64).varint(1).u8(0).raw(group(a, 1, 5, most + 1));
        assertThatThrownBy(() -> comes(b, a, FunnelMessages.DATA, tooLong))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("time to live");
        comes(b, a, FunnelMessages.DATA, new BinWriter(64).varint(1).u8(0).raw(group(a, 1, 5, most)));
        BinWriter commit = new BinWriter(64).varint(1);
        Runs runs = new Runs();
        runs.add(1, 1, 1);
        FunnelMessages.commit(commit, 1, FunnelBounds.WALL_MILLIS.max() - 1, Version.NONE, runs);
        comes(b, c, FunnelMessages.COMMIT, commit);
        nodes.turn(b);

        b.reboot();
        Cell cell = b.context().tables.cell(FunnelNodes.key("k"));
        assertThat(cell.value).isEqualTo(FunnelNodes.slice("v"));
        assertThat(cell.expiresAt).isEqualTo(FunnelBounds.WALL_MILLIS.max());
    }

    /** Its number is not used up, and what it says of other writes does not count. */
    @Test
    void reportThatIsRefusedChangesNothing() {
        nodes.grant(ABC);
        HeadLog log = c.context().writes.log(0);
        for (int field = 0; field < 3; field++) {
            Runs runs = new Runs();
            runs.add(1, 1, 1);
            runs.add(1, field == 0 ? 1L << 30 : 3, 1);
            long own = field == 0 ? 9 : 1L << 30;
            BinWriter report = new BinWriter(64).varint(1);
            FunnelMessages.report(
                    report,
                    false,
                    2,
                    c.context().clock() + 5,
                    own,
                    0,
                    runs,
                    field == 2 ? List.of(new FunnelMessages.Announced(1L << 30, 1, FunnelNodes.key("k"))) : List.of());
            long clock = c.context().clock();
            assertThatThrownBy(() -> comes(c, a, FunnelMessages.REPORT, report)).isInstanceOf(MalformedException.class);
            assertThat(c.context().clock()).isEqualTo(clock);
            assertThat(log.end()).isEqualTo(1);
            assertThat(log.hasGap()).isFalse();
        }
        a.put("k", "v");
        nodes.run();
        assertThat(a.done()).hasSize(1);
    }

    /** It waits for the view, and is taken in where no frame is refused. */
    @Test
    void earlyMessageOfAnotherMemberDoesNotStopTheNode() {
        nodes.grant(ABC);
        comes(c, a, FunnelMessages.FLUSH, holding(2, c.context().clock() + (1L << 40)));
        assertThatThrownBy(() -> comes(
                        c, a, FunnelMessages.FLUSH, new BinWriter(8).varint(2).u8(1)))
                .isInstanceOf(MalformedException.class);

        assertThatCode(() -> nodes.grant(view(2, "a", "b", "c"))).doesNotThrowAnyException();
        nodes.pass(Duration.ofSeconds(2), view(2, "a", "b", "c"));
        assertThat(c.context().isServing()).isTrue();
        assertThat(c.context().clock()).isLessThan(1000);
    }

    /** Should it come back, it says again what it has then. */
    @Test
    void earlyMessageOfAPeerThatIsForgottenDoesNotCount() {
        View ac = view(2, "a", "c");
        nodes.delivers = sent -> false;
        for (boolean isForgotten : new boolean[] {true, false}) {
            comes(c, a, FunnelMessages.FLUSH, holding(2, 1));
            if (isForgotten) {
                c.protocol.onPeerForgotten(a.id);
            }
            c.grant(ac);
            nodes.turn(c);
            assertThat(c.context().isServing()).isNotEqualTo(isForgotten);
        }
    }

    /** Else one node that names a view of the far future would have this one miss, for a while, that there is a newer one. */
    @Test
    void aViewThatIsHeardOfIsAskedForWhateverWasHeardBefore() {
        nodes.grant(ABC);
        for (long view : new long[] {1L << 50, 2}) {
            a.turn.forget();
            comes(a, b, FunnelMessages.RESEND, new BinWriter(8).varint(view));
            a.protocol.endOfTurn(a.turn);
            assertThat(a.turn.events(FunnelEvent.Ask.class))
                    .as("view " + view)
                    .singleElement()
                    .satisfies(ask -> assertThat(ask.now()).isTrue());
        }
        a.turn.forget();
        comes(a, b, FunnelMessages.RESEND, new BinWriter(8).varint(2));
        a.protocol.endOfTurn(a.turn);
        assertThat(a.turn.events(FunnelEvent.Ask.class)).as("once").isEmpty();
    }

    @Test
    void partsOfLargeWritesAreKeptUpToABound() {
        nodes.grant(ABC);
        int total = 4_000_000;
        for (int counter = 1; counter <= 60; counter++) {
            BinWriter part = new BinWriter(64)
                    .varint(1)
                    .u8(0)
                    .u8(0)
                    .varint(counter)
                    .varint(total)
                    .varint(0);
            comes(b, a, FunnelMessages.PART, part.raw(Slice.of(new byte[10])));
        }
        assertThat(b.protocol.relay().assemblyBytes())
                .isGreaterThanOrEqualTo(total)
                .isLessThanOrEqualTo(Relay.ASSEMBLY_BYTES_MAX);
    }

    @Test
    void questionsThatWaitForAViewAreKeptUpToABound() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.FLUSH;
        nodes.grant(ABC);
        assertThat(c.context().standing.isOpen()).isFalse();
        for (int i = 0; i < 500; i++) {
            BinWriter query = new BinWriter(64).varint(1).varint(1).varint(i + 1);
            Version.NONE.write(query);
            comes(c, a, FunnelMessages.QUERY, query.bytes(Slice.of(new byte[40_000])));
        }
        assertThat(c.protocol.reads().keptBytes())
                .isGreaterThan(Reads.KEPT_BYTES_MAX / 2)
                .isLessThanOrEqualTo(Reads.KEPT_BYTES_MAX);
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(2), ABC);
        assertThat(c.protocol.reads().keptBytes())
                .as("answered when the view is open")
                .isZero();
    }

    @Test
    void valuesThatOperationsMetCountAsBytes() {
        FunnelSettings small = FunnelSettings.defaults().bounds(100, 10_000, 1_000);
        FunnelNodes some = new FunnelNodes(small, "a", "b");
        FunnelNodes.Node one = some.node("a");
        some.grant(view(1, "a", "b"));
        for (int i = 0; i < 30; i++) {
            one.put("k" + i, "v".repeat(900));
            some.run();
            one.retry(FunnelCommand.Kind.REMOVE, "k" + i, null, "client" + i, 1, "removed " + i);
            some.run();
        }
        assertThat(one.turn.events(FunnelEvent.Failed.class))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.cause())
                        .isInstanceOf(RejectedException.class)
                        .hasMessageContaining("bytesMax"));
        assertThat(one.context().tables.bytes()).isLessThanOrEqualTo(10_000);
        long bytes = one.context().tables.bytes();
        one.reboot();
        assertThat(one.context().tables.bytes()).isEqualTo(bytes);
    }

    /** Each client's record keeps a copy, which is larger than what the operation proposed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aValueThatManyOperationsMetCountsForEachOfThem(boolean isAtOnce) {
        FunnelNodes some = new FunnelNodes(FunnelSettings.defaults().bounds(100, 10_000, 1_000), "a", "b");
        FunnelNodes.Node one = some.node("a");
        some.grant(view(1, "a", "b"));
        one.put("k", "v".repeat(900));
        some.run();
        for (int i = 0; i < 30; i++) {
            one.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "w", "client" + i, 1, "met " + i);
            if (!isAtOnce) {
                some.run();
            }
        }
        some.run();
        assertThat(one.context().tables.bytes()).isBetween(8_000L, 10_000L);
        assertThat(one.done()).hasSizeBetween(9, 11);
        assertThat(one.turn.events(FunnelEvent.Failed.class))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.cause()).hasMessageContaining("bytesMax"));

        long bytes = one.context().tables.bytes();
        one.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "w", "client0", 2, "in place of the copy that it has");
        some.run();
        assertThat(one.done()).contains("in place of the copy that it has");
        assertThat(one.context().tables.bytes()).isEqualTo(bytes);
    }

    private void largeWriteIsStillOnItsWay() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.PART || !sent.to().equals(c.id);
        b.write(FunnelCommand.Kind.PUT, "k", "v".repeat(100_000), null, Topology.STAR);
        nodes.run();
        assertThat(c.context().writes.size()).as("not at the tail").isZero();
    }

    @Test
    void largeWriteThatIsStillOnItsWayHoldsBackItsKeyOnly() {
        largeWriteIsStillOnItsWay();
        a.put("other", "v");
        a.put("k", "later");
        nodes.run();
        assertThat(a.done()).containsExactly("PUT other v");
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(3), ABC);

        assertThat(a.done()).containsExactly("PUT other v", "PUT k later");
        assertThat(b.done()).hasSize(1);
        assertThat(a.get("k")).isEqualTo("later");
        nodes.assertSame("a", "b", "c");
    }

    /** Where the report that announced it is lost, the full one that is asked for announces it again. */
    @Test
    void fullReportAnnouncesLargeWrites() {
        nodes.grant(ABC);
        nodes.delivers = sent -> (sent.type() != FunnelMessages.PART && sent.type() != FunnelMessages.REPORT)
                || !sent.to().equals(c.id);
        b.write(FunnelCommand.Kind.PUT, "k", "v".repeat(100_000), null, Topology.STAR);
        nodes.run();
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.PART || !sent.to().equals(c.id);
        b.put("small", "v");
        nodes.run();
        a.put("other", "v");
        a.put("k", "later");
        nodes.run();

        assertThat(a.done()).containsExactly("PUT other v");
        assertThat(b.done()).containsExactly("PUT small v");
    }

    /** Also of those that replace a value of the same size, which need no more room when they are committed. */
    @Test
    void bytesOfUncommittedWritesAreBounded() {
        FunnelSettings large = FunnelSettings.defaults().bounds(100, 256L << 20, 16 << 20);
        FunnelNodes some = new FunnelNodes(large, "a", "b");
        FunnelNodes.Node one = some.node("a");
        some.grant(view(1, "a", "b"));
        String value = "v".repeat(15 << 20);
        one.put("k", value);
        some.run();
        some.delivers = sent -> false;
        for (int i = 0; i < 6; i++) {
            one.put("k", value);
            some.run();
        }
        assertThat(one.done()).hasSize(1);
        assertThat(one.context().own.bytes()).isBetween(4L * value.length(), Head.UNCOMMITTED_BYTES_MAX);
        assertThat(one.turn.events(FunnelEvent.Failed.class))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.cause())
                        .isInstanceOf(RejectedException.class)
                        .hasMessageContaining("not committed"));
    }

    /** Serving, flushing or learning: what waits for a disk that takes nothing is not said and stored again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"c a b", "a c b", "a b"})
    void nothingPilesUpWhileTheDiskIsFull(String members) {
        nodes.grant(view(1, "c", "a", "b"));
        a.put("k", "v");
        nodes.run();
        c.isStoreSlow = true;
        c.protocol.onStoreState(StoreState.FULL, c.turn);
        View view = view(members.startsWith("c") ? 1 : 2, members.split(" "));
        nodes.grant(view);
        nodes.pass(Duration.ofSeconds(3), view);
        int waiting = c.turn.storeBacklog();
        nodes.pass(Duration.ofSeconds(60), view);
        assertThat(c.turn.storeBacklog()).isEqualTo(waiting);

        c.isStoreSlow = false;
        c.protocol.onStoreState(StoreState.READY, c.turn);
        nodes.pass(Duration.ofSeconds(3), view);
        assertThat(c.context().progress.applied())
                .isEqualTo(b.context().progress.applied());
    }
}
