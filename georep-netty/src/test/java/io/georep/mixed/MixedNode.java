package io.georep.mixed;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.NodeStatistics;
import io.georep.model.Durability;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A member on TCP and RocksDB, of the version whose classes it is loaded with. {@code .ci/freeze} puts it into the jar of
 * its version, so it may use all of that version.
 */
final class MixedNode implements Member {
    private static final SharedSecret SECRET =
            SharedSecret.of("the secret of the mixed cluster".getBytes(StandardCharsets.UTF_8));

    private final GeoRepNode node;
    private final Outbox<String> outbox;
    private final Collection<String> forwarded = new ConcurrentLinkedQueue<>();

    /** Starts members; loaded by name. */
    public static final class Start implements Function<Map<String, Object>, Object> {
        /** For whoever loads it. */
        public Start() {}

        @Override
        public Object apply(Map<String, Object> settings) {
            return new MixedNode(settings);
        }
    }

    @SuppressWarnings("unchecked")
    private MixedNode(Map<String, Object> settings) {
        String id = (String) settings.get("id");
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(id)
                .site("site-" + id)
                .listen("127.0.0.1", (Integer) settings.get("port"))
                .seeds((List<String>) settings.get("seeds"))
                .transport(new NettyTransportFactory(links -> links.secret(SECRET)))
                .durability(Durability.OS)
                .protocol(LocalCluster.quick())
                .dataDir((Path) settings.get("directory"));
        UnaryOperator<Object> more = (UnaryOperator<Object>) settings.get("more");
        node = ((NodeBuilder) more.apply(builder)).start();
        outbox = node.outbox("mail", String.class, options -> options.f(1));
        outbox.forward((Delivery<String> delivery) -> forwarded.add(delivery.payload()));
        if (Boolean.TRUE.equals(settings.get("paused"))) {
            outbox.pause();
        }
    }

    @Override
    public String address() {
        return node.identity().address();
    }

    @Override
    public boolean ready(int f) {
        return node.ready(f);
    }

    @Override
    public CompletionStage<Void> send(String payload) {
        return outbox.send(payload).thenAccept(id -> {});
    }

    @Override
    public void pause() {
        outbox.pause();
    }

    @Override
    public void resume() {
        outbox.resume();
    }

    @Override
    public Collection<String> forwarded() {
        return forwarded;
    }

    @Override
    public long figure(String name) {
        NodeStatistics statistics = node.statistics();
        OutboxActivity activity = statistics.of(OutboxActivity.class);
        return switch (name) {
            case "held" ->
                activity.protocol().held().values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
            case "copies" -> activity.protocol().copies();
            case "adopted" -> activity.protocol().adopted();
            case "refused" -> statistics.framesRefused();
            case "ignored" -> statistics.messagesIgnored();
            case "withheld" -> statistics.messagesWithheld();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    public void leave(Duration expectedAway) {
        node.close(expectedAway);
    }

    @Override
    public void halt() {
        node.halt();
    }

    @Override
    public Object node() {
        return node;
    }
}
