package io.georep.mixed;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;

/**
 * A node of some version in a cluster of several, in words that all versions share: only types of the JDK. Frozen jars
 * implement it, so it may gain default methods and lose nothing.
 */
public interface Member {
    /** Returns {@code host:port}. */
    String address();

    /** Returns whether copies can be made on this many other nodes. */
    boolean ready(int f);

    /** Sends with one copy; completed when two nodes have it. */
    CompletionStage<Void> send(String payload);

    /** Stops handing entries over. */
    void pause();

    /** Goes on handing entries over. */
    void resume();

    /** Returns what the handler of this member took. */
    Collection<String> forwarded();

    /** Returns the figure with this name: held, copies, adopted, refused, ignored or withheld. */
    long figure(String name);

    /** Stops in order, and tells the others for how long. */
    void leave(Duration expectedAway);

    /** Stops as if the process were killed. */
    void halt();

    /** Returns the node itself, of the version that this member is of. */
    Object node();
}
