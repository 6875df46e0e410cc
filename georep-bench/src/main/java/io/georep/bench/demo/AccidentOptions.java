package io.georep.bench.demo;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * Which random accidents happen.
 *
 * @param count how many; 0: none
 * @param kinds which kinds are drawn
 * @param seed decides on them, and on the delays of the network
 * @param calm time that passes before each accident, besides the random pause
 * @param settle time for which the nodes must all have seen each other and known of no entry that is short of copies,
 *     before copies are destroyed again
 */
record AccidentOptions(int count, Set<AccidentKind> kinds, int seed, Duration calm, Duration settle) {
    /** Returns whether accidents of this kind are to happen. */
    boolean wants(AccidentKind kind) {
        return count > 0 && kinds.contains(kind);
    }

    /** Returns whether any of them happens in the network. */
    boolean wantsNetwork() {
        return count > 0 && kinds.stream().anyMatch(AccidentKind::ofNetwork);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d accidents of kinds %s, seed %d, %d s to settle",
                count,
                kinds,
                seed,
                settle.toSeconds());
    }
}
