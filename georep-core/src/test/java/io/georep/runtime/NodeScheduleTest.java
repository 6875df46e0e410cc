package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.local.TestSends;
import io.georep.protocol.FixedMembership;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The real driver, loop and dispatcher between threads of an application, a transport and a store, under schedules drawn
 * from seeds: every send gets one answer, every event one hearing, reading goes on, and all threads end.
 */
@Timeout(120)
class NodeScheduleTest {
    private static final int SEEDS = Integer.getInteger("georep.schedules", 200);
    private static final int OUTBOX = 2;
    private static final NodeIdentity SELF = new NodeIdentity(NodeId.of("a"), 1, 1, 1, "a:1", "");
    private static final NodeIdentity PEER = new NodeIdentity(NodeId.of("b"), 1, 1, 1, "b:1", "");
    private static final EntryId ENTRY = new EntryId(new StreamId(SELF.id(), 1, 0), 0);

    /** Two are more than the driver lets wait. */
    private static final byte[] LARGE = new byte[17 << 20];

    /** Time that does not pass: nothing here depends on it. */
    private static final Ticker FROZEN = new Ticker() {
        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };

    private record Answered(Object token) {}

    /** Answers each put when it is durable. */
    private static final class Echo implements HostedProtocol<Object> {
        @Override
        public ProtocolId id() {
            return new ProtocolId(OUTBOX, "echo", 1);
        }

        @Override
        public boolean knows(int type) {
            return true;
        }

        @Override
        public void boot(EntryStore store, Turn turn) {}

        @Override
        public void onMessage(Peer from, int type, BinReader body, Turn turn) {}

        @Override
        public void onCommand(Object command, Turn turn) {
            if (command instanceof OutboxCommand.PutAll all) {
                turn.store().requireDurable();
                for (OutboxCommand.Put put : all.puts()) {
                    turn.notifyWhenDurable(new Answered(put.token()));
                }
            }
        }
    }

    /** A disk with a thread of its own. */
    private static final class Disk extends IdleStore {
        private final Schedule schedule;
        private final HandOff<Runnable> work;
        private final Thread thread = new Thread(this::run, "disk");
        private Listener listener;
        private long submitted;
        private volatile boolean closed;

        Disk(Schedule schedule) {
            this.schedule = schedule;
            this.work = new ScheduledHandOff<>(schedule, false);
        }

        @Override
        public void start(Listener target) {
            listener = target;
            thread.start();
        }

        private void run() {
            List<Runnable> tasks = new ArrayList<>();
            while (!closed) {
                if (work.drainTo(tasks, 8) == 0) {
                    work.await(Long.MAX_VALUE);
                }
                tasks.forEach(Runnable::run);
                tasks.clear();
            }
            schedule.leave();
        }

        @Override
        public void submit(StoreBatch batch) {
            long number = ++submitted;
            work.offer(() -> listener.durable(number));
        }

        /** Called on a thread of its own, for which the driver waits: it is no member of the schedule. */
        @Override
        public void close() {
            closed = true;
            schedule.wake(thread);
        }
    }

    /** A hand-over at which any thread may be overtaken. */
    private static final class ScheduledHandOff<E> extends HandOff<E> {
        private final Schedule schedule;
        private final boolean consumerEndsWithIt;
        private boolean closed;

        ScheduledHandOff(Schedule schedule, boolean consumerEndsWithIt) {
            this.schedule = schedule;
            this.consumerEndsWithIt = consumerEndsWithIt;
        }

        @Override
        boolean offer(E item) {
            schedule.point();
            boolean accepted = super.offer(item);
            schedule.point();
            return accepted;
        }

        @Override
        int drainTo(List<? super E> into, int max) {
            schedule.point();
            int count = super.drainTo(into, max);
            if (closed && count == 0 && consumerEndsWithIt) {
                schedule.leave();
            }
            return count;
        }

        @Override
        public void close() {
            closed = true;
            super.close();
        }

        @Override
        protected void sleep(long nanos) {
            schedule.sleep();
        }

        @Override
        protected void wake(Thread sleeper) {
            schedule.wake(sleeper);
        }
    }

    /** Keeps what it was told last about reading. */
    private static final class Wire extends IdleTransport {
        private final Schedule schedule;
        private volatile boolean reading = true;

        Wire(Schedule schedule) {
            this.schedule = schedule;
        }

        @Override
        public void reading(boolean on) {
            schedule.point();
            reading = on;
            schedule.point();
        }
    }

