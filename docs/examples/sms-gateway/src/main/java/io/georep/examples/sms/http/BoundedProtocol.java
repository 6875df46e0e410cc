package io.georep.examples.sms.http;

import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 that asks {@link Connections} about each new connection, and drops no unread bodies. Tomcat creates it by name.
 */
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

    /**
     * Some requests, such as {@code TRACE} or a path below {@code /WEB-INF}, never reach {@link HttpDoor}: Tomcat answers them.
     * It would then read the body on a request thread, as slowly as the client sends it. This closes the connection instead.
     */
    private record Answering(Adapter tomcat) implements Adapter {
        @Override
        public void service(Request request, Response response) throws Exception {
            tomcat.service(request, response);
            AtomicBoolean goesOn = new AtomicBoolean();
            request.action(ActionCode.ASYNC_IS_ASYNC, goesOn);
            if (!goesOn.get()) {
                response.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
            }
        }

        @Override
        public boolean prepare(Request request, Response response) throws Exception {
            return tomcat.prepare(request, response);
        }

        @Override
        public boolean asyncDispatch(Request request, Response response, SocketEvent status) throws Exception {
            return tomcat.asyncDispatch(request, response, status);
        }

        @Override
        public void log(Request request, Response response, long nanos) {
            tomcat.log(request, response, nanos);
        }

        @Override
        public void checkRecycled(Request request, Response response) {
            tomcat.checkRecycled(request, response);
        }

        @Override
        public String getDomain() {
            return tomcat.getDomain();
        }
    }

    /** Takes every connection until {@link Connections} are set. */
    public BoundedProtocol() {
        super(new Endpoint());
    }

    @Override
    public void setAdapter(Adapter adapter) {
        super.setAdapter(new Answering(adapter));
    }

    void connections(Connections asked) {
        ((Endpoint) getEndpoint()).asked = asked;
    }
}
