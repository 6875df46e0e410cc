package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.SplitMix;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A process that is no node of a fleet: it asks nodes, one after the other under the same request id, until the group
 * of the key answers. It needs no clock, unless it signs.
 */
public final class FleetClientProtocol extends FleetLinking {
    private static final long ERRAND_MILLIS = 500;
    private static final long ORDERED_MILLIS = 4_000;
    private static final long TICK_MILLIS = 100;

    private final List<String> nodes;
    private final Set<String> known;
    private final Peers peers;
    private final OwnRequests own = new OwnRequests(ERRAND_MILLIS, ORDERED_MILLIS);
    private final Requests requests = new Requests(new Effects());

    /** Who was asked for a request. */
    private static final class Asked {
        /** The last one; null if it has refused. */
        @Nullable
        String node;

        int times;
        int refusals;
    }

    private final Map<RequestId, Asked> asked = new HashMap<>();

    private int next;
    private long tickAt = Long.MAX_VALUE;
    private long refused;

    /**
     * Creates the protocol.
     *
     * @param nodes addresses of nodes to ask
     */
    public FleetClientProtocol(List<String> nodes, Peers peers) {
        this.nodes = new ArrayList<>(nodes);
        this.known = Set.copyOf(nodes);
        this.peers = peers;
    }

    @Override
    boolean isAwaited(String address) {
        return known.contains(address);
    }

    @Override
    public int linksMax() {
        return Math.min(nodes.size(), 64);
    }

    @Override
    public void boot(EntryStore store, Turn given) {
        // Not all clients begin with the same node.
        next = given.random().nextInt(nodes.size());
        tickAt = millis(given);
    }

    @Override
    public void onCommand(FleetCommand command, Turn given) {
        turn(given);
        if (command instanceof FleetCommand.Calls calls) {
            calls.calls().forEach(call -> onCommand(call, given));
        } else if (command instanceof FleetCommand.Submit submit) {
            OwnRequests.Waiting request = OwnRequests.Waiting.from(submit, millis(given));
            OwnRequests.Waiting earlier = own.add(request);
            if (earlier != null) {
                given.notify(new FleetEvent.Answered(earlier.submit().token(), Outcome.unsure()));
            }
            requests.add(request.id(), request.deadline(), submit.quorum());
            ask(request);
        } else if (command instanceof FleetCommand.ReadStatus read) {
            Contact self = new Contact(0, peers.self().address(), 0, 0);
            given.notify(new FleetEvent.Status(
                    read.token(),
                    new FleetStatus(
                            self, inReach(), 0, false, 0, 0, refused + links.dropped(), 0, 0, false, false, 0, 0)));
        }
    }

    /** Returns how many nodes are not known to be away. */
    private int inReach() {
        return (int) nodes.stream().filter(each -> !links.isAway(each)).count();
    }

    /** Asks the next node that is not known to be away. */
    private void ask(OwnRequests.Waiting waiting) {
        FleetCommand.Submit submit = waiting.submit();
        RequestId request = waiting.id();
        long id = SplitMix.mixed(request.client() + SplitMix.mixed(request.number())) | 1;
        FleetMessage message = new FleetMessage.Ask(
                new Contact(id, peers.self().address(), 0, 0),
                submit.operation(),
                submit.consistency(),
                submit.after());
        Slice body = FleetCodec.write(message);
        for (int i = 0; i < nodes.size(); i++) {
            next = (next + 1) % nodes.size();
            String address = nodes.get(next);
            if (links.send(address, FleetCodec.ASK, body, false, turn(), millis(turn()))) {
                Asked its = asked.computeIfAbsent(request, any -> new Asked());
                its.node = address;
                its.times++;
                own.plan(waiting, millis(turn()), true);
                return;
            }
        }
        own.plan(waiting, millis(turn()), false);
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn given) {
        refused++;
    }

    @Override
    public void onStranger(NodeIdentity from, int type, BinReader body, Turn given) {
        turn(given);
        String account = links.account(from);
        if (account == null) {
            refused++;
            return;
        }
        links.heard(from.address());
        FleetMessage message = FleetCodec.read(type, body);
        if (message instanceof FleetMessage.Answer answer && answer.outcome().status() == Outcome.Status.REFUSED) {
            refused(answer.request(), account);
        } else if (message instanceof FleetMessage.Answer answer) {
            requests.answered(answer.request(), account, answer.outcome());
        } else if (message instanceof FleetMessage.Overturned other) {
            FleetEvent.Overturned told = own.overturned(other.request(), other.outcome());
            if (told != null) {
                given.notify(told);
            }
        } else {
            refused++;
        }
    }

    /**
     * Asks the next node. If all have refused, as often as they were asked, the request has no effect; otherwise it is tried again in its
     * time.
     */
    private void refused(RequestId request, String account) {
        Asked its = asked.get(request);
        OwnRequests.Waiting waiting = own.find(request);
        if (its == null || waiting == null || its.node == null || !links.isAt(its.node, account)) {
            return;
        }
        its.node = null;
        its.refusals++;
        if (its.refusals % nodes.size() != 0) {
            ask(waiting);
        } else if (its.refusals == its.times) {
            asked.remove(request);
            own.answered(request, Outcome.refused());
            turn().notify(new FleetEvent.Refused(
                    waiting.submit().token(),
                    "the nodes of the fleet that it knows bring as much to others as those take: call more slowly, or"
                            + " give it more nodes"));
        }
    }

    @Override
    public void onLinkDown(String address, String reason, Turn given) {
        turn(given);
        links.down(address, millis(given));
        own.waiting().stream()
                .filter(each -> {
                    Asked its = asked.get(each.id());
                    return its != null && address.equals(its.node);
                })
                .forEach(this::ask);
    }

    @Override
    public void onTimer(Turn given) {
        turn(given);
        long now = millis(given);
        if (now >= tickAt) {
            tickAt = now + TICK_MILLIS;
            requests.expire(now);
            own.due(now).forEach(this::ask);
            if (inReach() == 0) {
                // Otherwise it would go on saying so until somebody asks for something.
                nodes.forEach(each -> links.open(each, turn(), now));
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return tickAt == Long.MAX_VALUE ? Long.MAX_VALUE : nanos(tickAt);
    }

    /** What the requests of the client lead to. */
    private final class Effects implements Outlet {
        @Override
        public void send(Contact to, FleetMessage message) {
            throw new IllegalStateException("a client passes nothing on");
        }

        @Override
        public void answered(RequestId request, Outcome outcome) {
            asked.remove(request);
            Object token = own.answered(request, outcome);
            if (token != null) {
                turn().notify(new FleetEvent.Answered(token, outcome));
            }
        }
    }

    @Override
    public String describe(int type, BinReader body) {
        return "type " + type + ", " + body.remaining() + " bytes";
    }
}
