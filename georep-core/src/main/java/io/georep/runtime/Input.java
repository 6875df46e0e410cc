package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import java.util.List;

/** Everything that can make a node's loop turn. */
public sealed interface Input {
    /** Returns bytes of the frame it brings, 0 for none. */
    default int frameBytes() {
        return 0;
    }

    /** What concerns the links to peers and seeds, which are the membership's. */
    sealed interface OfMembers extends Input {}

    /** What concerns links of a protocol's own choice, and strangers. */
    sealed interface OfStrangers extends Input {}

    /** See {@link io.georep.spi.Transport.Listener#linkUp}. */
    record LinkUp(NodeIdentity peer) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#linkDown}. */
    record LinkDown(NodeId peer, String reason) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#frame}. */
    record Frame(NodeIdentity from, byte[] bytes, boolean urgent) implements Input {
        /** A frame that is not urgent. */
        public Frame(NodeIdentity from, byte[] bytes) {
            this(from, bytes, false);
        }

        @Override
        public int frameBytes() {
            return bytes.length;
        }
    }

    /** See {@link io.georep.spi.Transport.Listener#lifeSign}. */
    record LifeSign(NodeIdentity from) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#writable}. */
    record Writable(NodeId peer, int lane, boolean writable) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#seedReached}. */
    record SeedReached(String seed) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#refused}. */
    record Refused(String address, String reason) implements OfMembers {}

    /** See {@link io.georep.spi.Transport.Listener#cameRound}. */
    record CameRound(long stamp) implements Input {}

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

    /** See {@link io.georep.spi.Transport.Listener#linkOpened}. */
    record LinkOpened(long link, NodeIdentity process) implements OfStrangers {}

    /** See {@link io.georep.spi.Transport.Listener#linkEnded}. */
    record LinkEnded(long link, String reason) implements OfStrangers {}

    /** See {@link io.georep.spi.Transport.Listener#linkWritable}. */
    record LinkWritable(long link, boolean writable) implements OfStrangers {}

    /** See {@link io.georep.spi.Transport.Listener#strangerFrame}. */
    record StrangerFrame(NodeIdentity from, int channel, byte[] bytes) implements OfStrangers {
        @Override
        public int frameBytes() {
            return bytes.length;
        }
    }
}
