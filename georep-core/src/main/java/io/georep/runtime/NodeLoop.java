package io.georep.runtime;

import io.georep.model.BrokenInvariantException;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreException;
import io.georep.model.StoreState;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The turn of a node, without threads: takes a batch of inputs, calls the hosted protocols, and then releases their
 * effects in a safe order. The real driver calls it from its thread, and the simulator from its event queue. Both run
 * exactly this code.
 *
 * <p>In one turn it handles the inputs, fires timers, lets protocols put together what they have gathered, gives ONE
 * batch to the store, and sends the frames and events that wait for nothing. What depends on the batch waits until the
 * store reports it durable, which is an input of a later turn ({@link StoreTraffic}).
 */
public final class NodeLoop {
    /** A channel is one byte. */
    private static final int CHANNELS = 256;

    private final EntryStore store;
    private final StoreWatch watch;
    private final StoreTraffic traffic;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final MembershipProtocol membership;
    private final List<HostedProtocol<?>> protocols;
    private final FrameIntake intake;

    /** By channel. */
    private final @Nullable Turn[] turns = new Turn[CHANNELS];

    /** The turn of the membership. */
    private final LinkTurn links;
    /** The turns of the other protocols. */
    private final ChosenLinks chosenLinks;

    private final AppSink sink;
    private final ClockSteps clockSteps = new ClockSteps();
    private final WireCounts wireCounts = new WireCounts();
    private final OutgoingFrames outgoing;
    private final ArrayDeque<Runnable> announcements = new ArrayDeque<>();
    private final LinkChanges linkChanges;
    private boolean started;
    private List<Object> events = new ArrayList<>();
    private StoreState storeState = StoreState.READY;
    private long now;
    private long wallMillis;

    /** See {@link io.georep.protocol.LinkingTurn#heardNanos}. */
    private long heardNanos;

    /** How often a protocol asked for an effect. */
    private long effects;

    /** The store began or ceased to take new entries; for the application side. */
    public record StoreChanged(StoreState before, StoreState after, String why) {}

    /**
     * Wires a node. Membership comes first in every turn and last at its end: heartbeats go only where nothing else does.
     */
    public NodeLoop(
            EntryStore store,
            StoreWatch.Limits limits,
            Transport transport,
            Ticker ticker,
            RandomGenerator random,
            MembershipProtocol membership,
            List<? extends HostedProtocol<?>> others,
            AppSink sink) {
        this.store = store;
        this.watch = new StoreWatch(limits);
        this.traffic = new StoreTraffic(store, watch);
        this.ticker = ticker;
        this.random = random;
        this.membership = membership;
        this.protocols = List.copyOf(others);
        this.outgoing = new OutgoingFrames(membership, transport, wireCounts);
        this.intake = new FrameIntake(
                membership,
                protocols,
                this::turn,
                this::drainAnnouncements,
                () -> effects,
                wireCounts,
                ignored -> events.add(ignored));
        this.linkChanges = new LinkChanges(transport);
        this.links = new LinkTurn(this, membership);
        this.chosenLinks = new ChosenLinks(this, transport);
        turns[membership.channel()] = links;
        for (HostedProtocol<?> protocol : protocols) {
            turns[protocol.channel()] = chosenLinks.turnOf(protocol);
        }
        this.sink = sink;
    }

    /** Messages that were left out or left aside; any thread. */
    public WireCounts wireCounts() {
        return wireCounts;
    }

    private Turn turn(int channel) {
        return Objects.requireNonNull(turns[channel], "turn");
    }

    private Turn turn(HostedProtocol<?> protocol) {
        return turn(protocol.channel());
    }

    /** Loads all protocols and submits the first batch, which must be durable before the transport starts. */
    public void boot() {
        readClocks();
        StoredNames.check(store, protocols, store());
        membership.boot(store, links);
        drainAnnouncements();
        for (HostedProtocol<?> protocol : protocols) {
            protocol.boot(store, turn(protocol));
            drainAnnouncements();
        }
        turn(membership).store().requireDurable();
        finish();
    }

