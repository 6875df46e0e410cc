package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import java.util.List;

/** Everything that can make a node's loop turn. */
public sealed interface Input {
    /** See {@link io.georep.spi.Transport.Listener#linkUp}. */
    record LinkUp(NodeIdentity peer) implements Input {}

    /** See {@link io.georep.spi.Transport.Listener#linkDown}. */
    record LinkDown(NodeId peer, String reason) implements Input {}

    /** See {@link io.georep.spi.Transport.Listener#frame}. */
    record Frame(NodeIdentity from, byte[] bytes, boolean urgent) implements Input {
        /** A frame that is not urgent. */
        public Frame(NodeIdentity from, byte[] bytes) {
            this(from, bytes, false);
        }
    }

    /** See {@link io.georep.spi.Transport.Listener#lifeSign}. */
    record LifeSign(NodeIdentity from) implements Input {}

    /** See {@link io.georep.spi.Transport.Listener#writable}. */
    record Writable(NodeId peer, int lane, boolean writable) implements Input {}

    /** See {@link io.georep.spi.Transport.Listener#seedReached}. */
    record SeedReached(String seed) implements Input {}

    /** See {@link io.georep.spi.Transport.Listener#refused}. */
    record Refused(String address, String reason) implements Input {}

    /** See {@link EntryStore.Listener#durable}. */
    record Durable(long batchNumber) implements Input {}

    /** See {@link EntryStore.Listener#scanned}. */
    record Scanned(long token, List<EntryStore.Pair> pairs, boolean more) implements Input {}

    /** See {@link EntryStore.Listener#full}. */
    record StoreFull(boolean full) implements Input {}

    /** See {@link EntryStore.Listener#failed}. */
    record StoreFailed(StoreException cause) implements Input {}

    /** A command of the application for one hosted protocol. */
    record Command(int channel, Object command) implements Input {}
}
