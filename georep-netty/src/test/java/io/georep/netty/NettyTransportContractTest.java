package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportContract;
import java.time.Duration;

class NettyTransportContractTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(200))
                .build());
    }
}
