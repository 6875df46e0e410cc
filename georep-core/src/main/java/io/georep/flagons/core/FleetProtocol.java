package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Hosts a {@link FleetNode}: brings its messages over links of its own choice, and keeps its operations on disk. */
public final class FleetProtocol extends FleetLinking {
    /** Its number. */
    static final int CHANNEL = 6;

    /** The version of its messages. */
    static final int VERSION = 1;

    /** What a node announces about it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "dataflagons", VERSION);

    /** In rounds; an errand takes a few messages, any of which may be lost. */
    private static final long TRY_AGAIN = 4;

    private final FleetSettings settings;
    private final List<String> seeds;
    private final Peers peers;
    private final FleetRules rules;
    private final Consumer<Event> delivered;
    private final Effects effects = new Effects();
    private final OwnRequests requests;
    private final Predicate<Event> watched;
    private @Nullable FleetNode node;
    private @Nullable FleetDisk disk;
    private long startAt = Long.MAX_VALUE;
    private long foreign;
    private boolean hearsAll;

    /** When it asked last how far it hears. */
    private long askedAt;

    /**
     * Creates the protocol.
     *
     * @param seeds addresses of nodes to meet first; a node without any founds a fleet
     * @param watched whether the application is to be told of a change
     */
    public FleetProtocol(FleetSettings settings, List<String> seeds, Peers peers, Predicate<Event> watched) {
        this(settings, seeds, peers, watched, event -> {});
    }

    /** Creates the protocol, with somebody who is told each event that is delivered, in its order. */
    public FleetProtocol(
            FleetSettings settings,
            List<String> seeds,
            Peers peers,
            Predicate<Event> watched,
            Consumer<Event> delivered) {
        this(settings, seeds, peers, watched, delivered, new FleetRules());
    }

    FleetProtocol(
            FleetSettings settings,
            List<String> seeds,
            Peers peers,
            Predicate<Event> watched,
            Consumer<Event> delivered,
            FleetRules rules) {
        this.rules = rules;
        this.delivered = delivered;
        this.settings = settings;
        this.watched = watched;
        // An ordered one is lost only if nobody has heard of it, or all answers were.
        requests = new OwnRequests(TRY_AGAIN * settings.roundMillis(), 2 * settings.stableMillis());
        this.seeds = List.copyOf(seeds);
        this.peers = peers;
    }

    @Override
    boolean isAwaited(String address) {
        return node != null && node.hasAsked(address);
    }

    @Override
    public int linksMax() {
        return 2 * settings.viewSize() + 2 * settings.groupMax();
    }

    private FleetNode node() {
        if (node == null) {
            throw new IllegalStateException("outside of a turn");
        }
        return node;
    }

    /** Returns the node, which starts in the first turn; for tests. */
    @Nullable
    FleetNode inspect() {
        return node;
    }

    /** Returns the requests that have no answer yet; for tests. */
    List<OwnRequests.Waiting> waiting() {
        return requests.waiting();
    }

    @Override
    public void boot(EntryStore store, Turn given) {
        disk = FleetDisk.boot(store, settings, given);
        startAt = given.now();
    }

    /** Begins a turn. In the first one the node starts: only now its address is known, if any port was to do. */
    private FleetNode begin(Turn given) {
        turn(given);
        if (node == null) {
            node = start(Objects.requireNonNull(disk, "boot comes first"), given);
            askedAt = heardMillis();
        }
        node.heard(heardMillis(), millis(given));
        return node;
    }

    private long heardMillis() {
        return Math.floorDiv(turn().heardNanos(), nanos(1));
    }

    /** Asks how far it hears, when it was told so of the last time; after a while again, as an answer may be lost with a task that failed. */
    private void listen(long now) {
        long rounds = (now - askedAt) / settings.roundMillis();
        if (rounds >= (heardMillis() >= askedAt ? Hearing.ASKED_EVERY : Hearing.ASKED_AGAIN)) {
            askedAt = now;
            turn().goRound();
        }
    }

    private FleetNode start(FleetDisk its, Turn given) {
        String address = peers.self().address();
        Contact self = new Contact(given.random().nextLong(), address, its.position(), 0);
        FleetNode started = new FleetNode(self, settings, () -> turn().random().nextLong(), effects, rules);
        started.load(its.takeLoaded());
        // One that has known others founds no second fleet, although it has no seeds.
        Set<String> addresses = new LinkedHashSet<>(seeds);
        addresses.addAll(its.known());
        addresses.remove(address);
        List<Contact> others = addresses.stream().map(Contact::unmet).toList();
        double phase = given.random().nextDouble();
        started.start(others, others.isEmpty(), phase, millis(given), given.wallMillis());
        return started;
    }

    @Override
    public void onCommand(FleetCommand command, Turn given) {
        begin(given);
        if (command instanceof FleetCommand.Calls calls) {
            calls.calls().forEach(call -> onCommand(call, given));
        } else if (command instanceof FleetCommand.Submit submit) {
            submit(submit);
        } else if (command instanceof FleetCommand.ReadStatus read) {
            given.notify(new FleetEvent.Status(read.token(), node().status(foreign + links.dropped())));
        }
    }

