package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportContract;
import java.time.Duration;

/** A shared secret takes nothing from what a transport promises. */
class SecretContractTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(200))
                .secret(SharedSecret.of(new byte[16]))
                .build());
    }
}
