package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapChange;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.WriteOptions;
import io.georep.funnel.core.ReadLease;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.ClosedException;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.Registration;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replicated maps between the application and a protocol that the test plays. */
@Timeout(60)
class LocalMapsTest {
    private static final FunnelSettings SETTINGS = FunnelSettings.defaults()
            .bounds(100, 1 << 20, 1000)
            .times(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMillis(300), Duration.ofSeconds(1));

    private final ScriptedNode node = new ScriptedNode();
    private final ReadTable table = new ReadTable();
    private final AtomicInteger decoded = new AtomicInteger();
    private LocalReplicatedMaps maps;
    private ReplicatedMap<String, String> map;

    private final PayloadCodec<String> counting = new PayloadCodec<>() {
        @Override
        public byte[] encode(String payload) throws Exception {
            if (payload.equals("bad")) {
                throw new Exception("bad");
            }
            return payload.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(Slice bytes) throws Exception {
            decoded.incrementAndGet();
            String text = new String(bytes.toArray(), StandardCharsets.UTF_8);
            if (text.equals("rotten")) {
                throw new Exception("rotten");
            }
            return text;
        }
    };

    @BeforeEach
    void start() {
        maps = new LocalReplicatedMaps(
                node,
                SETTINGS,
                table,
                ViewMaster.Factory.alone().create(new ViewMaster.Place(NodeId.of("n1"), SETTINGS, null, 0, null)));
        map = maps.map("routes", PayloadCodec.string(), counting);
        table.readable(node.anHour());
    }

    @AfterEach
    void end() {
        maps.ended();
    }

    private static Slice key(String key) {
        return new MapKey("routes").of(key.getBytes(StandardCharsets.UTF_8));
    }

    private List<FunnelCommand> gathered() {
        FunnelCommand.Calls calls = (FunnelCommand.Calls) maps.source().gather();
        return calls == null ? List.of() : calls.calls();
    }

    private FunnelCommand.Write written() {
        return (FunnelCommand.Write) gathered().get(0);
    }

    private void done(FunnelCommand.Write write, boolean applied, String before) {
        maps.event(new FunnelEvent.Done(
                List.of(new FunnelEvent.Written(write.token(), applied, before == null ? null : Slice.utf8(before)))));
    }

    private static Throwable failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
            throw new AssertionError("did not fail");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    private static <R> R value(CompletionStage<R> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
        return stage.toCompletableFuture().join();
    }

    @Test
    void aCleanKeyIsReadFromMemoryAndDecodedOnce() {
        node.onApplicationThread = true;
        table.clean(key("a"), null, Slice.utf8("1"));

        String first = map.get("a");
        assertThat(first).isEqualTo("1");
        assertThat(map.get("a")).isSameAs(first);
        assertThat(decoded.get()).isLessThanOrEqualTo(2);

        table.clean(key("a"), null, Slice.utf8("2"));
        assertThat(map.get("a")).isEqualTo("2");
        table.clean(key("a"), null, null);
        assertThat(map.get("a")).isNull();
        table.clean(key("a"), null, Slice.utf8("3"));
        assertThat(map.get("a")).isEqualTo("3");
        assertThat(gathered()).isEmpty();
        assertThat(node.woken).hasValue(0);
    }

    @Test
    void mapsOfOneNameShareTheContentAndOthersDoNot() {
        table.clean(key("a"), null, Slice.utf8("1"));

        assertThat(maps.map("routes", PayloadCodec.string(), PayloadCodec.bytes())
                        .get("a"))
                .containsExactly('1');
        assertThat(maps.map("routes", PayloadCodec.bytes(), counting).get(new byte[] {'a'}))
                .isEqualTo("1");
        assertThat(maps.map("routes", PayloadCodec.bytes(), counting).get(new byte[] {'b'}))
                .isNull();
        assertThat(maps.map("route", PayloadCodec.string(), counting).get("sa")).isNull();
    }

    @Test
    void aDirtyKeyIsReadAtTheTail() {
        table.dirty(key("a"), null);
        CompletionStage<String> read = map.read("a");
        CompletionStage<String> none = map.read("a");
        List<FunnelCommand> reads = gathered();
        assertThat(reads).hasSize(2);
        assertThat(node.woken).hasValue(1);
        assertThat(((FunnelCommand.Read) reads.get(0)).key()).isEqualTo(key("a"));

        maps.event(new FunnelEvent.Value(((FunnelCommand.Read) reads.get(0)).token(), Slice.utf8("9")));
        maps.event(new FunnelEvent.Value(((FunnelCommand.Read) reads.get(1)).token(), null));
        assertThat(value(read)).isEqualTo("9");
        assertThat(value(none)).isNull();
    }

    @Test
    void aGetWaitsForTheTailOnlySoLongAndNeverOnTheApplicationThread() {
        table.dirty(key("a"), null);
        assertThatThrownBy(() -> map.get("a"))
                .isInstanceOfSatisfying(
                        MapUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(MapUnavailableException.Reason.TAIL_SILENT));

        FunnelCommand.Read read = (FunnelCommand.Read) gathered().get(0);
        maps.event(new FunnelEvent.Value(read.token(), null));
        node.onApplicationThread = true;
        assertThatThrownBy(() -> map.get("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("application thread");
    }

    @Test
    void aReadThatTheProtocolRefusesThrowsItsError() {
        table.readable(ReadLease.NONE);
        CompletableFuture<String> reading = CompletableFuture.supplyAsync(() -> map.get("a"));
        List<FunnelCommand> reads = List.of();
        while (reads.isEmpty()) {
            reads = gathered();
            Thread.onSpinWait();
        }
        MapUnavailableException refusal =
                new MapUnavailableException(MapUnavailableException.Reason.NO_LEASE, "no lease on n1");
        maps.event(new FunnelEvent.Failed(List.of(((FunnelCommand.Read) reads.get(0)).token()), refusal));

        assertThat(failure(reading)).isSameAs(refusal);
    }

    @Test
    void writesBecomeCommandsInOrderAndTheirOutcomesAreTyped() {
        CompletionStage<Void> put = map.put(
                "a",
                "1",
                WriteOptions.defaults()
                        .topology(Topology.CHAIN)
                        .timeToLive(Duration.ofNanos(1))
                        .operation("web", 7));
        CompletionStage<Boolean> remove = map.remove("b");
        CompletionStage<String> absent = map.putIfAbsent("c", "2");
        CompletionStage<String> present = map.putIfAbsent("d", "3");
        CompletionStage<Boolean> replace = map.replace("e", "4", "5");

        List<FunnelCommand> commands = gathered();
        FunnelCommand.Write first = (FunnelCommand.Write) commands.get(0);
        assertThat(first)
                .isEqualTo(new FunnelCommand.Write(
                        FunnelCommand.Kind.PUT,
                        key("a"),
                        Slice.utf8("1"),
                        null,
                        1,
                        "web",
                        7,
                        Topology.CHAIN,
                        first.token()));
        FunnelCommand.Write last = (FunnelCommand.Write) commands.get(4);
        assertThat(last.kind()).isEqualTo(FunnelCommand.Kind.REPLACE);
        assertThat(last.expected()).isEqualTo(Slice.utf8("4"));
        assertThat(last.value()).isEqualTo(Slice.utf8("5"));
        assertThat(commands)
                .extracting(command -> ((FunnelCommand.Write) command).kind())
                .containsExactly(
                        FunnelCommand.Kind.PUT,
                        FunnelCommand.Kind.REMOVE,
                        FunnelCommand.Kind.PUT_IF_ABSENT,
                        FunnelCommand.Kind.PUT_IF_ABSENT,
                        FunnelCommand.Kind.REPLACE);

        assertThat(put.toCompletableFuture()).isNotDone();
        done(first, true, null);
        done((FunnelCommand.Write) commands.get(1), true, "old");
        done((FunnelCommand.Write) commands.get(2), true, null);
        done((FunnelCommand.Write) commands.get(3), false, "in the way");
        done(last, false, null);
        assertThat(value(put)).isNull();
        assertThat(value(remove)).isTrue();
        assertThat(value(absent)).isNull();
        assertThat(value(present)).isEqualTo("in the way");
        assertThat(value(replace)).isFalse();
    }

    /** Whoever asks for many keys that do not exist takes a bounded part of the memory. */
    @Test
    void whatIsRememberedOfKeysWithoutValueIsBounded() {
        for (int i = 0; i < 4 * ReadTable.ABSENT_MAX; i++) {
            assertThat(map.get("unknown " + i)).isNull();
        }

        assertThat(table.size()).isEqualTo(ReadTable.ABSENT_MAX);
        assertThat(((LocalMap<String, String>) map).remembered()).isLessThanOrEqualTo(2 * ReadTable.ABSENT_MAX);
        table.clean(key("a"), null, Slice.utf8("1"));
        assertThat(map.get("a")).isEqualTo("1");
    }

    @Test
    void whatIsWrittenIsACopy() {
        byte[] bytes = {1};
        maps.map("routes", PayloadCodec.string(), PayloadCodec.bytes()).put("a", bytes);
        bytes[0] = 2;

        assertThat(written().value().toArray()).containsExactly(1);
    }

    @Test
    void aWriteThatIsTooLargeOrCannotBeWrittenIsRefused() {
        assertThat(failure(map.put("a", "x".repeat(1000))))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo(RejectedException.Reason.PAYLOAD_TOO_LARGE))
                .hasMessageContaining("valueBytesMax");
        assertThat(failure(map.replace("a", "x".repeat(500), "y".repeat(500)))).hasMessageContaining("value expected");
        assertThatThrownBy(() -> map.put("a", "bad"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("routes");
        assertThat(gathered()).isEmpty();
    }

    @Test
    void aValueThatNobodyCanReadIsAnErrorOfTheReaderAlone() {
        table.clean(key("a"), null, Slice.utf8("rotten"));
        assertThatThrownBy(() -> map.get("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("routes");

        CompletionStage<String> before = map.putIfAbsent("a", "1");
        done(written(), false, "rotten");
        assertThat(failure(before)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everyKeyIsVisitedAndWhatIsBeingWrittenIsAskedFor() throws Exception {
        table.clean(key("a"), null, Slice.utf8("1"));
        table.clean(new MapKey("other").of(new byte[] {'z'}), null, Slice.utf8("9"));
        table.dirty(key("b"), null);
        table.dirty(key("c"), null);
        assertThat(map.get("absent")).isNull();
        Map<String, String> seen = new TreeMap<>();
        CompletableFuture<Void> visiting = CompletableFuture.runAsync(() -> map.forEach(seen::put));
        List<FunnelCommand> reads = new ArrayList<>();
        while (reads.size() < 2) {
            reads.addAll(gathered());
            Thread.onSpinWait();
        }
        for (FunnelCommand command : reads) {
            FunnelCommand.Read read = (FunnelCommand.Read) command;
            maps.event(new FunnelEvent.Value(read.token(), read.key().equals(key("b")) ? Slice.utf8("2") : null));
        }
        visiting.get(30, TimeUnit.SECONDS);

        assertThat(seen).isEqualTo(Map.of("a", "1", "b", "2"));
    }

    @Test
    void withoutLeaseNothingIsVisited() {
        table.clean(key("a"), null, Slice.utf8("1"));
        table.readable(ReadLease.NONE);
        assertThatThrownBy(() -> map.forEach((key, value) -> {}))
                .isInstanceOfSatisfying(
                        MapUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(MapUnavailableException.Reason.NO_VIEW));

        MapsStatus serving = new MapsStatus(new View(1, List.of(NodeId.of("n1"))), MapsStatus.Role.SERVING);
        List<MapsStatus> told = new ArrayList<>();
        maps.onStatus(status -> {
            throw new IllegalStateException("a listener that fails");
        });
        maps.onStatus(told::add);
        maps.event(new FunnelEvent.Status(serving));
        assertThat(told).containsExactly(serving);
        assertThat(maps.status()).isSameAs(serving);
        assertThat(maps.leaseLeft()).isZero();
        assertThatThrownBy(() -> map.forEach((key, value) -> {}))
                .isInstanceOfSatisfying(
                        MapUnavailableException.class,
                        e -> assertThat(e.reason()).isEqualTo(MapUnavailableException.Reason.NO_LEASE));
    }

    @Test
    void listenersOfAMapAreToldInOrderUntilTheyEnd() {
        List<MapChange<String, String>> told = new ArrayList<>();
        List<MapChange<String, String>> kept = new ArrayList<>();
        assertThat(table.listening()).isFalse();
        Registration ending = map.listen(told::add);
        Registration failing = map.listen(change -> {
            throw new IllegalStateException("a listener that fails");
        });
        map.listen(kept::add);
        assertThat(table.listening()).isTrue();
        FunnelEvent.Change foreign =
                new FunnelEvent.Change(new MapKey("other").of(new byte[] {'a'}), Slice.utf8("x"), 1, 1);
        FunnelEvent.Change set = new FunnelEvent.Change(key("a"), Slice.utf8("1"), 1, 2);
        FunnelEvent.Change removed = new FunnelEvent.Change(key("a"), null, 1, 3);

        maps.event(new FunnelEvent.Changes(List.of(foreign, set, removed)));
        ending.close();
        ending.close();
        failing.close();
        assertThat(table.listening()).isTrue();
        maps.event(new FunnelEvent.Changes(List.of(set)));
        MapChange<String, String> first = new MapChange<>("routes", "a", "1", 1, 2);
        MapChange<String, String> second = new MapChange<>("routes", "a", null, 1, 3);
        assertThat(told).containsExactly(first, second);
        assertThat(kept).containsExactly(first, second, first);
    }

    @Test
    void theEndOfTheNodeIsTyped() {
        table.clean(key("a"), null, Slice.utf8("1"));
        assertThat(map.get("a")).isEqualTo("1");
        CompletionStage<Void> seen = map.put("a", "2");
        gathered();
        CompletionStage<Void> unseen = map.put("a", "3");
        maps.close();
        assertThat(map.get("a")).as("a clean key, while the node is closing").isEqualTo("1");
        assertThat(failure(map.put("a", "4"))).isInstanceOf(ClosedException.class);
        maps.time(0);
        assertThat(maps.answered()).isNotDone();

        maps.ended();
        assertThat(failure(seen)).isInstanceOf(IndeterminateException.class);
        assertThat(failure(unseen)).isInstanceOf(ClosedException.class);
        assertThat(maps.answered()).isDone();
        assertThatThrownBy(() -> map.get("a")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> map.forEach((key, value) -> {})).isInstanceOf(ClosedException.class);
    }
}
