package io.georep.rumour;

import java.util.concurrent.CompletionStage;

/** Spreads rumours among nodes that need not be each other's peers. */
public interface Rumours {
    /** There is somebody at this address. */
    void meet(String address);

    /** Says something new. */
    void tell(String rumour);

    /** What this node has heard. */
    CompletionStage<RumourProtocol.View> view();
}