    /** Returns whether everything submitted so far is durable. */
    public boolean isDurable() {
        return traffic.backlog() == 0;
    }

    /** Returns what the last turn found of the store. */
    public StoreState storeState() {
        return storeState;
    }

    /** Returns whether so much waits for the store that nothing more is to be read from peers. */
    public boolean isOverfull() {
        return watch.isOverfull();
    }

    /** Returns what the store owes, as words for the log. */
    public String describeStore() {
        return watch.describe();
    }

    /**
     * Runs one turn over these inputs, which may be none when only a timer is due.
     *
     * @throws BrokenInvariantException when what this node knows contradicts itself, with the turn in words
     */
    public void turn(List<? extends Input> inputs) {
        try {
            run(inputs);
        } catch (BrokenInvariantException e) {
            throw TurnText.during(inputs, now, intake, e);
        }
    }

    private void run(List<? extends Input> inputs) {
        readClocks();
        heardNanos = started ? heardNanos : now;
        started = true;
        watch.look(now);
        for (Input input : inputs) {
            handle(input);
            drainAnnouncements();
        }
        judgeStore();
        if (membership.nextDeadlineNanos() <= now) {
            membership.onTimer(links);
            drainAnnouncements();
        }
        for (HostedProtocol<?> protocol : protocols) {
            if (protocol.nextDeadlineNanos() <= now) {
                protocol.onTimer(turn(protocol));
                drainAnnouncements();
            }
        }
        for (HostedProtocol<?> protocol : protocols) {
            protocol.endOfTurn(turn(protocol));
        }
        membership.endOfTurn(links);
        drainAnnouncements();
        finish();
    }

    /** Returns when a turn is needed even without input. */
    public long nextDeadlineNanos() {
        long next = Math.min(membership.nextDeadlineNanos(), watch.nextDeadlineNanos());
        next = Math.min(next, linkChanges.nextDeadlineNanos());
        for (HostedProtocol<?> protocol : protocols) {
            next = Math.min(next, protocol.nextDeadlineNanos());
        }
        return next;
    }

    private void readClocks() {
        now = ticker.nanos();
        wallMillis = ticker.wallMillis();
        clockSteps.look(now, wallMillis, events::add);
    }

    private void handle(Input input) {
        if (input instanceof Input.Frame frame) {
            refuse(intake.take(frame));
        } else if (input instanceof Input.Command command) {
            intake.protocol(command.channel()).onCommand(command.command(), turn(command.channel()));
        } else if (input instanceof Input.Durable done) {
            onDurable(done.batchNumber());
        } else if (input instanceof Input.Scanned scanned) {
            StoreTraffic.Read read = traffic.scanned(scanned.token());
            if (read != null) {
                read.run(scanned.pairs(), scanned.more());
            }
        } else if (input instanceof Input.OfMembers link) {
            intake.compare(link, events::add);
            links.take(link);
        } else if (input instanceof Input.StrangerFrame frame) {
            refuse(intake.take(frame));
        } else if (input instanceof Input.OfStrangers link) {
            chosenLinks.take(link);
        } else if (input instanceof Input.CameRound round) {
            heardNanos = Math.max(heardNanos, round.stamp());
        } else if (input instanceof Input.StoreFull full) {
            watch.full(full.full());
        } else if (input instanceof Input.StoreFailed failed) {
            throw new StoreException(
                    failed.cause().kind(), String.valueOf(failed.cause().getMessage()), failed.cause());
        }
    }

    private void refuse(FrameIntake.@Nullable Refused refused) {
        if (refused != null && linkChanges.refuseForNow(refused.from(), refused.reason(), now)) {
            events.add(refused);
        }
    }

