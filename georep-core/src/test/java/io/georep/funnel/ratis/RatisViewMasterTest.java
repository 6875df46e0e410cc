package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.FreePort;
import io.georep.funnel.ViewMaster;
import io.georep.model.ClosedException;
import io.georep.model.NodeId;
import io.georep.model.TransportException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three peers over loopback, with elections, logs and sockets as they are. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RatisViewMasterTest {
    @TempDir
    private Path directory;

    @Test
    void theFirstViewHasTheFoundersAndComesWhenAllOfThemHaveAsked() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            Masters.Node a = masters.start("a");
            Masters.Node b = masters.start("b");
            masters.await("an answer", () -> a.failure == null && b.failure == null && masters.leader() != null);
            assertThat(a.view).isNull();
            masters.await(
                    "what it waits for",
                    () -> Objects.requireNonNull(masters.leader().master.machine())
                            .awaited()
                            .equals(List.of(NodeId.of("c"))));

            Masters.Node c = masters.start("c");

            for (Masters.Node each : List.of(a, b, c)) {
                masters.await("the first view", () -> each.serves(1, "a", "b", "c"));
                assertThat(each.leaseNanos).isEqualTo(Masters.LEASE.toNanos());
            }
            long asked = a.grantedAsk;
            masters.await("a later lease", () -> a.grantedAsk > asked);
        }
        assertNothingIsLeft();
    }

    @Test
    void aSilentMemberIsTakenOutWhenItsLastLeaseHasEndedAndOneThatHasCaughtUpJoins() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            List<Masters.Node> founders = List.of(masters.start("a"), masters.start("b"), masters.start("c"));
            founders.forEach(each -> masters.await("the first view", () -> each.serves(1, "a", "b", "c")));
            Masters.Node a = founders.get(0);
            Masters.Node c = founders.get(2);

            c.asks = false;
            masters.await("a view without it", () -> a.serves(2, "a", "b"));
            long gone = System.nanoTime();
            assertThat(gone - c.grantedAsk).isGreaterThanOrEqualTo(Masters.LEASE.toNanos());

            Masters.Node d = masters.start("d");
            masters.await("the view", () -> d.view != null && d.view.number() == 2);
            assertThat(d.leaseNanos).as("it is no member").isZero();
            d.learns = true;
            masters.await("a view with the new one in front", () -> d.serves(3, "d", "a", "b"));
            masters.await("the same one there", () -> a.serves(3, "d", "a", "b"));
        }
    }

    @Test
    @Tag("servers")
    void aMemberThatOthersCannotReachGetsNoLeaseAnyMoreAndGoes() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            List<Masters.Node> founders = List.of(masters.start("a"), masters.start("b"), masters.start("c"));
            founders.forEach(each -> masters.await("the first view", () -> each.serves(1, "a", "b", "c")));
            Masters.Node b = founders.get(1);

            founders.get(0).unreachable = Set.of(NodeId.of("b"));
            founders.get(2).unreachable = Set.of(NodeId.of("b"));

            masters.await("a view without it", () -> founders.get(0).serves(2, "a", "c"));
            long gone = System.nanoTime();
            assertThat(gone - b.grantedAsk).isGreaterThanOrEqualTo(Masters.LEASE.toNanos());
            assertThat(b.askedAt).as("it went on to ask").isGreaterThan(b.grantedAsk);
        }
    }

    @Test
    @Tag("servers")
    void theViewLastsWhenTheLeaderOfTheMasterDies() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            List<Masters.Node> founders = List.of(masters.start("a"), masters.start("b"), masters.start("c"));
            founders.forEach(each -> masters.await("the first view", () -> each.serves(1, "a", "b", "c")));
            Masters.Node leader = masters.leader();

            leader.close();
            long killed = System.nanoTime();

            List<String> left =
                    masters.nodes().stream().map(each -> each.id.value()).toList();
            for (Masters.Node each : masters.nodes()) {
                masters.await("a lease after it", () -> each.grantedAsk > killed);
                masters.await("a view without it", () -> each.serves(2, left.toArray(String[]::new)));
            }
            assertThat(System.nanoTime() - leader.grantedAsk).isGreaterThanOrEqualTo(Masters.LEASE.toNanos());
        }
    }

    @Test
    @Tag("servers")
    void withoutAMajorityNothingChangesAndAllComesBackFromDisk() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            List<Masters.Node> founders = List.of(masters.start("a"), masters.start("b"), masters.start("c"));
            founders.forEach(each -> masters.await("the first view", () -> each.serves(1, "a", "b", "c")));
            Masters.Node a = founders.get(0);

            Masters.close(founders.subList(1, 3));
            masters.await("a failure", () -> a.failure instanceof TransportException);

            assertThat(a.failure)
                    .hasMessageContaining("2 of 3 peers must run")
                    .hasMessageContaining("c at 127.0.0.1:" + masters.port("c"));
            long lost = System.nanoTime();
            long newest = a.master.machine().view();
            masters.await("a lease's time", () -> System.nanoTime() - lost > 2 * Masters.LEASE.toNanos());
            assertThat(a.master.machine().view()).isEqualTo(newest);
            a.close();

            founders.forEach(each -> masters.start(each.id.value(), 2, each.activeView));
            for (Masters.Node each : masters.nodes()) {
                masters.await("a later view", () -> each.view != null && each.view.number() > 1);
            }
            masters.await("a lease", () -> masters.nodes().stream().anyMatch(each -> each.leaseNanos > 0));
        }
    }

    /** Also the thread groups and the executors of Ratis and gRPC. */
    private static void assertNothingIsLeft() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        List<String> left = threads();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            Thread.yield();
            left = threads();
        }
        assertThat(left).isEmpty();
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.contains("-views") || name.matches("[abc][-@].*") || name.startsWith("grpc"))
                .toList();
    }

    /** An error is over when it is over: the next question is asked. */
    @Test
    void aQuestionThatEndsWithAnErrorIsNotOpenForEver() {
        ViewMaster.Grant grant = new ViewMaster.Grant(null, Duration.ZERO, false);
        try (RatisViewMaster master = unopened()) {
            assertThat(master.onlyOne(() -> {
                        throw new OutOfMemoryError("unable to create native thread");
                    }))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(OutOfMemoryError.class);

            assertThat(master.onlyOne(() -> grant))
                    .succeedsWithin(Duration.ofSeconds(30))
                    .isSameAs(grant);
        }
    }

    private RatisViewMaster unopened() {
        ViewMaster.Place place = Masters.place("a", directory);
        return (RatisViewMaster)
                RatisViewMaster.over(RatisSettings.of("a=127.0.0.1:7400")).create(place);
    }

    /** Opening takes its time, and the node may end meanwhile: nobody would ever close it. */
    @Test
    void aReplicaThatOpensTooLateIsClosed() throws Exception {
        RatisSettings settings =
                RatisSettings.of("a=127.0.0.1:" + FreePort.find()).portOffset(0);
        RatisViewMaster master = unopened();
        master.close();
        RatisReplica late = new RatisReplica(new RatisPlace(settings, Masters.place("a", directory), 1000));

        assertThatThrownBy(() -> master.keep(late)).isInstanceOf(ClosedException.class);

        assertThat(late.isAlive()).isFalse();
        assertThat(master.machine()).isNull();
    }

    @Test
    void aPortThatIsTakenIsSaidAndUsedAsSoonAsItIsFree() throws Exception {
        try (Masters masters = new Masters(directory, "a", "b", "c")) {
            Masters.Node a;
            try (ServerSocket other = new ServerSocket(masters.port("a"), 1, InetAddress.getByName("127.0.0.1"))) {
                a = masters.start("a");
                masters.await("a failure", () -> a.failure != null);
                assertThat(a.failure)
                        .isInstanceOf(TransportException.class)
                        .hasMessageContaining("cannot listen on 127.0.0.1:" + other.getLocalPort())
                        .hasMessageContaining("Stop what uses the port");
            }
            masters.start("b");
            masters.start("c");
            masters.await("the first view", () -> a.serves(1, "a", "b", "c"));
            masters.await("its own replica", () -> a.master.machine() != null);
        }
    }
}
