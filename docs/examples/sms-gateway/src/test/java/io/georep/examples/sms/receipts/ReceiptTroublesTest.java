package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.GeoRepNode;
import io.georep.examples.sms.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.examples.sms.smpp.NoClients;
import io.georep.examples.sms.talk.GatewayTalk;
import io.georep.examples.sms.talk.GatewayTalkModule;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.testing.LocalCluster;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import tools.jackson.databind.json.JsonMapper;

/** Gateways that err, and accounts that want too much. */
final class ReceiptTroublesTest {
    private static final Address ANYBODY = Address.parse("+31201234567");
    private static final long LATER = System.currentTimeMillis() + 3_600_000;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final LocalCluster cluster = LocalCluster.start(3, builder -> builder.add(new GatewayTalkModule()));

    @AfterEach
    void stop() {
        cluster.close();
    }

    private AwaitedReceipts awaited(GeoRepNode node, int max) {
        return new AwaitedReceipts(node, mapper, 0, max, new ReceiptMeters(meters), new SimpleMeterRegistry());
    }

    private static Route route(String account, String id, long until) {
        return new Route(account, Route.SMPP, id, ANYBODY, ANYBODY, (byte) 1, 0, until);
    }

    @Test
    void anAccountThatWaitsForTooManyLosesItsOwn() throws Exception {
        AwaitedReceipts awaited = awaited(cluster.node(1), 10);
        awaited.add("modest", route("modest", "0", LATER));
        for (int i = 0; i < 20; i++) {
            awaited.add("greedy" + i, route("greedy", "" + i, LATER + 1_000_000 + i));
        }
        awaited.add("new", route("modest", "1", LATER));

        assertThat(awaited.find("modest")).isNotNull();
        assertThat(awaited.find("new")).isNotNull();
        assertThat(awaited.find("greedy19")).isNotNull();
        assertThat(awaited.find("greedy11")).isNull();
        assertThat(awaited.size()).isEqualTo(10);
        assertThat(meters.get("sms.receipts")
                        .tag("outcome", "forgotten")
                        .counter()
                        .count())
                .isEqualTo(12);
        awaited.destroy();
    }

    @Test
    void whatIsOverIsForgottenWhoeverItIsOf() throws Exception {
        AwaitedReceipts awaited = awaited(cluster.node(1), 10);
        awaited.add("old", route("one", "0", 1));
        awaited.add("older", route("other", "0", 2));
        awaited.add("young", route("other", "1", LATER));

        Await.until("two to be forgotten", () -> awaited.size() == 1);

        assertThat(awaited.find("young")).isNotNull();
        awaited.destroy();
    }

    /** The operator has the message: it would be submitted again and again. */
    @Test
    void aNumberOfCopiesThatIsNotAllowedKeepsNoReceiptFromItsMessage() throws Exception {
        AwaitedReceipts awaited = new AwaitedReceipts(
                cluster.node(1), mapper, 1000, 10, new ReceiptMeters(meters), new SimpleMeterRegistry());

        awaited.add("x", route("client", "7", LATER));

        assertThat(awaited.find("x")).isEqualTo(route("client", "7", LATER));
        assertThat(meters.find("sms.receipts").tag("outcome", "unsafe").counter())
                .isNull();
        awaited.destroy();
    }

    /** What the gateway that is gone knew may be adopted a moment later. */
    @Test
    void anAdoptedReceiptWaitsForItsMessageHoweverOldItIs() throws Exception {
        Duration within = Duration.ofMillis(1);
        SmsProperties properties = new Binder(new MapConfigurationPropertySource(Map.of(
                        "sms.accounts.client.password", "c",
                        "sms.operator.password", "o",
                        "sms.receipts.match-within", within.toString())))
                .bind("sms", SmsProperties.class)
                .get();
        try (LocalCluster alone = LocalCluster.start(1, builder -> builder.add(new GatewayTalkModule()))) {
            AwaitedReceipts awaited = awaited(alone.node(1), 10);
            ReceiptDesk desk = new ReceiptDesk(alone.node(1), awaited, null, mapper, () -> true, 32);
            WaitingReceipts waiting = new WaitingReceipts(10, 4);
            ReceiptForwarder forwarder = new ReceiptForwarder(
                    fake(Outbox.class, Map.of()), desk, null, waiting, new ReceiptMeters(meters), properties, null);
            Delivery<Receipt> adopted = unknown(true, "n2:1:0:1");
            Await.until("a while in which all answered", () -> longUnknown(desk, within));

            assertThatExceptionOfType(ReceiptWaitsException.class).isThrownBy(() -> forwarder.forward(adopted));

            assertThat(waiting.contains(adopted.id())).isTrue();
            Await.until("a while in which all answered", () -> longUnknown(desk, within));
            forwarder.forward(adopted);
            forwarder.forward(unknown(false, "n2:1:0:2"));
            assertThat(waiting.size()).isZero();
            desk.destroy();
            awaited.destroy();
        }
    }

