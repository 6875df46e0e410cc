package io.georep.spring.connect;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaces;
import io.georep.spring.Outboxes;
import java.time.Duration;

/**
 * What connectors need of the node.
 *
 * @param f how many other nodes must have a source's offset before it counts
 * @param failoverAfter how long a node is silent before others take over what it did
 * @param stopTimeout how long the tasks of a connector may take to end
 */
public record HostParts(
        GeoRepNode node, Outboxes outboxes, RawOutboxes raw, int f, Duration failoverAfter, Duration stopTimeout) {
    private static final String SPACE = "georep.connect";

    /** Returns what concerns this node only. */
    KeySpace local() {
        return node.service(KeySpaces.class).local(SPACE);
    }

    /** Returns what other nodes find when they take over. */
    KeySpace replicated() {
        return node.service(KeySpaces.class).replicated(SPACE, f);
    }

    /** Returns what operators ordered. This node can store it while it is alone; others get it when they are there. */
    KeySpace orders() {
        return node.service(KeySpaces.class).replicated(SPACE + ".orders", 0);
    }

    RawOutboxes.Raw<?> outbox(String name) {
        return raw.outbox(outboxes, name);
    }
}
