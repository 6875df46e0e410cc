package io.georep.outbox;

import io.georep.model.NodeId;

/**
 * This node became the holder of an entry that another node was responsible for.
 *
 * @param delivery the entry, as the forwarding handler will get it
 * @param from the node that was responsible until now
 * @param epoch how often the entry changed its holder or owners
 * @param possiblySent whether the former holder may have forwarded it
 * @param <T> type of the payload
 */
public record Adoption<T>(Delivery<T> delivery, NodeId from, long epoch, boolean possiblySent) {}
