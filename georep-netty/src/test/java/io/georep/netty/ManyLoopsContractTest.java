package io.georep.netty;

import io.georep.spi.Transport;
import io.georep.spi.TransportContract;
import java.time.Duration;

/** The contract once more with links on different threads. */
class ManyLoopsContractTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .eventLoopThreads(3)
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(200))
                .build());
    }
}
