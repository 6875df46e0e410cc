package io.georep.flagons.local;

import io.georep.flagons.core.Consistency;
import io.georep.flagons.core.FleetStatus;
import io.georep.flagons.core.Operation;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.model.Slice;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A fleet as one of its nodes sees it. */
public interface Fleet {
    /**
     * Asks for something under a new request id.
     *
     * @param value of a put; null otherwise
     * @param after it comes behind this place, and an answer is not older: the place of an earlier outcome
     * @param quorum how many members must answer alike
     * @param within after that, the outcome is {@link Outcome.Status#UNSURE}
     */
    CompletionStage<Outcome> ask(
            Operation.Kind kind,
            Slice key,
            @Nullable Slice value,
            Consistency consistency,
            OrderKey after,
            int quorum,
            Duration within);

    /** Returns how this node is. */
    CompletionStage<FleetStatus> status();
}
