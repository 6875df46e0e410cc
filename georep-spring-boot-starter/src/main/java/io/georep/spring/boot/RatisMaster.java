package io.georep.spring.boot;

import io.georep.funnel.ViewMaster;
import io.georep.funnel.ratis.RatisSettings;
import io.georep.funnel.ratis.RatisTls;
import io.georep.funnel.ratis.RatisViewMaster;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.netty.MutualTls;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The master of views on Apache Ratis that the properties describe. It is checked together with the node. */
final class RatisMaster implements ViewMaster.Factory {
    private static final String PREFIX = "georep.maps.master.";

    /** What must be on the class path, and a class of each that shows it. */
    private static final Map<String, String> JARS = jars();

    private final GeoRepProperties.MapMaster properties;
    private final String cluster;
    private final @Nullable MutualTls tls;

    /** Creates it; null for {@code tls} if links between the nodes have none either. */
    RatisMaster(GeoRepProperties.MapMaster properties, String cluster, @Nullable MutualTls tls) {
        this.properties = properties;
        this.cluster = cluster;
        this.tls = tls;
    }

    private static Map<String, String> jars() {
        Map<String, String> jars = new LinkedHashMap<>();
        jars.put("ratis-grpc", "org.apache.ratis.grpc.GrpcFactory");
        jars.put("ratis-server", "org.apache.ratis.server.impl.RaftServerImpl");
        jars.put("ratis-metrics-default", "org.apache.ratis.metrics.impl.MetricRegistriesImpl");
        return jars;
    }

    @Override
    public ViewMaster create(ViewMaster.Place place) {
        checkClassPath();
        return OnClassPath.create(this, place);
    }

    private static void checkClassPath() {
        List<String> missing = JARS.entrySet().stream()
                .filter(jar -> !ClassUtils.isPresent(jar.getValue(), null))
                .map(jar -> "org.apache.ratis:" + jar.getKey())
                .toList();
        if (!missing.isEmpty()) {
            throw new ConfigurationException(PREFIX + "peers is set, but not on the class path are "
                    + String.join(", ", missing) + ": add them to the dependencies of the application, version 3.3.0");
        }
    }

    /**
     * Looks for properties that contradict each other.
     *
     * @param used what the node is given
     * @param faults gets what is wrong
     */
    static void check(GeoRepProperties.Maps maps, ViewMaster.@Nullable Factory used, List<String> faults) {
        GeoRepProperties.MapMaster master = maps.master();
        List<String> lost = new ArrayList<>();
        if (!master.peers().isEmpty()) {
            if (maps.alone()) {
                faults.add("georep.maps.alone and " + PREFIX
                        + "peers are both set: a node that is alone asks nobody. Leave one out");
            } else if (!(used instanceof RatisMaster)) {
                faults.add(PREFIX + "peers is set, but the application has a ViewMaster.Factory of its own, which does"
                        + " not know them: leave one out");
            }
            return;
        }
        if (!master.founders().isEmpty()) {
            lost.add(PREFIX + "founders");
        }
        if (master.listen() != null) {
            lost.add(PREFIX + "listen");
        }
        if (master.directory() != null) {
            lost.add(PREFIX + "directory");
        }
        if (master.group() != null) {
            lost.add(PREFIX + "group");
        }
        if (!lost.isEmpty()) {
            faults.add(String.join(", ", lost) + " set without " + PREFIX
                    + "peers, and counts for nothing: name the 3 or 5 nodes that keep the decisions, or leave it out");
        }
    }

    /** A class of its own, because without Ratis it could not be loaded. */
    private static final class OnClassPath {
        static ViewMaster create(RatisMaster master, ViewMaster.Place place) {
            return RatisViewMaster.over(settings(master)).create(place);
        }

        private static RatisSettings settings(RatisMaster master) {
            GeoRepProperties.MapMaster properties = master.properties;
            MutualTls tls = master.tls;
            return new RatisSettings(
                    properties.peers().stream().map(OnClassPath::peer).toList(),
                    properties.founders().stream().map(NodeId::of).toList(),
                    properties.membersMin(),
                    properties.portOffset(),
                    properties.group() == null ? master.cluster : properties.group(),
                    properties.directory(),
                    properties.listen(),
                    tls == null ? null : tls(tls, master.cluster),
                    properties.openToAnyoneWhoReachesThePort());
        }

        private static RatisSettings.Peer peer(String text) {
            try {
                return RatisSettings.Peer.parse(text);
            } catch (ConfigurationException e) {
                throw new ConfigurationException(PREFIX + "peers: " + e.getMessage(), e);
            }
        }

        private static RatisTls tls(MutualTls tls, String cluster) {
            return RatisTls.managers(
                    tls::keys, tls::trusted, (X509Certificate certificate) -> tls.isFullNode(certificate, cluster));
        }
    }
}
