package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;

/** Makes {@link NettyTransport}s with default settings for nodes that find this module on the class path. */
public final class NettyTransportFactory implements TransportFactory {
    /** For {@link java.util.ServiceLoader}. */
    public NettyTransportFactory() {}

    @Override
    public Transport create(Settings settings) {
        String host = settings.host();
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        return new NettyTransport(NettyTransportConfig.builder()
                .cluster(settings.cluster())
                .bindAddress((bareIpv6 ? "[" + host + "]" : host) + ":" + settings.port())
                .frameBytesMax(settings.frameBytesMax())
                .build());
    }
}
