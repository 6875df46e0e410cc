package io.georep.comparison;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.infinispan.Cache;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.manager.DefaultCacheManager;
import org.jspecify.annotations.Nullable;

/** Infinispan's replicated cache. The stack is its default one for TCP, with a list of members in place of multicast. */
final class InfinispanMap implements ComparedMap {
    private static final int PORT = 7800;

    private final Place place;
    private final DefaultCacheManager manager;
    private final Cache<String, byte[]> cache;

    InfinispanMap(Place place) throws IOException {
        this.place = place;
        System.setProperty("jgroups.bind.address", place.host());
        System.setProperty("jgroups.bind.port", Integer.toString(PORT));
        System.setProperty("jgroups.port_range", "0");
        String members = IntStream.range(0, place.nodes())
                .mapToObj(node -> place.hosts().get(node) + "[" + PORT + "]")
                .collect(Collectors.joining(","));
        manager = new DefaultCacheManager(
                new ByteArrayInputStream(configuration(place.name(), members).getBytes(StandardCharsets.UTF_8)));
        cache = manager.getCache("bench");
    }

    private static String configuration(String name, String members) {
        return """
                <infinispan xmlns="urn:infinispan:config:16.1">
                  <jgroups>
                    <stack name="listed" extends="tcp">
                      <TCPPING xmlns="urn:org:jgroups" initial_hosts="%s" port_range="0"
                               stack.combine="REPLACE" stack.position="MPING"/>
                    </stack>
                  </jgroups>
                  <cache-container default-cache="bench" shutdown-hook="DONT_REGISTER">
                    <transport stack="listed" cluster="comparison" node-name="%s"/>
                    <replicated-cache name="bench" mode="SYNC">
                      <partition-handling when-split="DENY_READ_WRITES"/>
                    </replicated-cache>
                  </cache-container>
                </infinispan>
                """.formatted(members, name);
    }

    @Override
    public boolean ready() {
        LocalizedCacheTopology topology =
                cache.getAdvancedCache().getDistributionManager().getCacheTopology();
        return topology.getMembers().size() == place.nodes()
                && topology.getCurrentCH().getMembers().size() == place.nodes()
                && topology.getPendingCH() == null;
    }

    @Override
    public byte @Nullable [] read(String key) {
        return cache.get(key);
    }

    @Override
    public CompletionStage<?> write(String key, byte[] value) {
        return cache.putAsync(key, value);
    }

    @Override
    public void close() throws IOException {
        manager.close();
    }
}
