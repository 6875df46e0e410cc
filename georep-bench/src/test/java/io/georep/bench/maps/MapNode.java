package io.georep.bench.maps;

import io.georep.GeoRepNode;
import io.georep.bench.process.Program;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.model.NodeId;
import io.georep.spi.PayloadCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A node with replicated maps as a process of its own, and its clients. It ends when a certain file appears. */
@Command(name = "MapNode")
final class MapNode implements Callable<Integer> {
    private static final int CLIENTS = 3;

    @Mixin
    private final NodeOptions options = new NodeOptions();

    @Option(names = "--keepers", required = true, split = ",")
    private List<String> keepers = List.of();

    @Option(names = "--founders", required = true, split = ",")
    private List<String> founders = List.of();

    @Option(names = "--history", required = true)
    private Path history = Path.of("");

    private volatile boolean stopped;

    private MapNode() {}

    /** Options: see {@link MapCluster}, which starts it. */
    public static void main(String[] args) {
        Program.run(new MapNode(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        ViewGroup group = ViewGroup.of(keepers.toArray(String[]::new))
                .founders(founders.stream().map(NodeId::of).toList());
        GeoRepNode node = options.builder()
                .replicatedMaps(FunnelSettings.defaults(), ViewMaster.Factory.keptBy(group))
                .start();
        try (node;
                HistoryFile notes = new HistoryFile(history)) {
            ReplicatedMap<String, String> map =
                    node.service(ReplicatedMaps.class).map("routes", PayloadCodec.string(), PayloadCodec.string());
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String client = options.name() + '.' + ProcessHandle.current().pid() + '.' + i;
                MapClient task = new MapClient(map, notes, client, new Random().nextLong(), () -> stopped);
                clients.add(new Thread(task, "client-" + i));
            }
            clients.forEach(Thread::start);
            options.awaitStop();
            stopped = true;
            for (Thread each : clients) {
                each.join();
            }
        }
        return 0;
    }
}
