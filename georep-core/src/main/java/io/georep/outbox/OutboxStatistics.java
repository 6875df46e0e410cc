package io.georep.outbox;

import io.georep.model.NodeId;
import java.util.List;
import java.util.Map;

/**
 * Counters of the outbox protocol since the node was started, and what the node holds now.
 *
 * @param accepted sends that got an id
 * @param acknowledged sends that succeeded
 * @param rejected sends that were refused; nothing was stored
 * @param indeterminate sends that failed although copies may exist
 * @param forwarded entries that this node forwarded
 * @param adopted entries that this node took over from other nodes
 * @param ceded entries that this node left to another node, which had the higher claim
 * @param replaced how often an owner was replaced by another node
 * @param endsRefused entries of which a node that is neither their origin nor an owner said that they are over. It was not
 *     believed; more than 0 means that a peer lies or is broken
 * @param receiving entries that wait for their copies
 * @param held entries that this node may forward, by queue: they wait, are with the application, or are dead letters
 * @param deadLetters dead letters that this node holds, by queue
 * @param undecided prepared entries that this node holds and nobody has decided on, by queue; queues without any are left out
 * @param copies entries that this node keeps for other nodes
 * @param heldBack entries that this node does not hand out yet, because it came back late and is asking the other owners
 * @param shortOfCopies entries held by this node that have fewer than f + 1 copies as far as it knows. Some other owner is
 *     given up, lost its copy, or has not yet said, since it or this node started, that it has one
 * @param deletesUntold finished entries whose deletion some owner has not confirmed
 * @param tombstones marks of finished entries that keep late copies from coming back
 * @param copiesOf entries that this node keeps for others, by the node that is to forward them; nodes without any are left out
 * @param takeovers entries that this node took over from others, and entries sent here that others took over: the latest 1000
 *     pairs of queue and node, the last one last
 */
public record OutboxStatistics(
        long accepted,
        long acknowledged,
        long rejected,
        long indeterminate,
        long forwarded,
        long adopted,
        long ceded,
        long replaced,
        long endsRefused,
        long receiving,
        Map<String, Long> held,
        Map<String, Long> deadLetters,
        Map<String, Long> undecided,
        long copies,
        long heldBack,
        long shortOfCopies,
        long deletesUntold,
        long tombstones,
        Map<NodeId, Long> copiesOf,
        List<Takeover> takeovers) {}
