package io.georep.examples.sms.http;

import java.nio.channels.SocketChannel;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 that asks {@link Connections} about each new connection. Tomcat makes it by its name. */
public final class BoundedProtocol extends Http11NioProtocol {
    private static final class Endpoint extends NioEndpoint {
        private volatile @Nullable Connections asked;

        @Override
        protected boolean setSocketOptions(SocketChannel socket) {
            Connections current = asked;
            // False makes the caller close the connection.
            return (current == null || current.accept(socket)) && super.setSocketOptions(socket);
        }
    }

    /** Asks nobody yet. */
    public BoundedProtocol() {
        super(new Endpoint());
    }

    void connections(Connections asked) {
        ((Endpoint) getEndpoint()).asked = asked;
    }
}
