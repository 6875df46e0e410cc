package io.georep.mixed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.tally.Tally;
import io.georep.tally.TallyModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes of the previous version, out of a frozen jar, and nodes of this one: in one cluster, with a shared secret, over TCP,
 * and one after the other on the same data directories.
 */
@Timeout(120)
class MixedClusterTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration AWAY = Duration.ofSeconds(20);
    private static final Software PREVIOUS = Software.previous();
    private static final Software CURRENT = Software.current();
    private static final UnaryOperator<Object> NOTHING_MORE = builder -> builder;
    private static final UnaryOperator<Object> TALLY = builder -> ((NodeBuilder) builder).add(new TallyModule(77));

    @TempDir
    Path directory;

    private final Map<Integer, Member> members = new TreeMap<>();
    private final List<Member> gone = new ArrayList<>();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean busy = true;

    @AfterEach
    void stop() {
        busy = false;
        members.values().forEach(Member::halt);
    }

    private Member start(int number, Software software) {
        return start(number, software, false, NOTHING_MORE);
    }

    /** Starts a node on the disk and at the address it had. */
    private Member start(int number, Software software, boolean paused, UnaryOperator<Object> more) {
        Member before = members.get(number);
        Map<String, Object> settings = new HashMap<>();
        settings.put("id", "n" + number);
        settings.put("port", before == null ? 0 : port(before.address()));
        settings.put(
                "seeds",
                members.values().stream()
                        .filter(other -> other != before)
                        .map(Member::address)
                        .toList());
        settings.put("directory", directory.resolve("n" + number));
        settings.put("paused", paused);
        settings.put("more", more);
        Member member = software.start(settings);
        members.put(number, member);
        if (before != null) {
            gone.add(before);
        }
        return member;
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private void awaitReady() {
        await().atMost(LONG).until(() -> members.values().stream().allMatch(member -> member.ready(2)));
    }

    private void sendAndWait(int number, int count) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String payload = "n" + number + "/" + sent.incrementAndGet();
            all.add(members.get(number)
                    .send(payload)
                    .thenRun(() -> acknowledged.add(payload))
                    .toCompletableFuture());
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Each acknowledgement brings the next send, also while the member restarts. */
    private void keepSending(int number) {
        if (!busy) {
            return;
        }
        String payload = "n" + number + "/" + sent.incrementAndGet();
        members.get(number).send(payload).whenComplete((nothing, error) -> {
            if (error == null) {
                acknowledged.add(payload);
                keepSending(number);
            } else {
                CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS).execute(() -> keepSending(number));
            }
        });
    }

    private void awaitProgress() {
        int before = acknowledged.size();
        await().atMost(LONG).until(() -> acknowledged.size() >= before + 100);
    }

    private long sum(String figure) {
        return members.values().stream()
                .mapToLong(member -> member.figure(figure))
                .sum();
    }

    /** All that was acknowledged is forwarded and then deleted everywhere, and nobody was sent what it cannot read. */
    private void everythingEndsWell() {
        await().atMost(LONG).untilAsserted(() -> assertThat(forwarded()).containsAll(acknowledged));
        await().atMost(LONG).until(() -> sum("held") == 0 && sum("copies") == 0);
        assertThat(sum("refused")).as("frames refused").isZero();
        assertThat(sum("ignored")).as("messages ignored").isZero();
    }

    private Set<String> forwarded() {
        Set<String> all = new HashSet<>();
        members.values().forEach(member -> all.addAll(member.forwarded()));
        gone.forEach(member -> all.addAll(member.forwarded()));
        return all;
    }

    @Test
    void thePreviousVersionIsAnotherOne() {
        Member previous = start(1, PREVIOUS);

        Class<?> type = previous.node().getClass();
        assertThat(previous.node()).isNotInstanceOf(GeoRepNode.class);
        assertThat(type.getInterfaces()).extracting(Class::getName).contains(GeoRepNode.class.getName());
        assertThat(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .endsWith(PREVIOUS.toString());
    }

    @Test
    void eachTakesCopiesOfTheOtherAndDeletesThem() {
        start(1, PREVIOUS);
        start(2, CURRENT);
        start(3, PREVIOUS);
        awaitReady();

        for (int number = 1; number <= 3; number++) {
            sendAndWait(number, 200);
        }

        everythingEndsWell();
        assertThat(acknowledged).hasSize(600);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachAdoptsFromTheOtherAndTakesItBackAsAReturningNode(boolean previousDies) {
        Software dying = previousDies ? PREVIOUS : CURRENT;
        Software adopting = previousDies ? CURRENT : PREVIOUS;
        start(1, dying, true, NOTHING_MORE);
        start(2, adopting, true, NOTHING_MORE);
        start(3, adopting, true, NOTHING_MORE);
        awaitReady();
        sendAndWait(1, 100);

        members.get(1).halt();
        await().atMost(LONG)
                .until(() -> members.get(2).figure("adopted") + members.get(3).figure("adopted") == 100);
        Member returned = start(1, dying, true, NOTHING_MORE);
        awaitReady();
        await().atMost(LONG).until(() -> returned.figure("held") == 0);
        members.values().forEach(Member::resume);

        everythingEndsWell();
        assertThat(members.get(2).forwarded().size()
                        + members.get(3).forwarded().size())
                .as("once each, by those that adopted")
                .isEqualTo(100);
        assertThat(returned.forwarded()).isEmpty();
    }

    @Test
    void aBusyClusterIsUpgradedAndDowngradedNodeByNodeOnTheSameDisks() {
        for (int number = 1; number <= 3; number++) {
            start(number, PREVIOUS);
        }
        awaitReady();
        for (int number = 1; number <= 3; number++) {
            keepSending(number);
            keepSending(number);
        }
        awaitProgress();

        for (Software next : List.of(CURRENT, PREVIOUS)) {
            for (int number = 1; number <= 3; number++) {
                // What it holds waits in its store for the other version.
                members.get(number).pause();
                awaitProgress();
                members.get(number).leave(AWAY);
                start(number, next);
                awaitReady();
                awaitProgress();
            }
        }

        busy = false;
        everythingEndsWell();
        assertThat(sum("adopted")).as("nobody took a restart for a failure").isZero();
    }

    @Test
    void aProtocolThatOnlySomeNodesHaveIsKeptFromThePreviousVersion() throws Exception {
        Member without = start(1, PREVIOUS);
        Member with = start(2, CURRENT, false, TALLY);
        start(3, CURRENT, false, TALLY);
        awaitReady();

        Tally tally = ((GeoRepNode) with.node()).service(Tally.class);
        tally.add().toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
        sendAndWait(1, 100);
        sendAndWait(2, 100);

        await().atMost(LONG).until(() -> with.figure("withheld") > 0);
        assertThat(without.figure("ignored")).isZero();
        everythingEndsWell();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreOfALaterVersionIsRefusedByName(boolean previous) throws Exception {
        Software software = previous ? PREVIOUS : CURRENT;
        start(1, CURRENT).leave(AWAY);
        Path properties = directory.resolve("n1").resolve("georep.properties");
        String written = Files.readString(properties);
        Files.writeString(properties, written.replace("format=1", "format=9"));

        assertThatThrownBy(() -> start(1, software))
                .hasMessageContaining("has format 9, this version knows up to 2")
                .hasMessageContaining("start the version of the library that wrote it, or a later one");
        Files.writeString(properties, written);
        assertThat(start(1, software).figure("held"))
                .as("it left all as it was")
                .isZero();
    }
}
