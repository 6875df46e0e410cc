package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.NodeStatistics;
import io.georep.PeerChange;
import io.georep.flagons.FleetMaps;
import io.georep.funnel.ReplicatedMaps;
import io.georep.geopaxos.OrderedMaps;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.StoredEntry;
import io.georep.spring.Connectors;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The node for operators: what the endpoint and the console show and order. What cannot be done is an {@link
 * EndpointRefusal}.
 */
public final class NodeOperator {
    private final GeoRepNode node;
    private final Outboxes outboxes;
    private final OutboxListeners listeners;
    private final AdoptionLog adoptions;
    private final QueueOperations queues;
    private final PeerOperations peers;
    private final ConnectorOperations connectors;
    private final @Nullable ReplicatedMaps maps;
    private final @Nullable OrderedMaps orderedMaps;
    private final @Nullable FleetMaps fleet;
    private final OperatorLog log;

    NodeOperator(
            GeoRepNode node,
            Outboxes outboxes,
            OutboxListeners listeners,
            AdoptionLog adoptions,
            @Nullable Connectors connectors,
            @Nullable ReplicatedMaps maps,
            @Nullable OrderedMaps orderedMaps,
            @Nullable FleetMaps fleet) {
        this.node = node;
        this.outboxes = outboxes;
        this.listeners = listeners;
        this.adoptions = adoptions;
        this.queues = new QueueOperations(outboxes);
        this.peers = new PeerOperations(node);
        this.connectors = new ConnectorOperations(connectors);
        this.maps = maps;
        this.orderedMaps = orderedMaps;
        this.fleet = fleet;
        this.log = new OperatorLog(node.identity().id());
    }

    /** Everything at a glance; of a node that does not run only what it is. */
    public EndpointReport.Overview overview() {
        if (node.state() != NodeState.RUNNING) {
            return new EndpointReport.Overview(self(), List.of(), Map.of(), adoptions.all(), List.of());
        }
        NodeStatistics statistics = statistics();
        return new EndpointReport.Overview(self(), peers(), queues(statistics), adoptions.all(), takeovers(statistics));
    }

    /** One part of it. */
    public Object part(String part) {
        return switch (part) {
            case "node" -> self();
            case "peers" -> peers();
            case "outboxes" -> queues();
            case "adoptions" -> adoptions.all();
            case "takeovers" -> takeovers(statistics());
            case "connectors" -> connectors.all();
            case "maps" -> maps();
            case "ordered-maps" -> orderedMaps();
            case "fleet" -> fleet();
            default ->
                throw EndpointRefusal.notFound("there is no part '" + part
                        + "': there are node, peers, outboxes, maps, ordered-maps, fleet, connectors, adoptions and takeovers, and with the name of a"
                        + " queue outboxes, dead-letters and undecided");
        };
    }

    /** One outbox, or a page of its dead letters or undecided entries; or of the places of an ordered map. */
    public Object item(String part, String name, @Nullable String after, @Nullable Integer max) {
        EndpointRefusal.unlessRunning(node);
        return switch (part) {
            case "outboxes" -> queue(name);
            case "dead-letters" -> queues.deadLetters(name, after, max);
            case "undecided" -> queues.undecided(name, after, max);
            case "connectors" -> connectors.one(name);
            case "ordered-maps" -> MapPlacement.read(orderedMaps, name, after, max);
            default ->
                throw EndpointRefusal.notFound("there is no part '" + part
                        + "' with names: there are outboxes, dead-letters, undecided, connectors and ordered-maps");
        };
    }

    /** Returns a dead letter or an undecided entry with its payload; the log says who looked at it. */
    public StoredEntry setAside(String queue, String id, String by) {
        EndpointRefusal.unlessRunning(node);
        StoredEntry entry = queues.setAside(queue, id);
        log.did(
                "show",
                "payload",
                queue,
                List.of(entry.id().toString()),
                Map.of("bytes", entry.payload().length()),
                by);
        return entry;
    }

    private EndpointReport.Maps maps() {
        EndpointRefusal.unlessRunning(node);
        if (maps == null) {
            throw EndpointRefusal.notFound(
                    "this node has no replicated maps: declare a bean of type ViewMaster.Factory");
        }
        return EndpointReport.Maps.of(maps);
    }

    private EndpointReport.OrderedMapsReport orderedMaps() {
        EndpointRefusal.unlessRunning(node);
        if (orderedMaps == null) {
            throw EndpointRefusal.notFound("this node has no ordered maps: set georep.ordered-maps.groups");
        }
        return EndpointReport.OrderedMapsReport.of(NodeAnswers.of(orderedMaps.readStatistics()));
    }

