package io.georep;

import io.georep.logging.SafeLog;
import io.georep.model.BrokenInvariantException;
import io.georep.model.ProtocolStatistics;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.UrgentEvent;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.AppSink;
import io.georep.runtime.BestEffort;
import io.georep.runtime.ClockSteps;
import io.georep.runtime.EventDispatcher;
import io.georep.runtime.FrameIntake;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives what a turn tells the application to the right thread: what a protocol tells, to the thread of that
 * protocol's side; what concerns the node itself, to a thread for the callbacks of the node.
 */
final class EventRouter implements AppSink, EventDispatcher.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(EventRouter.class);

    /** No channel has this number. */
    private static final int NODE = 0;

    private static final int URGENT = -1;

    final PendingAnswers answers = new PendingAnswers();
    final List<Consumer<PeerChange>> onPeerChange = new CopyOnWriteArrayList<>();

    /** Completes when the membership has said GOODBYE. */
    final CompletableFuture<Void> left = new CompletableFuture<>();

    /** Completes when the driver has ended and all sides have heard of it. */
    final CompletableFuture<NodeDriver.Ended> ended = new CompletableFuture<>();

    /** Ends the node. */
    volatile Consumer<Throwable> fail = cause -> {};

    private final String nodeName;
    private final ChangeLog changes;
    private final Ticker ticker;
    private final EventDispatcher nodeThread;

    /** A thread that only completes answers. A pool of the process could be busy with the application, or get no thread. */
    private final EventDispatcher answering;

    final StatisticsReader statistics;

    private final LongAdder framesRefused = new LongAdder();

    /** By channel; complete before the first event. */
    private final Map<Integer, SideThread> byChannel = new TreeMap<>();

    private final List<SideThread> sides = new ArrayList<>();

    /** The last event of the driver. */
    private volatile NodeDriver.@Nullable Ended end;

    private volatile boolean nodeHasEnded;
    private final BestEffort closeAnswers = new BestEffort(answers::close);
    private final BestEffort endIfAllHave = new BestEffort(this::endIfAllHave);

    EventRouter(String nodeName, ChangeLog changes, Ticker ticker) {
        this.nodeName = nodeName;
        this.changes = changes;
        this.ticker = ticker;
        nodeThread = new EventDispatcher("georep-" + nodeName + "-app", ticker, this);
        answering = new EventDispatcher("georep-" + nodeName + "-answers", ticker, this);
        statistics = new StatisticsReader(nodeName, this::aside);
    }

    /** Registers the thread for the side that gets the events of a channel. Called before the driver starts. */
    SideThread add(ProtocolId id) {
        SideThread side = new SideThread(nodeName, id.name(), ticker, this::failed, endIfAllHave::carryOut);
        byChannel.put(id.channel(), side);
        sides.add(side);
        return side;
    }

    /** Starts the threads; all sides are known. */
    void start() {
        nodeThread.start();
        answering.start();
        sides.forEach(side -> side.thread.start());
    }

    /** Lets the threads finish what they were given and end, waiting for each a bounded time. */
    void stop(long millis) {
        nodeThread.stop(millis);
        for (int i = 0; i < sides.size(); i++) { // needs no memory
            sides.get(i).thread.stop(millis);
        }
        answering.stop(millis);
    }

    /** Returns whether the caller is a thread on which the node calls the application. */
    boolean onApplicationThread() {
        return nodeThread.onApplicationThread()
                || answering.onApplicationThread()
                || sides.stream().anyMatch(side -> side.thread.onApplicationThread());
    }

    /** Makes all sides look whether something has changed for them. */
    void wakeSides() {
        sides.forEach(side -> side.thread.execute(() -> {}));
    }

    /** Returns how many frames could not be read. Any thread. */
    long framesRefused() {
        return framesRefused.sum();
    }

    /** Returns the local sides of all protocols, in the order in which they were added. */
    List<LocalSide<?, ?, ?>> sides() {
        return sides.stream().<LocalSide<?, ?, ?>>map(SideThread::side).toList();
    }

    /**
     * Driver: hands over the events of each protocol together. The driver itself tells all threads of the end, because a
     * callback on one may wait for what another says then. Answers about peers and urgent events wait for no thread on which a
     * callback may be stuck.
     */
    @Override
    public void accept(List<Object> events) {
        if (events.get(0) instanceof NodeDriver.Ended last) {
            end = last;
            tellSides();
        }
        int from = 0;
        while (from < events.size()) {
            int channel = channelOf(events.get(from));
            int to = from + 1;
            while (to < events.size() && channelOf(events.get(to)) == channel) {
                to++;
            }
            if (channel == PeerInspection.CHANNEL) {
                events.subList(from, to).forEach(this::answer);
            } else if (channel == URGENT) {
                events.subList(from, to).forEach(this::tellAtOnce);
            } else {
                SideThread side = byChannel.get(channel);
                EventDispatcher thread = side == null ? nodeThread : side.thread;
                // Copied: a view would keep all other events in memory until this thread is done.
                thread.accept(to - from == events.size() ? events : new ArrayList<>(events.subList(from, to)));
            }
            from = to;
        }
    }

    private void answer(Object told) {
        PeerInspection.Answer answer = (PeerInspection.Answer) ((ProtocolEvent) told).event();
        aside(() -> answers.answer(answer.token(), answer));
    }

    private void aside(Runnable task) {
        if (!answering.execute(task)) {
            task.run();
        }
    }

    private void tellAtOnce(Object event) {
        ProtocolEvent told = (ProtocolEvent) event;
        Objects.requireNonNull(byChannel.get(told.channel()), "side").tell(told);
    }

    private static int channelOf(Object event) {
        if (!(event instanceof ProtocolEvent told)) {
            return NODE;
        }
        return told.event() instanceof UrgentEvent ? URGENT : told.channel();
    }

    @Override
    public void events(List<Object> events) {
        for (int i = 0; i < events.size(); i++) {
            Object event = events.get(i);
            try {
                if (event instanceof ProtocolEvent told) {
                    membership((MembershipEvent) told.event());
                } else if (event instanceof NodeLoop.StoreChanged changed) {
                    changes.store(changed);
                } else if (event instanceof ClockSteps.Stepped stepped) {
                    changes.clockStepped(stepped);
                } else if (event instanceof FrameIntake.Refused refused) {
                    framesRefused.increment();
                    changes.frameRefused(refused);
                } else if (event instanceof FrameIntake.OtherProtocol other) {
                    changes.otherProtocol(other);
                } else if (event instanceof FrameIntake.Ignored ignored) {
                    changes.messageIgnored(ignored);
                } else if (event instanceof NodeDriver.Ended) {
                    closeAnswers.carryOut();
                    nodeHasEnded = true;
                    endIfAllHave.carryOut();
                }
            } catch (Throwable e) {
                failed(e);
                SafeLog.log(LOG, "Node {}: a callback failed on {}", nodeName, event, e);
            } finally {
                Thread.interrupted(); // left behind by a callback
            }
        }
    }

    private void membership(MembershipEvent event) {
        changes.membership(event);
        if (event instanceof MembershipEvent.StateChanged changed) {
            PeerChange change = new PeerChange(changed.peer(), changed.site(), changed.before(), changed.after());
            for (Consumer<PeerChange> callback : onPeerChange) {
                try {
                    callback.accept(change);
                } catch (Throwable e) {
                    SafeLog.log(LOG, "Node {}: onPeerChange failed for {}", nodeName, change, e);
                }
            }
        } else if (event instanceof MembershipEvent.Left) {
            left.complete(null);
        }
    }

    private void tellSides() {
        for (SideThread side : sides) {
            side.thread.accept(SideThread.END);
        }
    }

    /** The last thread to hear of the end tells those who wait for the node. */
    private void endIfAllHave() {
        NodeDriver.Ended last = end;
        if (last == null || !nodeHasEnded || !sides.stream().allMatch(SideThread::hasEnded)) {
            return;
        }
        left.complete(null);
        ended.complete(last);
    }

    @Override
    public void failed(Throwable error) {
        if (error instanceof OutOfMemoryError || error instanceof BrokenInvariantException) {
            fail.accept(error);
        }
    }

    @Override
    public void time(long nowNanos) {}

    /** Returns what each protocol did and holds, as {@link StatisticsReader} says. */
    CompletionStage<Map<String, ProtocolStatistics>> readStatistics() {
        return statistics.read(sides);
    }

    @Override
    public long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }
}
