package io.georep.geopaxos;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The ordered maps of a node. A node has them if its builder got {@code orderedMaps(...)}; {@code node.service(OrderedMaps.class)}
 * returns them. Every node of the settings holds everything in memory. Thread-safe.
 */
public interface OrderedMaps {
    /** The longest key, in bytes. */
    int KEY_BYTES_MAX = 190;

    /** The longest value, in bytes. */
    int VALUE_BYTES_MAX = 64 * 1024;

    /** The most entries of a page. A page ends earlier when it has 256 KiB. */
    int PAGE_MAX = 1_000;

    /** The longest argument, and the longest result, of a transaction, in bytes. */
    int ARGUMENT_BYTES_MAX = 256 * 1024;

    /** The most keys of a transaction. */
    int TRANSACTION_KEYS_MAX = 256;

    /** The longest time to live. */
    Duration TIME_TO_LIVE_MAX = Duration.ofDays(36_500);

    /** Returns the map of this schema. It has the same entries on all nodes. */
    <K, V> OrderedMap<K, V> map(MapSchema<K, V> schema);

    /** Returns the map of this name. */
    default <K, V> OrderedMap<K, V> map(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        return map(new MapSchema<>(name, keys, values));
    }

    /**
     * Executes a transaction of the settings. The stage fails with {@link TransactionFailedException} if the transaction threw an
     * exception, and otherwise as the writes of {@link OrderedMap} do.
     *
     * @param operation null if the call is not repeated after an error
     * @throws IllegalArgumentException if the settings have no transaction of this name and version
     */
    <A, R> CompletionStage<R> call(MapTransaction<A, R> transaction, A argument, @Nullable OperationNumber operation);

    /** Executes a transaction that is not repeated. */
    default <A, R> CompletionStage<R> call(MapTransaction<A, R> transaction, A argument) {
        return call(transaction, argument, null);
    }

    /** Reads what this node knows of the maps. Fails with {@link io.georep.model.ClosedException} if the node is stopped. */
    CompletionStage<OrderedMapsStatistics> readStatistics();

    /**
     * Reads which groups have the keys of a map, as this node knows it; and who uses them, if this node decides where keys go. Fails with
     * {@link io.georep.model.ClosedException} if the node is stopped.
     *
     * @param map name of the map
     * @param from bytes of the key from which on; empty for the first one
     * @param most leaves, from 1 to {@link OrderedMapsPlacement#LEAVES_MAX}
     * @throws IllegalArgumentException if one of these is out of range
     */
    CompletionStage<OrderedMapsPlacement> readPlacement(String map, Slice from, int most);

    /**
     * Puts a node in the place of another one for good, with its votes, while operations go on; the other one may be dead. The new node
     * must host ordered maps with the settings of the others. Completes when that is ordered; the groups follow once the new node has
     * caught up: {@link OrderedMapsStatistics.Group#voters} tells. Fails with {@link IllegalArgumentException} if the nodes are not those
     * that it takes. Fails with {@link OrderedMapUnavailableException} if the first group has no leader, or if it is not known what
     * became of it: then look at the layout, and ask again.
     *
     * @param dryRun changes nothing: only completes with the layout that would come
     */
    CompletionStage<OrderedMapsLayout> replace(NodeId removed, NodeId added, boolean dryRun);

    /** Lets one more node hold everything, without a vote. See {@link #replace} for {@code dryRun} and errors. */
    CompletionStage<OrderedMapsLayout> addReplica(NodeId added, boolean dryRun);

    /** Takes a node without a vote out: it holds nothing any more. See {@link #replace} for {@code dryRun} and errors. */
    CompletionStage<OrderedMapsLayout> removeReplica(NodeId removed, boolean dryRun);

    /**
     * Adds a group of voters for the site of the first one, while operations go on. The settings stay as they are. Nodes that hold nothing
     * yet must host ordered maps with the settings of the others; all nodes must be up until the group has a leader. Then keys
     * that are used near it move to it. A group that was added stays. See {@link #replace} for {@code dryRun} and errors.
     *
     * @param voters 1 to 7; the first one leads the group when it can, and is the first one of no other group
     */
    CompletionStage<OrderedMapsLayout> addGroup(List<NodeId> voters, boolean dryRun);

    /**
     * Lets a group go on from what this node and all others in reach have of it, when so many voters have lost their stores for good that the group
     * has no majority. What was acknowledged and only the lost ones have is lost: ask with {@code dryRun} first, on several nodes. Nodes that have
     * executed more than this one take nothing of ordered maps any more; so the order is refused while one is in reach. Of two nodes that get it at
     * once, and reach each other, one goes on at the most. Until the other voters have caught up, this node has the only vote: {@link OrderedMapsStatistics.Group#changing} tells. Completes when the new voters are ordered, for which the
     * first group needs a leader: so that one is restored first. Fails with {@link IllegalArgumentException} if the group can still decide as far
     * as this node knows, if a voter that is said to be lost is in reach with its store, or if the voters are not those that it takes. Fails with
     * {@link OrderedMapUnavailableException} if it is not known what became of it: then look at the statistics.
     *
     * @param group its number
     * @param lost all nodes that are not in reach. They never come back with their stores: until they hear that the group has gone on, they could elect
     *     each other. What only they have is lost
     * @param voters 1 to 7, with this node; the first one leads the group when it can
     * @param dryRun changes nothing: only completes with what would be
     */
    CompletionStage<OrderedMapsRestoration> restoreGroup(
            int group, List<NodeId> lost, List<NodeId> voters, boolean dryRun);
}