    private EndpointReport.FleetReport fleet() {
        EndpointRefusal.unlessRunning(node);
        if (fleet == null) {
            throw EndpointRefusal.notFound("this node is in no fleet: set georep.fleet.seeds");
        }
        return EndpointReport.FleetReport.of(NodeAnswers.of(fleet.readStatistics()));
    }

    /** The node itself, in whatever state it is. */
    public EndpointReport.Node self() {
        return EndpointReport.Node.of(node);
    }

    /** The other nodes. */
    public List<EndpointReport.Peer> peers() {
        EndpointRefusal.unlessRunning(node);
        return NodeAnswers.of(() -> EndpointReport.Peer.all(node));
    }

    /** What the node has done and holds. */
    public NodeStatistics statistics() {
        EndpointRefusal.unlessRunning(node);
        return NodeAnswers.of(node::statistics);
    }

    /** The queues, by name. */
    public Map<String, EndpointReport.Queue> queues(NodeStatistics statistics) {
        return NodeAnswers.of(() -> EndpointReport.Queue.all(statistics.of(OutboxActivity.class), outboxes, listeners));
    }

    /** Entries whose holder changed, and how many of them are not over yet, the last one last. */
    public List<EndpointReport.Takeover> takeovers(NodeStatistics statistics) {
        return EndpointReport.Takeover.all(statistics.of(OutboxActivity.class));
    }

    /** From whom entries were taken over, the last one last. */
    public List<AdoptionLog.Adopted> adoptions() {
        return adoptions.all();
    }

    /** The connectors, by their names. */
    public List<Connectors.Status> connectors() {
        return connectors.all();
    }

    /** Calls back when the node sees a peer in another state. */
    public void onPeerChange(Consumer<PeerChange> callback) {
        node.onPeerChange(callback);
    }

    private Map<String, EndpointReport.Queue> queues() {
        return queues(statistics());
    }

    /** One queue. Entries may wait for one that is not open here, so the report knows more names than the outboxes do. */
    public EndpointReport.Queue queue(String name) {
        Map<String, EndpointReport.Queue> all = queues();
        EndpointReport.Queue queue = all.get(name);
        if (queue == null) {
            throw EndpointRefusal.notFound("no queue '" + name + "' is known on this node: known are " + all.keySet());
        }
        return queue;
    }

    /** Changes something for somebody who has not said who it is; returns what was done. */
    Map<String, Object> change(String part, String name, @Nullable String action, @Nullable List<String> ids) {
        return change(part, name, action, ids, null);
    }

    /**
     * Changes something; returns what was done.
     *
     * @param by who ordered it; null if that is not known
     */
    public Map<String, Object> change(
            String part, String name, @Nullable String action, @Nullable List<String> ids, @Nullable String by) {
        EndpointRefusal.unlessRunning(node);
        Map<String, Object> done = switch (part) {
            case "outboxes" -> queues.changeOutbox(name, action);
            case "peers" -> peers.change(name, action);
            case "dead-letters" -> queues.changeLetters(name, action, ids);
            case "undecided" -> queues.decide(name, action, ids);
            case "connectors" -> connectors.change(name, action);
            case "maps" -> MapOperations.change(node, maps, name, action);
            case "ordered-maps" -> OrderedMapsOperations.change(node, orderedMaps, name, action, ids);
            default ->
                throw EndpointRefusal.notFound(
                        "nothing can be done with '" + part
                                + "': send to outboxes, peers, dead-letters, undecided, connectors, maps or ordered-maps, followed by a name");
        };
        log.did(String.valueOf(action), part, name, ids, done, by);
        return done;
    }

    /** Deletes dead letters for somebody who has not said who it is. */
    Map<String, Object> delete(String part, String name, @Nullable List<String> ids) {
        return delete(part, name, ids, null);
    }

    /** Deletes dead letters on all owners; returns how many. */
    public Map<String, Object> delete(String part, String name, @Nullable List<String> ids, @Nullable String by) {
        EndpointRefusal.unlessRunning(node);
        if (!part.equals("dead-letters")) {
            throw EndpointRefusal.notFound("nothing of '" + part + "' can be deleted, only dead-letters of a queue");
        }
        Map<String, Object> done = queues.deleteLetters(name, ids);
        log.did("delete", part, name, ids, done, by);
        return done;
    }
}
