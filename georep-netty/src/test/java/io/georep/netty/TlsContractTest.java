package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.Transport;
import io.georep.spi.TransportContract;
import io.netty.handler.ssl.OpenSsl;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What every transport must do, this one does over TLS as well. */
class TlsContractTest {
    private static final Authority AUTHORITY = new Authority("tests");

    /** All nodes of a test show one certificate, which names them all. */
    private static Transport transport(boolean openSsl) {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(200))
                .tls(Authority.tls(AUTHORITY.sign("georep:georep/a", "georep:georep/b", "georep:georep/c"), AUTHORITY)
                        .openSsl(openSsl)
                        .build())
                .build());
    }

    @Nested
    class WithTheJvmsOwn extends TransportContract {
        @Override
        protected Transport newTransport() {
            return transport(false);
        }
    }

    @Nested
    class WithOpenSsl extends TransportContract {
        @Override
        protected Transport newTransport() {
            return transport(true);
        }

        @Test
        void itIsOnTheClassPath() {
            assertThat(OpenSsl.isAvailable()).as("netty-tcnative").isTrue();
        }
    }
}
