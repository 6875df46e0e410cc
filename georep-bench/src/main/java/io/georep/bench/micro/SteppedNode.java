package io.georep.bench.micro;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreException;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.AppSink;
import io.georep.runtime.Input;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.StoreWatch;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A node whose turns run on the caller's thread: the loop and the protocols of the product, without driver, sockets and
 * disk. What happens is gathered as inputs of its next turn. Not thread-safe.
 */
final class SteppedNode implements Transport, EntryStore.Listener {
    private final SteppedCluster cluster;
    private final NodeId id;
    private final String address;
    private final Membership membership;
    private final OutboxProtocol outbox;
    private final NodeLoop loop;
    private List<Input> inputs = new ArrayList<>();

    SteppedNode(SteppedCluster cluster, int number, int nodes, EntryStore store, AppSink sink) {
        this.cluster = cluster;
        id = NodeId.of("n" + number);
        address = address(number);
        List<String> seeds = new ArrayList<>();
        for (int other = 0; other < nodes; other++) {
            seeds.add(address(other));
        }
        ProtocolConfig config = ProtocolConfig.defaults();
        membership = new Membership(config, new LocalNode(id, address, "site-" + number, seeds));
        outbox = new OutboxProtocol(config, membership, PeerSelection.siteAware());
        loop = new NodeLoop(
                store,
                StoreWatch.Limits.of(config),
                this,
                cluster.clock(),
                new SplittableRandom(number),
                membership,
                List.of(outbox),
                sink);
        store.start(this);
    }

    private static String address(int number) {
        return "stepped:" + (1 + number);
    }

    /** Loads what the store holds. */
    void boot() {
        loop.boot();
    }

    /** Says who this node is in this boot. */
    NodeIdentity identity() {
        return membership.self();
    }

    String address() {
        return address;
    }

    /** Read-only look at what it keeps. */
    OutboxProtocol outbox() {
        return outbox;
    }

    /** Returns whether it holds so many peers Active. */
    boolean sees(int peers) {
        long active = membership.all().stream()
                .filter(peer -> peer.state() == PeerState.ACTIVE)
                .filter(Peer::linked)
                .count();
        return active == peers;
    }

    /** Adds a command of the application to its next turn. */
    void command(Object command) {
        inputs.add(new Input.Command(OutboxProtocol.CHANNEL, command));
    }

    /** Returns whether something happened that no turn has handled. */
    boolean hasInput() {
        return !inputs.isEmpty();
    }

    /** When a turn is needed even without input. */
    long nextDeadlineNanos() {
        return loop.nextDeadlineNanos();
    }

    /** Takes one turn over all that happened since the last. */
    void turn() {
        List<Input> taken = inputs;
        inputs = new ArrayList<>();
        loop.turn(taken);
    }

    void linkTo(SteppedNode peer) {
        inputs.add(new Input.LinkUp(peer.identity()));
    }

    @Override
    public String start(NodeIdentity self, Listener listener) {
        throw new UnsupportedOperationException("the cluster links its nodes");
    }

    @Override
    public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
        cluster.link(this, peers.values());
        cluster.link(this, seeds);
    }

    @Override
    public void send(Outgoing frame) {
        cluster.node(frame.peer()).inputs.add(new Input.Frame(identity(), frame.frame()));
    }

    @Override
    public void refuse(NodeIdentity peer, String reason) {
        throw new IllegalStateException(id + " refused " + peer + ": " + reason);
    }

    @Override
    public void durable(long batchNumber) {
        inputs.add(new Input.Durable(batchNumber));
    }

    @Override
    public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
        inputs.add(new Input.Scanned(token, pairs, more));
    }

    @Override
    public void full(boolean full) {
        throw new IllegalStateException("a store in memory has space");
    }

    @Override
    public void failed(StoreException cause) {
        throw cause;
    }

    @Override
    public void close() {}
}
