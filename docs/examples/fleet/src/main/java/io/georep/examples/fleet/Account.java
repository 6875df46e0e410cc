package io.georep.examples.fleet;

import io.georep.flagons.FleetPlace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the office was told, and what tills have answered. Thread-safe. */
final class Account {
    /** A till may return an older answer for this long. */
    private static final long SETTLED_NANOS = 5_000_000_000L;

    final AtomicInteger priceChanges = new AtomicInteger();
    final AtomicInteger unknown = new AtomicInteger();
    final AtomicInteger checks = new AtomicInteger();
    final AtomicInteger unsure = new AtomicInteger();
    final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());

    /** When the office was told that they are blocked. */
    private final Map<String, Long> blocked = new ConcurrentHashMap<>();

    private record Price(FleetPlace place, String text) {}

    private final Map<String, Price> prices = new ConcurrentHashMap<>();

    /** Takes a change of a price. The later one is that with the greater place, in whatever order they are answered. */
    void priced(String article, FleetPlace place, String text) {
        priceChanges.incrementAndGet();
        prices.merge(article, new Price(place, text), (a, b) -> a.place.compareTo(b.place) > 0 ? a : b);
    }

    /** Returns whether somebody knows the last price of each article. */
    boolean areLast(UnaryOperator<@Nullable String> priceOf) {
        return prices.entrySet().stream().allMatch(each -> each.getValue().text.equals(priceOf.apply(each.getKey())));
    }

    void blocked(String card) {
        blocked.put(card, System.nanoTime());
    }

    List<String> blockedCards() {
        return List.copyOf(blocked.keySet());
    }

    /** Takes the answer of a till to a check that began at some time; cards that nobody blocks begin with G. */
    void checked(String till, String card, Till.Card answer, long begunNanos) {
        checks.incrementAndGet();
        millis.add((System.nanoTime() - begunNanos) / 1e6);
        Long since = blocked.get(card);
        if (answer == Till.Card.UNSURE) {
            unsure.incrementAndGet();
        } else if (answer == Till.Card.BLOCKED && card.startsWith("G")) {
            wrong.add(till + " takes the good card " + card + " for a blocked one");
        } else if (answer == Till.Card.GOOD && since != null && begunNanos - since > SETTLED_NANOS) {
            wrong.add(till + " takes the card " + card + ", which was blocked before");
        }
    }

    double percentile(double share) {
        List<Double> sorted = new ArrayList<>(millis);
        Collections.sort(sorted);
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1L, (long) (share * sorted.size())));
    }
}
