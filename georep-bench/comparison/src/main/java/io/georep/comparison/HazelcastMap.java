package io.georep.comparison;

import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Hazelcast's map in the open edition. */
final class HazelcastMap implements ComparedMap {
    private static final int PORT = 7600;

    private final Place place;
    private final HazelcastInstance instance;
    private final IMap<String, byte[]> map;

    HazelcastMap(Place place, boolean backupReads) {
        this.place = place;
        // An address that no interface lists, as 127.0.0.12 is, can be given only here.
        System.setProperty("hazelcast.local.localAddress", place.host());
        System.setProperty("hazelcast.local.publicAddress", place.host());
        instance = Hazelcast.newHazelcastInstance(config(place, backupReads));
        map = instance.getMap("bench");
    }

    static Config config(Place place, boolean backupReads) {
        Config config = new Config(place.name()).setClusterName("comparison");
        network(
                config,
                PORT,
                IntStream.range(0, place.nodes())
                        .mapToObj(each -> place.address(each, PORT))
                        .toList());
        return config.addMapConfig(
                new MapConfig("bench").setBackupCount(place.nodes() - 1).setReadBackupData(backupReads));
    }

    /** These addresses and no others. */
    static void network(Config config, int port, List<String> addresses) {
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.socket.bind.any", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        config.setProperty("hazelcast.logging.type", "slf4j");
        NetworkConfig network = config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getTcpIpConfig().setEnabled(true).setMembers(addresses);
    }

    HazelcastInstance instance() {
        return instance;
    }

    @Override
    public boolean ready() {
        return instance.getCluster().getMembers().size() == place.nodes()
                && instance.getPartitionService().isClusterSafe();
    }

    @Override
    public byte @Nullable [] read(String key) {
        return map.get(key);
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value) {
        return map.setAsync(key, value);
    }

    @Override
    public void close() {
        instance.getLifecycleService().terminate();
    }
}
