package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.dial.Addresses;
import io.georep.netty.internal.dial.Announcements;
import io.georep.netty.internal.dial.Connector;
import io.georep.netty.internal.dial.DialTurns;
import io.georep.netty.internal.dial.LinkTable;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.sockets.SocketKind;
import io.georep.spi.RecordingListener;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory is short just when something is to go on later: nothing stands still for ever. */
@Timeout(60)
class ShortOfMemoryTest {
    private volatile boolean poor;
    private final DefaultEventLoop control = new DefaultEventLoop() {
        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            if (poor) {
                throw new OutOfMemoryError("Java heap space");
            }
            return super.schedule(command, delay, unit);
        }

        /** As event loops of sockets do: what a task throws does not end them. */
        @Override
        public void execute(Runnable task) {
            super.execute(() -> {
                try {
                    task.run();
                } catch (Throwable e) {
                    assertThat(e).isInstanceOf(OutOfMemoryError.class);
                }
            });
        }
    };
    private final Semaphore asked = new Semaphore(0);
    private final Semaphore answers = new Semaphore(0);
    private final Addresses addresses = new Addresses(host -> {
        asked.release();
        answers.acquireUninterruptibly();
        throw new UnknownHostException(host);
    });
    private final LinkCounters counters = new LinkCounters();
    private MultiThreadIoEventLoopGroup loops;

    @AfterEach
    void close() {
        answers.release(1000);
        addresses.close();
        control.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        if (loops != null) {
            loops.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        }
    }

    private LinkTable table() {
        NodeIdentity self = new NodeIdentity(NodeId.of("a"), 1, 1, 1, "127.0.0.1:1", "");
        LinkSettings settings = Samples.settings();
        SocketKind io = SocketKind.choose(false, settings.unacknowledgedTimeoutMillis());
        loops = new MultiThreadIoEventLoopGroup(1, io.handlers());
        Connector connector = new Connector(
                self,
                settings,
                settings.security(self.id()),
                counters,
                addresses,
                io,
                loops,
                control,
                new DefaultChannelGroup(control));
        return new LinkTable(
                self,
                settings,
                control,
                connector,
                new Admission(self, settings.cluster()),
                new RecordingListener(new Object()),
                counters);
    }

    private void onControl(Runnable task) throws Exception {
        control.submit(task).get();
    }

    private void target(LinkTable table) throws Exception {
        onControl(() -> table.retarget(Map.of(NodeId.of("b"), "nobody.test:1"), List.of()));
    }

    private void assertDialsAgain(LinkTable table) throws Exception {
        asked.drainPermits();
        poor = false;
        answers.release(1000);
        onControl(table::look);

        assertThat(asked.tryAcquire(3, 30, TimeUnit.SECONDS))
                .as("dialled three times")
                .isTrue();
    }

    @Test
    void anAttemptThatCouldNotBeginIsRepeated() throws Exception {
        LinkTable table = table();
        poor = true;
        target(table);

        assertDialsAgain(table);
    }

    @Test
    void anAttemptWhoseFailureCouldNotBeToldIsRepeated() throws Exception {
        LinkTable table = table();
        target(table);
        asked.acquire();
        poor = true;
        answers.release();
        while (counters.dialsFailed.sum() == 0) {
            Thread.onSpinWait();
        }
        onControl(() -> {});

        assertDialsAgain(table);
    }

    @Test
    void aSeedIsLookedUpAgain() throws Exception {
        LinkTable table = table();
        poor = true;
        assertThatThrownBy(() -> onControl(() -> table.retarget(Map.of(), List.of("nobody.test:1"))))
                .hasRootCauseInstanceOf(OutOfMemoryError.class);

        assertDialsAgain(table);
    }

    @Test
    void repeatedAttemptsGetTheirTurn() throws Exception {
        DialTurns turns = new DialTurns(control);
        CountDownLatch begun = new CountDownLatch(2);
        DialTurns.Attempt attempt = () -> {
            begun.countDown();
            control.execute(turns::done);
            return true;
        };
        poor = true;
        assertThatThrownBy(() -> onControl(() -> turns.enter(true, attempt)))
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
        poor = false;
        onControl(() -> turns.enter(true, attempt));

        onControl(turns::look);

        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aListenerThatThrewIsToldAgain() throws Exception {
        Announcements announcements = new Announcements(control);
        List<String> told = new ArrayList<>();
        poor = true;
        assertThatThrownBy(() -> onControl(() -> announcements.tell(() -> {
                    told.add("up");
                    if (told.size() == 1) {
                        throw new IllegalStateException("not now");
                    }
                })))
                .hasRootCauseInstanceOf(OutOfMemoryError.class);
        poor = false;

        onControl(announcements::look);

        assertThat(told).containsExactly("up", "up");
    }
}
