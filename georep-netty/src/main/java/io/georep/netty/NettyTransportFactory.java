package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import java.util.function.Consumer;

/** Makes {@link NettyTransport}s. Nodes that find this module on the class path use one with default settings. */
public final class NettyTransportFactory implements TransportFactory {
    private final Consumer<NettyTransportConfig.Builder> more;

    /** For {@link java.util.ServiceLoader}. */
    public NettyTransportFactory() {
        this(config -> {});
    }

    /**
     * Creates a factory for transports with some settings of the caller's, for {@code NodeBuilder.transport}.
     *
     * @param more is given the settings that follow from those of the node, and changes what it wants; called for each check
     *     and each transport
     */
    public NettyTransportFactory(Consumer<NettyTransportConfig.Builder> more) {
        this.more = more;
    }

    @Override
    public void check(Settings settings) {
        config(settings).requireProtection(bindAddress(settings));
    }

    @Override
    public Transport create(Settings settings) {
        return new NettyTransport(config(settings));
    }

    private NettyTransportConfig config(Settings settings) {
        NettyTransportConfig.Builder builder = NettyTransportConfig.builder()
                .cluster(settings.cluster())
                .bindAddress(bindAddress(settings))
                .frameBytesMax(settings.frameBytesMax());
        more.accept(builder);
        return builder.build();
    }

    private static String bindAddress(Settings settings) {
        String host = settings.host();
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        return (bareIpv6 ? "[" + host + "]" : host) + ":" + settings.port();
    }
}