    private void submit(FleetCommand.Submit submit) {
        String refusal = node().refusal(submit.after(), turn().wallMillis());
        if (refusal == null && submit.isInOrder() && node().isFull()) {
            refusal = "as many operations of this node are on their way as others take (" + settings.perSourceMax()
                    + ", and with those of clients " + Room.SHARE_MAX + " bytes, within "
                    + node().epidemic().rememberedMillis()
                    + " ms): call more slowly, or at several nodes";
        }
        if (refusal != null) {
            turn().notify(new FleetEvent.Refused(submit.token(), refusal));
            return;
        }
        OwnRequests.Waiting request = OwnRequests.Waiting.from(submit, millis(turn()));
        OwnRequests.Waiting earlier = requests.add(request);
        if (earlier != null) {
            turn().notify(new FleetEvent.Answered(earlier.submit().token(), Outcome.unsure()));
        }
        ask(request);
    }

    /** Asks, or ends what has had its time: in whatever state this node is. */
    private void ask(OwnRequests.Waiting request) {
        long now = millis(turn());
        if (now >= request.deadline()) {
            effects.answered(request.id(), Outcome.unsure());
            return;
        }
        FleetCommand.Submit submit = request.submit();
        boolean isHeldBack = submit.isInOrder() && node().isFull();
        boolean hasLeft = !isHeldBack
                && !node().isLonely()
                && node().submit(
                                        submit.operation(),
                                        submit.consistency(),
                                        submit.after(),
                                        submit.quorum(),
                                        request.deadline(),
                                        now,
                                        turn().wallMillis())
                        != null;
        requests.plan(request, now, hasLeft);
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn given) {
        // Nothing is sent to peers as such; who does it all the same is not heard.
        foreign++;
    }

    @Override
    public void onStranger(NodeIdentity from, int type, BinReader body, Turn given) {
        begin(given);
        String account = links.account(from);
        if (account == null) {
            foreign++;
            return;
        }
        links.heard(from.address());
        FleetMessage message = FleetCodec.read(type, body);
        String sender = FleetMessage.sender(message);
        if (sender != null && !sender.equals(from.address())) {
            foreign++;
            return;
        }
        if (message instanceof FleetMessage.Overturned other) {
            overturned(other.request(), other.outcome());
        } else {
            node().onMessage(account, message, millis(given), given.wallMillis());
        }
    }

    private void overturned(RequestId request, Outcome outcome) {
        FleetEvent.Overturned told = requests.overturned(request, outcome);
        if (told != null) {
            turn().notify(told);
        }
    }

    @Override
    public void onLinkDown(String address, String reason, Turn given) {
        if (links.down(address, millis(given))) {
            begin(given).unreachable(address, millis(given), given.wallMillis());
        }
    }

    @Override
    public void onTimer(Turn given) {
        begin(given).onTimer(millis(given), given.wallMillis());
        listen(millis(given));
        requests.due(millis(given)).forEach(this::ask);
        if (node().hearsAll() != hearsAll) {
            hearsAll = !hearsAll;
            given.notify(new FleetEvent.Hears(hearsAll));
        }
        if (disk != null) {
            disk.onTimer(node()::acquaintances, given);
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return node == null ? startAt : nanos(node.nextDeadline());
    }

    /** Does what the node asks for. */
    private final class Effects implements Outlet {
        @Override
        public void send(Contact to, FleetMessage message) {
            // Who says that it has done something has it on disk.
            boolean whenDurable = message instanceof FleetMessage.Answer answer
                    && answer.outcome().isDone();
            links.send(
                    to.address(),
                    FleetCodec.type(message),
                    FleetCodec.write(message),
                    whenDurable,
                    turn(),
                    millis(turn()));
        }

        @Override
        public boolean isAt(String address, String from) {
            return links.isAt(address, from);
        }

        @Override
        public void answered(RequestId request, Outcome outcome) {
            Object token = requests.answered(request, outcome);
            if (token == null) {
                return;
            }
            FleetEvent event = new FleetEvent.Answered(token, outcome);
            if (outcome.isDone()) {
                turn().notifyWhenDurable(event);
            } else {
                turn().notify(event);
            }
        }

        @Override
        public void delivered(Event event) {
            delivered.accept(event);
            tell(event);
        }

        @Override
        public void missed(Event event) {
            tell(event);
        }

        private void tell(Event event) {
            if (event.operation().changes() && watched.test(event)) {
                turn().notify(new FleetEvent.Passed(event));
            }
        }

        @Override
        public void kept(Event event) {
            BinWriter out = new BinWriter(128);
            EventCodec.event(out, event);
            turn().store().put(FleetDisk.key(event.key()), out.toSlice());
            tell(event);
        }

        @Override
        public void dropped(Event event) {
            turn().store().delete(FleetDisk.key(event.key()));
        }

        @Override
        public void overturned(Event event, Outcome before, Outcome now) {
            if (event.origin().id() == node().self().id()) {
                FleetProtocol.this.overturned(event.operation().request(), now);
            } else {
                send(
                        event.origin(),
                        new FleetMessage.Overturned(event.operation().request(), now));
            }
        }
    }

    /** Returns a message in words, without values. */
    @Override
    public String describe(int type, BinReader body) {
        Slice all = body.raw(body.remaining());
        return FleetCodec.read(type, new BinReader(all)).getClass().getSimpleName() + ", " + all.length() + " bytes";
    }
}
