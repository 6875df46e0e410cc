package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Fnv;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoEvent.Reason;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@link GeoPaxos} on a node. Its records are in the store of the node, its messages on the links of the node; each message
 * carries what identifies the groups, so that nodes with different groups do not mistake each other's messages. A store that is
 * new, or an older image, gets another seat and begins empty: it votes again when the others have voted it into the place of
 * the former one.
 */
public final class GeoPaxosProtocol implements HostedProtocol<GeoCommand> {
    /** Number of this protocol in the envelope and first byte of its keys. */
    public static final int CHANNEL = 5;

    /** Version of its messages. */
    public static final int VERSION = 1;

    /** What a node announces of it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "geopaxos", VERSION);

    /** Room that messages need beside the longest operation. */
    private static final int MESSAGE_SLACK = 1 << 16;

    static final Executor.Listener NOBODY = (operation, time, outcome, result) -> {};

    /** As they were founded. */
    private GeoGroups groups;

    private final Supplier<? extends Service> services;
    private final Peers peers;
    private final Supplier<? extends Rules> rules;
    private final Supplier<Executor.Listener> listeners;
    private long print;
    private final GeoStore stored;
    private final OpenRequests open;
    private final CallerReads reads;

    /** Nodes that are set to other groups. */
    private final Set<NodeId> others = new TreeSet<>();

    private final VoterNotices notices;
    private boolean forgets;
    private final Offers offers = new Offers();
    private final RequestGate gate;
    private final GuestCalls guests = new GuestCalls((to, message) -> present().send(to, message));
    private @Nullable Life life;

    /**
     * Creates it.
     *
     * @param services makes the state that operations are executed on, empty
     * @param reads through which other threads read it
     */
    public GeoPaxosProtocol(GeoGroups groups, Supplier<? extends Service> services, Peers peers, CallerReads reads) {
        this(groups, services, peers, reads, Rules::new, () -> NOBODY);
    }

    /** For tests: with other rules, and watched anew whenever it begins with what is stored. */
    GeoPaxosProtocol(
            GeoGroups groups,
            Supplier<? extends Service> services,
            Peers peers,
            CallerReads reads,
            Supplier<? extends Rules> rules,
            Supplier<Executor.Listener> listeners) {
        this.reads = reads;
        this.rules = rules;
        this.listeners = listeners;
        this.groups = groups;
        this.services = services;
        this.peers = peers;
        notices = new VoterNotices(peers);
        print = Fnv.hash(GeoStore.encode(groups));
        stored = new GeoStore(groups);
        open = new OpenRequests();
        gate = new RequestGate(peers, open, offers);
    }

    /**
     * Called before the boot if the store of this node forgets everything at a restart: then the node gets no vote
     * beside others.
     */
    public GeoPaxosProtocol forgetting() {
        forgets = true;
        return this;
    }

    /** Returns how long a message may be. */
    public static int messageBytesMax() {
        return Operation.BODY_BYTES_MAX + MESSAGE_SLACK;
    }

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public boolean knows(int type) {
        return type >= GeoMessage.LOG && type <= GeoMessage.ANSWER;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        GeoRecord record = stored.boot(store, forgets, turn);
        if (forgets) {
            offers.forgets(peers.self().id(), true);
        }
        groups = stored.groups();
        print = Fnv.hash(GeoStore.encode(groups));
        Life booted = new Life(record, turn);
        life = booted;
        if (stored.isFoundedByOthers()) {
            turn.notify(new GeoEvent.OtherSettings());
        }
        notices.boots(booted.node.membership().layout(), turn);
    }

    /**
     * The store is an older image: this node has promised and accepted more than it knows. It counts as empty.
     * Unanswered requests are sent again if executing them twice does no harm, or if their numbers prevent it.
     */
    @Override
    public void onStaleStore(boolean isCertain, Turn turn) {
        if (!isCertain && node().membership().isCounted(peers)) {
            return;
        }
        reads.permit(null);
        Life next = new Life(stored.reseat(forgets, turn), turn);
        life = next;
        open.forEach(next::askAgain);
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        Life present = life(turn);
        present.send(peer.id(), Offers.of(present.node, forgets));
        present.node.meets(peer.id(), turn.now());
        notices.meets(peer, node().membership().layout(), turn);
    }

    private Life present() {
        return Objects.requireNonNull(life, "not booted");
    }

    private Life life(Turn turn) {
        present().takes(turn);
        return present();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        if (body.i64() != print) {
            if (others.add(from.id())) {
                turn.notify(new GeoEvent.OtherGroups(from.id()));
            }
            return;
        }
        GeoMessage message = GeoMessage.read(type, body, groups.count());
        if (message instanceof GeoMessage.Offer offer) {
            offers.heard(from.id(), offer);
            notices.forgets(
                    from.id(), offer.forgets(), life(turn).node.membership().layout(), turn);
        } else if (!from.limited()) {
            life(turn).receive(from.id(), message);
        }
    }

    @Override
    public void onCommand(GeoCommand command, Turn turn) {
        life(turn).take(command);
    }

    @Override
    public void onTimer(Turn turn) {
        life(turn);
    }

    @Override
    public long nextDeadlineNanos() {
        if (life == null) {
            return Long.MAX_VALUE;
        }
        long own = life.node.nextDeadlineNanos();
        long remote = life.remote.nextDeadlineNanos();
        return remote == Long.MAX_VALUE || own - remote < 0 ? own : remote;
    }