    /** Tells the protocols when the store begins or ceases to take entries, whatever the reason. */
    private void judgeStore() {
        StoreState before = storeState;
        storeState = watch.judge();
        if (storeState != before) {
            membership.onStoreState(storeState, links);
            for (HostedProtocol<?> protocol : protocols) {
                protocol.onStoreState(storeState, turn(protocol));
            }
            events.add(new StoreChanged(before, storeState, watch.describe()));
        }
        if (watch.wantsSync()) {
            turn(membership).store().requireDurable();
        }
        membership.reading(!watch.isOverfull(), links);
    }

    private void onDurable(long batchNumber) {
        traffic.durable(batchNumber);
        for (StoreTraffic.Pending ready = traffic.nextReady(); ready != null; ready = traffic.nextReady()) {
            for (StoreTraffic.Deferred deferred : ready.messages) {
                outgoing.add(deferred.to(), deferred.message(), deferred.urgent());
            }
            events.addAll(ready.events);
            for (StoreTraffic.Action action : ready.actions) {
                action.run();
                drainAnnouncements();
            }
        }
    }

    private void finish() {
        traffic.submit();
        outgoing.flush(now);
        if (started) {
            linkChanges.apply(now);
            heardNanos = linkChanges.goesRoundAtOnce(now) ? now : heardNanos;
        }
        if (!events.isEmpty()) {
            sink.accept(events);
            events = new ArrayList<>();
        }
    }

    private void drainAnnouncements() {
        for (Runnable next = announcements.poll(); next != null; next = announcements.poll()) {
            next.run();
        }
    }

    Channels hosted() {
        return intake.hosted();
    }

    long now() {
        return now;
    }

    long wallMillis() {
        return wallMillis;
    }

    long heardNanos() {
        return heardNanos;
    }

    RandomGenerator random() {
        return random;
    }

    /** This turn's batch. */
    StoreBatch store() {
        effects++;
        return traffic.batch();
    }

    int storeBacklog() {
        return (int) traffic.backlog();
    }

    void send(Peer to, FrameAssembler.Message message, boolean urgent) {
        effects++;
        outgoing.add(to, message, urgent);
    }

    void sendWhenWritten(Peer to, FrameAssembler.Message message, boolean urgent) {
        effects++;
        traffic.dependent().messages.add(new StoreTraffic.Deferred(to, message, urgent));
    }

    void whenWritten(StoreTraffic.Action action) {
        effects++;
        traffic.dependent().actions.add(action);
    }

    void notify(ProtocolEvent event) {
        effects++;
        events.add(event);
    }

    void notifyWhenWritten(ProtocolEvent event) {
        effects++;
        traffic.dependent().events.add(event);
    }

    void read(byte[] from, byte[] to, int pairsMax, long bytesMax, StoreTraffic.Read answer) {
        effects++;
        traffic.read(from, to, pairsMax, bytesMax, answer);
    }

    /** Whichever protocol asks, the events about the peer are the membership's. */
    @Nullable
    Peer ensurePeer(NodeId id, @Nullable NodeId teller) {
        return membership.ensure(id, teller, links);
    }

    /** Runs after the event under way. */
    void announce(Runnable announcement) {
        effects++;
        announcements.add(announcement);
    }

    void peerChanged(Peer peer, PeerState before) {
        announce(() -> {
            for (HostedProtocol<?> protocol : protocols) {
                protocol.onPeerChanged(peer, before, turn(protocol));
            }
        });
    }

    void peerReachable(Peer peer) {
        announce(() -> {
            for (HostedProtocol<?> protocol : protocols) {
                protocol.onPeerReachable(peer, turn(protocol));
            }
        });
    }

    boolean isNeeded(NodeId id) {
        return protocols.stream().anyMatch(protocol -> protocol.needs(id));
    }

    void peerForgotten(NodeId id) {
        protocols.forEach(protocol -> protocol.onPeerForgotten(id));
    }

    void staleStore(boolean isCertain) {
        announce(() -> {
            for (HostedProtocol<?> protocol : protocols) {
                protocol.onStaleStore(isCertain, turn(protocol));
            }
        });
    }

    /** Returns what is to become of the links, at the end of the turn. */
    LinkChanges linkChanges() {
        effects++;
        return linkChanges;
    }
}
