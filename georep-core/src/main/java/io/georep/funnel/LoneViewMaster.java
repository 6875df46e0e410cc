package io.georep.funnel;

import io.georep.model.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The master of a node that has no others. */
final class LoneViewMaster implements ViewMaster {
    /** The length of the lease. No other node can end it, so it only decides how often the node asks. */
    private final Duration lease;

    private @Nullable View view;

    LoneViewMaster(Place place) {
        if (place.host() != null) {
            throw new ConfigurationException("replicated maps of node " + place.node()
                    + " have the master of a node that is alone, but the node listens: give all nodes a master that they"
                    + " share, or do not listen");
        }
        lease = place.settings().lease();
    }

    @Override
    public CompletionStage<Grant> renew(Renewal renewal) {
        if (view == null) {
            // A new boot is a new incarnation, and that needs a new view.
            view = new View(renewal.activeView() + 1, List.of(renewal.node()));
        }
        return CompletableFuture.completedFuture(new Grant(view, lease, true));
    }

    @Override
    public void close() {}
}
