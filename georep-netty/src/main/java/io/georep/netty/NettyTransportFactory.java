package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import java.util.function.Consumer;

/** Makes {@link NettyTransport}s with default settings for nodes that find this module on the class path. */
public final class NettyTransportFactory implements TransportFactory {
    private final Consumer<NettyTransportConfig.Builder> more;

    /** For {@link java.util.ServiceLoader}. */
    public NettyTransportFactory() {
        this(config -> {});
    }

    /**
     * Creates a factory for transports with some settings of the caller's, for {@code NodeBuilder.transport}.
     *
     * @param more is given the settings that follow from those of the node, and changes what it wants
     */
    public NettyTransportFactory(Consumer<NettyTransportConfig.Builder> more) {
        this.more = more;
    }

    @Override
    public Transport create(Settings settings) {
        String host = settings.host();
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        NettyTransportConfig.Builder config = NettyTransportConfig.builder()
                .cluster(settings.cluster())
                .bindAddress((bareIpv6 ? "[" + host + "]" : host) + ":" + settings.port())
                .frameBytesMax(settings.frameBytesMax());
        more.accept(config);
        return new NettyTransport(config.build());
    }
}
