package io.georep.outbox;

import io.georep.model.NodeId;
import java.time.Duration;

/**
 * Entries of one queue whose holder changed, and how many of them are not over yet. It begins with an adoption, or when a node
 * hands entries over because it is drained, or when a node comes back and hears that its entries were adopted. What changes
 * hands before it is over counts to it.
 *
 * @param queue the queue
 * @param from the node that had the duty to forward them
 * @param to the node that has it now
 * @param entries how many there were
 * @param left how many of them are to be forwarded yet, as of the last heartbeat; dead letters are not among them
 * @param age how long ago it began; for what a node finds when it starts, since then
 * @param lasted how long it took, or has taken so far
 */
public record Takeover(String queue, NodeId from, NodeId to, long entries, long left, Duration age, Duration lasted) {}
