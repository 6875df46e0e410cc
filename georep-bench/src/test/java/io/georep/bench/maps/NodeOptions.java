package io.georep.bench.maps;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.netty.NettyTransportFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** What {@link MapCluster} tells each of its processes. */
final class NodeOptions {
    private static final long LOOK_MILLIS = 50;

    @Option(names = "--name", required = true)
    private String name = "";

    @Option(names = "--data", required = true)
    private Path data = Path.of("");

    @Option(names = "--port", required = true)
    private int port;

    @Option(names = "--advertise", required = true)
    private String advertise = "";

    @Option(names = "--seeds", required = true, split = ",")
    private List<String> seeds = List.of();

    @Option(names = "--stop", required = true)
    private Path stop = Path.of("");

    String name() {
        return name;
    }

    NodeBuilder builder() {
        return GeoRepNode.builder()
                .nodeId(name)
                .site("site-" + name)
                .cluster("georep-maps")
                .listen("127.0.0.1", port)
                .advertise(advertise)
                .seeds(seeds)
                .dataDir(data)
                .transport(new NettyTransportFactory());
    }

    /** Returns when the file appears that ends all processes. */
    void awaitStop() throws InterruptedException {
        while (!Files.exists(stop)) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
