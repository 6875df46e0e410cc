package io.georep.geopaxos.core.messages;

import io.georep.consensus.LogRecord;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a member finds in its store at a boot.
 *
 * @param incarnation never the same in two boots of a node; rises from one to the next as a rule
 * @param store tells the stores of a node apart
 * @param head of the state stored last; null if there is none
 * @param pieces of that state
 * @param logs of the groups, in their order
 */
public record GeoRecord(
        long incarnation, long store, @Nullable Slice head, List<StatePiece> pieces, List<LogRecord> logs) {
    /** Copies the list of logs. */
    public GeoRecord {
        logs = List.copyOf(logs);
    }
}