    /** A node, and what its application hears. */
    private static final class Node implements EventDispatcher.Receiver {
        final Schedule schedule;
        final Disk disk;
        final Wire wire;
        final EventDispatcher dispatcher;
        final NodeDriver driver;
        final TestSends sends;
        final List<String> faults = new ArrayList<>();
        final CompletableFuture<Thread> application = new CompletableFuture<>();
        int endings;

        /** A node beside this many threads of application and transport. */
        Node(long seed, int others) {
            schedule = new Schedule(seed, others + 3);
            disk = new Disk(schedule);
            wire = new Wire(schedule);
            dispatcher = new EventDispatcher("app", FROZEN, this, new ScheduledHandOff<>(schedule, true));
            driver = new NodeDriver(
                    "driver", Duration.ofSeconds(10), FROZEN, dispatcher, new ScheduledHandOff<>(schedule, false));
            sends = new TestSends(driver::wake);
            var unused = driver.ended().whenComplete((nothing, error) -> schedule.leave());
        }

        /** Runs the node and these threads until all have ended. */
        void run(List<Runnable> others) throws Exception {
            List<Thread> threads = new ArrayList<>();
            for (Runnable other : others) {
                Thread thread = new Thread(
                        () -> {
                            schedule.point();
                            other.run();
                            schedule.leave();
                        },
                        "thread-" + threads.size());
                threads.add(thread);
                thread.start();
            }
            FixedMembership membership = new FixedMembership(SELF, Map.of());
            NodeLoop loop = new NodeLoop(
                    disk,
                    StoreWatch.Limits.of(ProtocolConfig.defaults()),
                    wire,
                    FROZEN,
                    new SplittableRandom(1),
                    membership,
                    List.of(new Echo()),
                    dispatcher);
            dispatcher.start();
            try {
                driver.start(
                        new NodeDriver.Parts(loop, membership, disk, wire, Map.of(OUTBOX, sends.source())), 100_000);
            } catch (ClosedException e) {
                // stopped before it had started
            }
            driver.ended().get(100, TimeUnit.SECONDS);
            for (Thread thread : threads) {
                thread.join();
            }
            disk.thread.join();
            application.get(100, TimeUnit.SECONDS).join();
        }

        @Override
        public void events(List<Object> events) {
            application.complete(Thread.currentThread());
            expect(endings == 0, "an event after the last");
            for (Object event : events) {
                if (event instanceof ProtocolEvent told && told.event() instanceof Answered answered) {
                    expect(TestSends.stored(answered.token, ENTRY), "a second answer");
                } else if (event instanceof NodeDriver.Ended) {
                    endings++;
                    expect(sends.end(), "answered and unseen");
                    dispatcher.stop(0);
                }
            }
        }

        private void expect(boolean holds, String otherwise) {
            if (!holds) {
                faults.add(otherwise);
            }
        }

        @Override
        public void time(long nowNanos) {}

        @Override
        public long nextDeadlineNanos() {
            return Long.MAX_VALUE;
        }
    }

    private static Node stopWhileSending(long seed) throws Exception {
        Node node = new Node(seed, 3);
        List<CompletableFuture<EntryId>> sends = TestSends.create(4);
        node.run(List.of(
                () -> {
                    node.sends.offer(sends.subList(0, 1));
                    node.sends.offer(sends.subList(1, 2));
                },
                () -> node.sends.offer(sends.subList(2, 4)),
                node.driver::stop));

        assertThat(node.faults).as("seed %d: %s", seed, node.schedule.trace()).isEmpty();
        assertThat(node.endings).as("last events, seed %d", seed).isEqualTo(1);
        assertThat(sends)
                .as("answers, seed %d: %s", seed, node.schedule.trace())
                .allMatch(CompletableFuture::isDone);
        return node;
    }

    @Test
    void everySendGetsOneAnswerWhenTheNodeStopsMeanwhile() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            stopWhileSending(seed);
        }
    }

    @Test
    void oneSeedGivesOneOrder() throws Exception {
        assertThat(stopWhileSending(7).schedule.trace())
                .isEqualTo(stopWhileSending(7).schedule.trace())
                .isNotEqualTo(stopWhileSending(8).schedule.trace());
    }

    @Test
    void readingGoesOnWhenTheDriverHasTakenEveryFrame() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            Node node = new Node(seed, 2);
            AtomicInteger peers = new AtomicInteger(2);
            Runnable peer = () -> {
                node.driver.listener().frame(PEER, LARGE, false);
                if (peers.decrementAndGet() == 0) {
                    node.driver.stop();
                }
            };
            node.run(List.of(peer, peer));

            assertThat(node.wire.reading)
                    .as("reading, seed %d: %s", seed, node.schedule.trace())
                    .isTrue();
        }
    }
}
