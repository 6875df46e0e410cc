package io.georep.funnel.core.messages;

import io.georep.funnel.Topology;
import io.georep.funnel.ViewMaster;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request to the protocol. Answers carry the token of the request. */
public sealed interface FunnelCommand {
    /** Several calls, in the order in which they were made. */
    record Calls(List<FunnelCommand> calls) implements FunnelCommand {}

    /** What a write does when it is committed. */
    enum Kind {
        PUT,
        REMOVE,
        PUT_IF_ABSENT,
        REPLACE
    }

    /**
     * A write.
     *
     * @param key the map's name and the key: one byte with the length of the name, the name, the key
     * @param value the new value; null for {@link Kind#REMOVE}
     * @param expected for {@link Kind#REPLACE}
     * @param timeToLiveMillis 0 for ever
     * @param client null without retries
     */
    record Write(
            Kind kind,
            Slice key,
            @Nullable Slice value,
            @Nullable Slice expected,
            long timeToLiveMillis,
            @Nullable String client,
            long operation,
            Topology topology,
            Object token)
            implements FunnelCommand {}

    /** Reads a key that the mirror could not answer. */
    record Read(Slice key, Object token) implements FunnelCommand {}

    /**
     * What the master answered.
     *
     * @param askedAtNanos when the node asked, on the monotonic clock of its turns
     * @param askedAtMillis the same on its wall clock
     */
    record Granted(ViewMaster.Grant grant, long askedAtNanos, long askedAtMillis) implements FunnelCommand {}

    /** Asks the keepers of views. */
    record AskKeepers(long number, ViewMaster.Renewal renewal) implements FunnelCommand {}

    /** Gives the keepers of views the order to restore a view. */
    record OrderRestore(long number, boolean dryRun) implements FunnelCommand {}

    /** The node stops: it takes no part in any view from now on, and says so to the master. */
    record Leave() implements FunnelCommand {}

    /** Reads the counters. */
    record ReadStatistics(Object token) implements FunnelCommand {}
}
