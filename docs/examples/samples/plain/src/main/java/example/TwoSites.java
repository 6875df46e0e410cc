package example;

import io.georep.GeoRepNode;
import io.georep.netty.NettyTransportFactory;
import io.georep.netty.SharedSecret;
import io.georep.outbox.Outbox;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Two nodes that meet over TCP, each with a disk; one sends with a copy on the other. */
public final class TwoSites {
    private TwoSites() {}

    private static GeoRepNode start(String id, Path directory, List<String> seeds) {
        return GeoRepNode.builder()
                .nodeId(id)
                .site("site-" + id)
                .listen("127.0.0.1", 0)
                .seeds(seeds)
                .transport(new NettyTransportFactory(
                        links -> links.secret(SharedSecret.of("known to both, and long enough".getBytes(StandardCharsets.UTF_8)))))
                .dataDir(directory.resolve(id))
                .start();
    }

    /**
     * Sends one message and returns what was forwarded.
     *
     * @throws Exception when it was not acknowledged or not forwarded
     */
    public static String send(Path directory, String message) throws Exception {
        try (GeoRepNode ams = start("ams-1", directory, List.of());
                GeoRepNode nyc = start("nyc-1", directory, List.of(ams.identity().address()))) {
            BlockingQueue<String> forwarded = new LinkedBlockingQueue<>();
            Outbox<String> outbox = ams.outbox("sms", String.class, options -> options.f(1));
            nyc.outbox("sms", String.class, options -> options.f(1));
            outbox.forward(delivery -> forwarded.add(delivery.payload()));
            if (!ams.awaitReady(1, Duration.ofSeconds(30))) {
                throw new IllegalStateException("the nodes have not met");
            }
            outbox.sendAndWait(message, Duration.ofSeconds(20));
            return forwarded.poll(20, TimeUnit.SECONDS);
        }
    }
}