    @Override
    public void endOfTurn(Turn turn) {
        Life present = life(turn);
        present.remote.endOfTurn(turn.now());
        present.node.endOfTurn(turn.now());
        present.looksWhetherItTakesPart();
        present.node.reads().open(reads, present.clocks.present(), turn.now());
    }

    /** For tests. */
    GeoPaxos node() {
        return present().node;
    }

    /** For tests. */
    OpenRequests open() {
        return open;
    }

    /** For tests. */
    CallerReads reads() {
        return reads;
    }

    /** For tests. */
    Seat seat() {
        return new Seat(peers.self().id(), stored.seat());
    }

    /** The time from a boot, or from the discovery that the store is an older image, until the next of these. */
    private final class Life extends StoringOutlet {
        final GeoPaxos node;

        final RemoteCalls remote;
        private final LeaseClocks clocks;
        private boolean tookPart;

        Life(GeoRecord record, Turn turn) {
            super(stored, turn);
            clocks = new LeaseClocks(groups.timing(), turn);
            node = new GeoPaxos(
                    peers.self().id(),
                    groups,
                    record,
                    services.get(),
                    turn.random(),
                    this,
                    rules.get(),
                    listeners.get(),
                    turn.now());
            remote = new RemoteCalls(
                    peers,
                    groups,
                    () -> node.membership().layout().nodes(),
                    body -> node.executor().footprint(Operation.SERVICE, body),
                    node.rules(),
                    this::send,
                    this,
                    turn.random());
        }

        /** First it checks whether the machine was suspended. */
        void takes(Turn given) {
            turn = given;
            if (clocks.look(given)) {
                node.clocksParted();
            }
        }

        void askAgain(long number, GeoCommand command) {
            if (command instanceof GeoCommand.Submit submit && submit.sequence() == 0) {
                answered(number, null);
            } else {
                ask(number, command);
            }
        }

        void ask(long number, GeoCommand command) {
            boolean isCall = command instanceof GeoCommand.Submit || command instanceof GeoCommand.Read;
            if (isCall && !takesPart()) {
                remote.ask(number, command, turn.now());
            } else {
                RequestGate.ask(node, number, command, turn.now());
            }
        }

        private boolean takesPart() {
            return node.membership().takesPart(peers.self().id());
        }

        /**
         * Looks whether this node still takes part. If not, it hears nothing of its open calls, so other nodes make these, too.
         */
        void looksWhetherItTakesPart() {
            boolean takesPart = takesPart();
            if (tookPart && !takesPart) {
                node.abandon();
                open.askOthers(remote, this, turn.now());
            }
            tookPart = takesPart;
        }

        /** A request of this node, or of one that has no part. */
        void take(GeoCommand command) {
            GeoEvent answer = gate.atOnce(command, node, () -> !takesPart() && remote.isServed(), turn.now());
            if (answer != null) {
                tell(answer);
            } else {
                guests.begins(command);
                ask(open.add(command), command);
            }
        }

        private void tell(GeoEvent answer) {
            if (!guests.tell(answer)) {
                turn.notify(answer);
            }
        }

        void receive(NodeId from, GeoMessage message) {
            if (message instanceof GeoMessage.Answer answer) {
                remote.onAnswer(from, answer, turn.now());
            } else if (message instanceof GeoMessage.Call call) {
                GeoCommand command = guests.command(from, call, takesPart());
                if (command != null) {
                    take(command);
                }
            } else {
                node.onMessage(from, message, turn.now());
            }
        }

        @Override
        public void send(NodeId to, GeoMessage message) {
            Peer peer = peers.find(to);
            if (peer != null && peer.version(CHANNEL) > 0) {
                Slice body = message.body();
                Slice bytes =
                        new BinWriter(8 + body.length()).i64(print).raw(body).toSlice();
                turn.send(peer, message.type(), bytes, message.type() == GeoMessage.LOG);
            }
        }

        @Override
        public void whenDurable(Runnable action) {
            turn.whenWritten(later -> {
                if (life == this) {
                    takes(later);
                    action.run();
                }
            });
        }

        @Override
        public void answered(long number, @Nullable Slice result) {
            GeoCommand asked = open.ends(number);
            if (asked instanceof GeoCommand.Change || asked instanceof GeoCommand.Restore) {
                turn.notify(new GeoEvent.Layout(asked.token(), node.membership().layout()));
            } else if (asked != null) {
                tell(new GeoEvent.Answered(asked.token(), result));
            }
        }

        @Override
        public void news(Object news) {
            turn.notify(new GeoEvent.News(news));
        }

        @Override
        public void storesLost(GeoEvent.StoresLost lost) {
            turn.notify(lost);
        }

        @Override
        public void otherLog(int group, NodeId node) {
            notices.ofLogs(new GeoEvent.OtherLog(group, node), turn);
        }

        @Override
        public void leftBehind(GeoEvent.LeftBehind told) {
            reads.permit(null);
            open.leave(this);
            notices.ofLogs(told, turn);
        }

        @Override
        public void notice(GeoEvent told) {
            notices.ofLogs(told, turn);
        }

        @Override
        public boolean isBelieved(NodeId node) {
            Peer peer = peers.find(node);
            return peer == null || !peer.limited();
        }

        @Override
        public void refused(long number, Reason reason, String why) {
            GeoCommand asked = open.ends(number);
            if (asked != null) {
                tell(OpenRequests.refused(asked, reason, why));
            }
        }
    }
}