    private static boolean longUnknown(ReceiptDesk desk, Duration within) {
        try {
            return desk.find("x").unknownFor().compareTo(within) > 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Delivery<Receipt> unknown(boolean adopted, String id) {
        Receipt receipt = new Receipt("x", null, false, MessageState.DELIVERED, "", "", "", "", "", "", null);
        return fake(
                Delivery.class,
                Map.of("payload", receipt, "id", EntryId.parse(id), "adopted", adopted, "enqueuedAt", Instant.EPOCH));
    }

    @SuppressWarnings("unchecked")
    private static <T> T fake(Class<? super T> type, Map<String, Object> answers) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.get(method.getName()));
    }

    @Test
    void anAnswerThatNobodyCanReadHidesNoOther() throws Exception {
        cluster.awaitReady(2);
        AwaitedReceipts there = awaited(cluster.node(3), 10);
        ReceiptDesk knows = new ReceiptDesk(cluster.node(3), there, null, mapper, () -> true, 32);
        AwaitedReceipts nothing = awaited(cluster.node(1), 10);
        ReceiptDesk asks = new ReceiptDesk(cluster.node(1), nothing, null, mapper, () -> true, 32);
        there.add("x", route("client", "7", LATER));
        for (String odd : List.of("?", "null", "{\"yes\":{}}")) {
            cluster.node(2)
                    .service(GatewayTalk.class)
                    .answerer((from, question) ->
                            CompletableFuture.completedFuture(odd.getBytes(StandardCharsets.UTF_8)));

            ReceiptDesk.Found found = asks.find("x");

            assertThat(found.holder()).isEqualTo(LocalCluster.id(3));
            assertThat(found.route()).isEqualTo(route("client", "7", LATER));
            long before = System.nanoTime();
            assertThat(asks.find("y").unknownFor()).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - before));
        }
        knows.destroy();
        asks.destroy();
        there.destroy();
        nothing.destroy();
    }

    /** Its receipts would be dropped at this one, though it lives and waits for them. */
    @Test
    void aGatewayThatOnlyThisOneHasGivenUpMayKnowTheMessage() throws Exception {
        cluster.awaitReady(2);
        AwaitedReceipts there = awaited(cluster.node(3), 10);
        ReceiptDesk knows = new ReceiptDesk(cluster.node(3), there, null, mapper, () -> true, 32);
        AwaitedReceipts between = awaited(cluster.node(2), 10);
        ReceiptDesk others = new ReceiptDesk(cluster.node(2), between, null, mapper, () -> true, 32);
        AwaitedReceipts nothing = awaited(cluster.node(1), 10);
        ReceiptDesk asks = new ReceiptDesk(cluster.node(1), nothing, null, mapper, () -> true, 32);
        there.add("x", route("client", "7", LATER));

        cluster.network().cut(LocalCluster.id(1), LocalCluster.id(3));
        Await.until("it to be given up", () -> state(1, 3) == PeerState.TERMINATED);
        long before = System.nanoTime();

        assertThat(state(2, 3)).isEqualTo(PeerState.ACTIVE);
        assertThat(asks.find("x").unknownFor()).isLessThan(Duration.ofNanos(System.nanoTime() - before));
        for (ReceiptDesk each : List.of(knows, others, asks)) {
            each.destroy();
        }
        for (AwaitedReceipts each : List.of(there, between, nothing)) {
            each.destroy();
        }
    }

    /** What the dead one knew lies in the store of a gateway without a session. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatADeadGatewayKnewIsNotUnknownBeforeItMayBeAdopted(int closed) throws Exception {
        cluster.awaitReady(2);
        Set<Integer> mayNotAdopt = ConcurrentHashMap.newKeySet();
        List<AwaitedReceipts> nothing = List.of(awaited(cluster.node(1), 10), awaited(cluster.node(2), 10));
        List<ReceiptDesk> desks = Stream.of(1, 2)
                .map(i -> new ReceiptDesk(
                        cluster.node(i), nothing.get(i - 1), null, mapper, () -> !mayNotAdopt.contains(i), 32))
                .toList();
        mayNotAdopt.add(closed);
        cluster.network().cut(LocalCluster.id(1), LocalCluster.id(3));
        cluster.network().cut(LocalCluster.id(2), LocalCluster.id(3));
        Await.until(
                "it to be given up", () -> state(1, 3) == PeerState.TERMINATED && state(2, 3) == PeerState.TERMINATED);

        long before = System.nanoTime();
        assertThat(desks.get(0).find("x").unknownFor()).isLessThan(Duration.ofNanos(System.nanoTime() - before));
        long opened = System.nanoTime();
        mayNotAdopt.clear();
        Duration open = Duration.ofNanos(System.nanoTime() - opened);
        assertThat(desks.get(0).find("x").unknownFor()).isGreaterThan(open);

        desks.forEach(ReceiptDesk::destroy);
        nothing.forEach(AwaitedReceipts::destroy);
    }

    /** The client would get it again and again, each time its answer came too late for this gateway. */
    @Test
    void theAnswerOfAClientOfAnotherGatewayIsAwaited() throws Exception {
        cluster.awaitReady(2);
        GatewayTalk.Answerer takes = (from, question) -> CompletableFuture.completedFuture(
                "{\"yes\":true,\"outcome\":\"TAKEN\"}".getBytes(StandardCharsets.UTF_8));
        cluster.node(2).service(GatewayTalk.class).answerer(takes);
        List<Duration> times = new ArrayList<>();
        AwaitedReceipts awaited = awaited(cluster.node(1), 10);
        ReceiptDesk desk = new ReceiptDesk(
                noting(times, cluster.node(1)),
                awaited,
                NoClients.deliverWithin(Duration.ofMinutes(5)),
                mapper,
                () -> true,
                32);
        Route route = route("client", "7", LATER);

        assertThat(desk.deliver(Receipt.own(route, MessageState.DELIVERED, Instant.EPOCH), route, false))
                .isEqualTo(Delivered.TAKEN);

        assertThat(times.get(times.size() - 1)).isGreaterThan(Duration.ofMinutes(5));
        desk.destroy();
        awaited.destroy();
    }

    /** The node, which notes how long answers are waited for. */
    private static GeoRepNode noting(List<Duration> times, GeoRepNode node) {
        GatewayTalk talk = node.service(GatewayTalk.class);
        GatewayTalk noting = new GatewayTalk() {
            @Override
            public CompletionStage<Answers> ask(NodeId to, byte[] question, Duration atMost, Predicate<byte[]> sought) {
                times.add(atMost);
                return talk.ask(to, question, atMost, sought);
            }

            @Override
            public void answerer(Answerer who) {
                talk.answerer(who);
            }
        };
        return (GeoRepNode) Proxy.newProxyInstance(
                GeoRepNode.class.getClassLoader(),
                new Class<?>[] {GeoRepNode.class},
                (proxy, method, arguments) ->
                        method.getName().equals("service") ? noting : method.invoke(node, arguments));
    }

    /** It has reached its client, and would be given again. */
    @Test
    void aReceiptIsOverThoughNoGatewayCanBeToldSo() throws Exception {
        AwaitedReceipts awaited = awaited(cluster.node(1), 10);
        ReceiptDesk desk = new ReceiptDesk(cluster.node(1), awaited, null, mapper, () -> true, 32);
        cluster.crash(1);

        desk.done("x", route("client", "7", LATER), LocalCluster.id(2), false);
        desk.done("x", route("client", "7", LATER), null, true);

        desk.destroy();
        awaited.destroy();
    }

    private PeerState state(int of, int who) {
        return cluster.node(of).peers().stream()
                .filter(each -> each.id().equals(LocalCluster.id(who)))
                .findFirst()
                .orElseThrow()
                .state();
    }
}
