package io.georep.examples.fleet;

import io.georep.GeoRepNode;
import io.georep.flagons.FleetChange;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMapSettings;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.spi.PayloadCodec;
import io.georep.spi.TransportFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A till box: a node of the fleet that knows the prices, and asks for cards. */
final class Till {
    /** What a check of a card has told. */
    enum Card {
        GOOD,
        BLOCKED,
        UNSURE
    }

    private static final FleetOptions CHECK = FleetOptions.ANY.within(Duration.ofSeconds(3));

    final GeoRepNode node;
    final FleetMap<String, String> prices;
    final FleetMap<String, String> cards;
    private final Map<String, FleetChange<String, String>> known = new ConcurrentHashMap<>();
    private final AtomicInteger backwards = new AtomicInteger();

    private Till(GeoRepNode node, List<String> articles) {
        this.node = node;
        FleetMaps maps = node.service(FleetMaps.class);
        prices = maps.map("prices", PayloadCodec.string(), PayloadCodec.string());
        cards = maps.map("blocked-cards", PayloadCodec.string(), PayloadCodec.string());
        articles.forEach(article -> prices.watch(article, this::priced));
    }

    /** Starts a till. All that it needs is an address and a few others; over a real network also a secret. */
    static Till start(TransportFactory network, int port, FleetMapSettings settings, List<String> articles) {
        GeoRepNode node = GeoRepNode.fleetNode(settings)
                .listen("till", port)
                .transport(network)
                .closeTimeout(Duration.ofMillis(500))
                .start();
        return new Till(node, articles);
    }

    private void priced(FleetChange<String, String> change) {
        FleetChange<String, String> before = known.put(change.key(), change);
        if (before != null && !change.corrected() && before.version().compareTo(change.version()) > 0) {
            backwards.incrementAndGet();
        }
    }

    /** Returns the price as this till knows it; null if it knows none. Does not wait. */
    @Nullable
    String price(String article) {
        FleetChange<String, String> last = known.get(article);
        return last == null ? null : last.value();
    }

    /** Looks whether a card is blocked. */
    CompletionStage<Card> check(String card) {
        return cards.get(card, CHECK)
                .thenApply(found -> !found.isSure() ? Card.UNSURE : found.value() == null ? Card.GOOD : Card.BLOCKED);
    }

    boolean isComplete() {
        return node.service(FleetMaps.class)
                .readStatistics()
                .toCompletableFuture()
                .join()
                .complete();
    }

    /** Returns how often a price was told that is older than the one before, without a word of it. */
    int backwards() {
        return backwards.get();
    }
}
