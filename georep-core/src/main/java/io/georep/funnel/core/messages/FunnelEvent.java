package io.georep.funnel.core.messages;

import io.georep.funnel.MapsStatistics;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ViewMaster;
import io.georep.model.GeoRepException;
import io.georep.model.Slice;
import io.georep.protocol.UrgentEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the protocol tells the local side. */
public sealed interface FunnelEvent {
    /**
     * A write of this node was committed.
     *
     * @param applied whether its condition held; for {@code REMOVE}, whether the key had a value
     * @param before the value it met: for {@code PUT_IF_ABSENT} that was not applied, and for {@code REMOVE}; else null
     */
    record Written(Object token, boolean applied, @Nullable Slice before) {}

    /** Writes of this node were committed, in this order. */
    record Done(List<Written> writes) implements FunnelEvent {}

    /** These writes or reads failed. */
    record Failed(List<Object> tokens, GeoRepException cause) implements FunnelEvent {}

    /** The value of a key; null if there is none. */
    record Value(Object token, @Nullable Slice value) implements FunnelEvent {}

    /** Committed changes in order; only while {@link io.georep.funnel.core.Mirror#listening}. A null value is a removal. */
    record Changes(List<Change> changes) implements FunnelEvent {}

    /** A committed change. */
    record Change(Slice key, @Nullable Slice value, long view, long commit) {}

    /**
     * What the master should be asked from now on; {@code now} if at once and not with the next renewal. Told at boot: nobody is asked
     * before.
     */
    record Ask(ViewMaster.Renewal renewal, boolean now) implements FunnelEvent, UrgentEvent {}

    /** What the keepers of views said to the question with this number. */
    record Answered(long number, ViewMaster.Grant grant) implements FunnelEvent, UrgentEvent {}

    /** The outcome of an order to restore a view. */
    record Restored(long number, ViewMaster.Restoration restoration) implements FunnelEvent {}

    /** Why no view serves, as seen by this node, which leads the keepers; empty if nothing is wrong. */
    record Trouble(String text) implements FunnelEvent {}

    /** The node's part in the view changed, or its lease. */
    record Status(MapsStatus status) implements FunnelEvent {}

    /** The counters. */
    record Statistics(Object token, MapsStatistics statistics) implements FunnelEvent {}
}
