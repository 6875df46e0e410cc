package io.georep.outbox;

import io.georep.model.NodeId;

/**
 * Tells that this node took an entry over from another node. From now on this node has the duty to forward it.
 *
 * @param delivery the entry, as the handler will get it
 * @param from the node that had the duty until now
 * @param epoch how often the entry has changed its holder or its owners
 * @param possiblySent whether the former holder may have forwarded the entry
 * @param <T> type of the payload
 */
public record Adoption<T>(Delivery<T> delivery, NodeId from, long epoch, boolean possiblySent) {}
