package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.ProtocolModule;
import io.georep.protocol.local.TurnSource;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.StoreCloser;
import io.georep.runtime.StoreOpener;
import io.georep.runtime.StoreWatch;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreFactory;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Puts the parts of a node together. */
final class NodeAssembly {
    private NodeAssembly() {}

    static GeoRepNode start(NodeSettings settings) {
        StoreFactory factory = storeFactory(settings);
        StoreFactory.Settings wanted = new StoreFactory.Settings(
                settings.cluster(), settings.nodeId(), settings.dataDir(), settings.durability());
        String owner = "georep-" + settings.nodeId();
        long begunNanos = settings.ticker().nanos();
        EntryStore store = StoreOpener.open(() -> factory.open(wanted), owner, settings.startTimeout());
        try {
            Duration left = settings.startTimeout().minusNanos(settings.ticker().nanos() - begunNanos);
            return start(settings, store, left);
        } catch (Throwable e) {
            // The caller waits for the error, which may be that the disk does not answer.
            StoreCloser.close(store, owner, settings.closeTimeout());
            throw e;
        }
    }

    private static GeoRepNode start(NodeSettings settings, EntryStore store, Duration patience) {
        String name = settings.nodeId().value();
        ChangeLog changes = new ChangeLog(name);
        Transport transport = transport(settings);
        EventRouter router = new EventRouter(name, changes, settings.ticker());
        NodeDriver driver =
                new NodeDriver("georep-" + name + "-driver", settings.closeTimeout(), settings.ticker(), router);
        router.fail = driver::fail;
        NodeShutdown shutdown = new NodeShutdown(settings, driver, router);
        MembershipProtocol membership = new Membership(settings.protocol(), localNode(settings));
        List<HostedProtocol<?>> protocols = new ArrayList<>();
        Map<Integer, TurnSource<?>> sources = new TreeMap<>();
        Map<Class<?>, LocalSide<?, ?, ?>> services = new LinkedHashMap<>();
        for (ProtocolModule<?, ?, ?> module : settings.modules()) {
            SideThread thread = router.add(module.id());
            ProtocolModule.Parts<?, ?, ?> parts = module.start(
                    settings.place(),
                    membership,
                    new ChannelHandle<>(
                            settings, module.id().channel(), driver, thread, router::onApplicationThread, shutdown));
            requireSame(module.id(), parts.protocol().id());
            protocols.add(parts.protocol());
            LocalSide<?, ?, ?> side = parts.local();
            TurnSource<?> source = side.source();
            if (source != null) {
                sources.put(module.id().channel(), source);
            }
            thread.attach(side);
            services.put(module.serviceType(), side);
        }
        protocols.add(new PeerInspection(membership, settings.copiesChannel()));
        NodeLoop loop = new NodeLoop(
                store,
                StoreWatch.Limits.of(settings.protocol()),
                transport,
                settings.ticker(),
                new SplittableRandom(),
                membership,
                protocols,
                router);
        router.start();
        driver.start(
                new NodeDriver.Parts(loop, membership, store, transport, sources), Math.max(1, patience.toMillis()));
        GeoRepNode node = new RunningNode(
                settings,
                membership.self(),
                driver,
                router,
                services,
                shutdown,
                loop.wireCounts(),
                transport::distrusted);
        changes.started(node.identity());
        return node;
    }

    private static void requireSame(ProtocolId module, ProtocolId protocol) {
        if (!protocol.equals(module)) {
            throw new ConfigurationException("a module is of " + module + ", the protocol that it makes is of "
                    + protocol + ": let both say the same");
        }
    }

    private static LocalNode localNode(NodeSettings settings) {
        String advertise = settings.advertise();
        String host = settings.host();
        String address = advertise != null
                ? advertise
                : host == null ? LoneTransport.ADDRESS : DialableHost.of(host) + ":" + settings.port();
        return new LocalNode(settings.nodeId(), address, settings.site(), settings.seeds());
    }

    private static StoreFactory storeFactory(NodeSettings settings) {
        StoreFactory given = settings.store();
        return given == null ? wanted -> DefaultStores.open(wanted, settings.encryption()) : given;
    }

    private static Transport transport(NodeSettings settings) {
        String host = settings.host();
        if (host == null) {
            return new LoneTransport();
        }
        int frameBytesMax = Transports.frameBytesMax(settings.protocol(), settings.modules());
        return Transports.factory(settings.transport())
                .create(new TransportFactory.Settings(
                        settings.cluster(),
                        settings.nodeId(),
                        host,
                        settings.port(),
                        settings.advertise(),
                        frameBytesMax));
    }
}
