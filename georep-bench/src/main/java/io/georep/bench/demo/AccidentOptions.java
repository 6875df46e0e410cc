package io.georep.bench.demo;

import io.georep.bench.process.Arguments;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    private static final String ALL =
            Stream.of(AccidentKind.values()).map(kind -> kind.name()).collect(Collectors.joining(","));

    static AccidentOptions of(Arguments arguments) {
        int count = arguments.count("accidents", 0, 0, 10_000);
        List<AccidentKind> kinds = arguments.choices("accidents.kinds", AccidentKind.class, ALL);
        Set<AccidentKind> chosen = EnumSet.noneOf(AccidentKind.class);
        chosen.addAll(kinds);
        return new AccidentOptions(
                count,
                chosen,
                arguments.count("seed", 1, 0, Integer.MAX_VALUE),
                Duration.ofSeconds(arguments.count("calm.seconds", 0, 0, 3600)),
                Duration.ofSeconds(arguments.count("settle.seconds", 2, 0, 3600)));
    }

    /** Whether accidents of this kind are to happen. */
    boolean wants(AccidentKind kind) {
        return count > 0 && kinds.contains(kind);
    }

    /** Whether any of them happens in the network. */
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
