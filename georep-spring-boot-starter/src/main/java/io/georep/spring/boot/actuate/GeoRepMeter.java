package io.georep.spring.boot.actuate;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The meters of this library, besides the timers of its observations. */
public enum GeoRepMeter implements MeterDocumentation {
    /** Sends that ended. */
    SENDS("georep.sends", Meter.Type.COUNTER, "entries", Tag.QUEUE, Tag.OUTCOME),
    /** Entries the application forwarded. */
    FORWARDED("georep.forwarded", Meter.Type.COUNTER, "entries", Tag.QUEUE),
    /** Handler calls that failed. */
    FAILED_ATTEMPTS("georep.failed.attempts", Meter.Type.COUNTER, "attempts", Tag.QUEUE),
    /** Entries that became dead letters. */
    DEAD_LETTERED("georep.dead.lettered", Meter.Type.COUNTER, "entries", Tag.QUEUE),
    /** Entries dropped because their time to live ended. */
    EXPIRED("georep.expired", Meter.Type.COUNTER, "entries", Tag.QUEUE),
    /** Entries taken over from other nodes. */
    ADOPTED("georep.adopted", Meter.Type.COUNTER, "entries", Tag.QUEUE),
    /** Entries that a handler got and that may have been forwarded before; an entry counts each time. */
    POSSIBLY_SENT("georep.possibly.sent", Meter.Type.COUNTER, "entries", Tag.QUEUE, Tag.CAUSE),
    /** Entries ready for the handler or in its hands. */
    ACTIVE("georep.active", Meter.Type.GAUGE, "entries", Tag.QUEUE),
    /** Entries waiting for their delay or their next attempt. */
    PARKED("georep.parked", Meter.Type.GAUGE, "entries", Tag.QUEUE),
    /** Entries this node is to forward. */
    BACKLOG("georep.backlog", Meter.Type.GAUGE, "entries", Tag.QUEUE),
    /** Dead letters set aside here. */
    DEAD_LETTERS("georep.dead.letters", Meter.Type.GAUGE, "entries", Tag.QUEUE),
    /** Prepared entries held here whose transactions have not ended. */
    UNDECIDED("georep.undecided", Meter.Type.GAUGE, "entries", Tag.QUEUE),
    /** Copies kept for other nodes. */
    COPIES("georep.copies", Meter.Type.GAUGE, "entries"),
    /** Entries not handed out because of a late restart. */
    HELD_BACK("georep.held.back", Meter.Type.GAUGE, "entries"),
    /** Entries this node is to forward that have fewer than f + 1 copies as far as it knows. */
    COPIES_SHORT("georep.copies.short", Meter.Type.GAUGE, "entries"),
    /** Entries whose deletion some owner has not confirmed. */
    DELETES_UNTOLD("georep.deletes.untold", Meter.Type.GAUGE, "entries"),
    /** Marks of finished entries that keep late copies from coming back. */
    TOMBSTONES("georep.tombstones", Meter.Type.GAUGE, "entries"),
    /** 1 while the node runs. */
    RUNNING("georep.running", Meter.Type.GAUGE, "nodes"),
    /** 1 while the store takes new entries and copies; 0 while it is full, behind or stalled. */
    STORE_READY("georep.store.ready", Meter.Type.GAUGE, "stores"),
    /** Entries of which a node that is neither origin nor owner said that they are over; it was not believed. */
    ENDS_REFUSED("georep.ends.refused", Meter.Type.COUNTER, "entries"),
    /** Frames of other nodes that could not be read, each of which cost its link. */
    FRAMES_REFUSED("georep.frames.refused", Meter.Type.COUNTER, "frames"),
    /** Connections that ended because one side had not proved to the other who it is. */
    CONNECTIONS_DISTRUSTED("georep.connections.distrusted", Meter.Type.COUNTER, "connections"),
    /** Decisions over other nodes that came from nodes with a limited certificate, and were ignored. */
    DECISIONS_IGNORED("georep.decisions.ignored", Meter.Type.COUNTER, "decisions"),
    /** Messages of other nodes on channels, or of types, that this node does not know. */
    MESSAGES_IGNORED("georep.messages.ignored", Meter.Type.COUNTER, "messages"),
    /** Messages that were not sent because the other node does not host their protocol. */
    MESSAGES_WITHHELD("georep.messages.withheld", Meter.Type.COUNTER, "messages"),
    /** Sends not answered yet. */
    PENDING_SENDS("georep.pending.sends", Meter.Type.GAUGE, "entries"),
    /** Payload bytes of sends not answered yet. */
    PENDING_SEND_BYTES("georep.pending.send.bytes", Meter.Type.GAUGE, "bytes"),
    /** Other nodes as this one sees them. */
    PEERS("georep.peers", Meter.Type.GAUGE, "nodes", Tag.STATE),
    /** Other nodes that may get copies of new entries now. */
    PEERS_SELECTABLE("georep.peers.selectable", Meter.Type.GAUGE, "nodes"),
    /** Processes that belong to another cluster of this one's name, so that nothing is taken from them. */
    PEERS_FOREIGN("georep.peers.foreign", Meter.Type.GAUGE, "nodes"),
    /** Smoothed round trip to another node; not a number while it is unknown, absent when the node is forgotten. */
    PEER_RTT("georep.peer.rtt", Meter.Type.GAUGE, "seconds", Tag.PEER),
    /** Shortest round trip to another node since that node was started. */
    PEER_RTT_MIN("georep.peer.rtt.min", Meter.Type.GAUGE, "seconds", Tag.PEER),
    /** By how much the wall clock of another node is ahead, negative if it is behind; not a number while it is unknown. */
    PEER_CLOCK_AHEAD("georep.peer.clock.ahead", Meter.Type.GAUGE, "seconds", Tag.PEER);

    /** Tags of the meters. */
    public enum Tag implements KeyName {
        /** Name of the queue. */
        QUEUE("queue"),
        /** How a send ended: {@code acknowledged}, {@code rejected} or {@code indeterminate}. */
        OUTCOME("outcome"),
        /** Why an entry may have been forwarded before, as {@link io.georep.outbox.RepetitionCause} says it: {@code attempted}, {@code adopted} and so on. */
        CAUSE("cause"),
        /** State of a peer: {@code prospect}, {@code active}, {@code schrodinger}, {@code terminated}, {@code arnold}. */
        STATE("state"),
        /** Name of another node. */
        PEER("peer");

        private final String text;

        Tag(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    private final String name;
    private final Meter.Type type;
    private final String unit;

    @SuppressWarnings("ImmutableEnumChecker") // Made with List.of.
    private final List<Tag> tags;

    GeoRepMeter(String name, Meter.Type type, String unit, Tag... tags) {
        this.name = name;
        this.type = type;
        this.unit = unit;
        this.tags = List.of(tags);
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public @Nullable String getBaseUnit() {
        return unit;
    }

    @Override
    public KeyName[] getKeyNames() {
        return tags.toArray(KeyName[]::new);
    }
}
