package io.georep.examples.sms.smpp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jsmpp.PDUStringException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindRequest;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.connection.socket.SocketConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port that SMPP clients bind to as transmitters or transceivers. Used by the gateway for its clients, and by the operator
 * simulator for the gateways. Thread-safe.
 */
public final class SmppListener implements AutoCloseable {
    /**
     * How it behaves.
     *
     * @param port TCP port, 0 for any free one
     * @param systemId name clients bind with, and its own name
     * @param password password clients bind with
     * @param sessionsMax most connections at a time, bound or not
     * @param window most submits of one session that wait for their answer; more are throttled
     * @param bindTimeout longest time between connecting and binding
     * @param enquireLink silence after which a client is asked whether it lives
     */
    public record Settings(
            int port,
            String systemId,
            String password,
            int sessionsMax,
            int window,
            Duration bindTimeout,
            Duration enquireLink) {}

    /** One client. */
    private record Client(SMPPServerSession session, DeferredResponses responses, CountDownLatch ended) {}

    private static final Logger LOG = LoggerFactory.getLogger(SmppListener.class);
    private static final long POLL_NANOS = 5_000_000;

    private final Settings settings;
    private final SubmitHandler handler;
    private final Executor executor;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
    private final ServerSocket socket;
    private volatile boolean closed;

    private SmppListener(Settings settings, SubmitHandler handler, Executor executor, ServerSocket socket) {
        this.settings = settings;
        this.handler = handler;
        this.executor = executor;
        this.socket = socket;
    }

    /**
     * Listens from now on.
     *
     * @param executor runs tasks that block: one while listening, and up to two per session
     * @throws UncheckedIOException when the port is taken
     */
    public static SmppListener open(Settings settings, SubmitHandler handler, Executor executor) {
        try {
            SmppListener listener =
                    new SmppListener(settings, handler, executor, new ServerSocket(settings.port()));
            executor.execute(listener::accept);
            return listener;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot listen on port " + settings.port() + ": choose another one, or stop who has it", e);
        }
    }

    /** The port in use. */
    public int port() {
        return socket.getLocalPort();
    }

    /** Connections now, bound or not. */
    public int sessions() {
        return clients.size();
    }

    /** Ends all sessions without a word, as a broken network would. */
    public void dropSessions() {
        clients.forEach(client -> client.session().close());
    }

    /**
     * Takes no further connections and waits until submits under way are answered, then unbinds all sessions.
     *
     * @param atMost how long to wait
     */
    public void close(Duration atMost) {
        closed = true;
        closeSocket();
        long deadline = System.nanoTime() + atMost.toNanos();
        while (open() > 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        for (Client client : clients) {
            executor.execute(() -> client.session().unbindAndClose());
        }
    }

    /** Takes no further connections and ends all sessions. */
    @Override
    public void close() {
        closed = true;
        closeSocket();
        dropSessions();
    }

    private int open() {
        return clients.stream().mapToInt(client -> client.responses().open()).sum();
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.warn("Closing port {}: {}", port(), e.getMessage());
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket connection = socket.accept();
                if (clients.size() >= settings.sessionsMax()) {
                    LOG.warn("Refused a connection from {}: {} are open", connection.getInetAddress(), clients.size());
                    connection.close();
                } else {
                    connection.setTcpNoDelay(true);
                    begin(connection);
                }
            } catch (IOException e) {
                if (!closed) {
                    LOG.warn("Accepting on port {}: {}", port(), e.getMessage());
                }
            }
        }
    }

    private void begin(Socket connection) throws IOException {
        DeferredResponses responses = new DeferredResponses(executor, settings.window());
        SocketConnection wrapped = new SocketConnection(connection);
        wrapped.setSoTimeout((int) settings.bindTimeout().toMillis());
        SMPPServerSession session = new SMPPServerSession(
                wrapped,
                (state, before, source) -> {},
                new SubmitReceiver(handler, responses),
                null,
                1,
                settings.window(),
                responses,
                new CarefulPduReader());
        session.setEnquireLinkTimer((int) settings.enquireLink().toMillis());
        Client client = new Client(session, responses, new CountDownLatch(1));
        clients.add(client);
        session.addSessionStateListener((state, before, source) -> {
            if (state == SessionState.CLOSED) {
                clients.remove(client);
                client.ended().countDown();
                LOG.info("SMPP session {} ended, {} left", session.getSessionId(), clients.size());
            }
        });
        executor.execute(() -> bind(client));
    }

    private void bind(Client client) {
        SMPPServerSession session = client.session();
        try {
            BindRequest request = session.waitForBind(settings.bindTimeout().toMillis());
            Integer refusal = refusal(request);
            if (refusal == null) {
                request.accept(settings.systemId(), InterfaceVersion.IF_34);
                LOG.info(
                        "SMPP session {}: {} bound from {}",
                        session.getSessionId(),
                        request.getSystemId(),
                        session.getInetAddress());
            } else {
                LOG.info("SMPP bind from {} refused with status {}", session.getInetAddress(), refusal);
                request.reject(refusal);
                // Clients may lose the answer when the connection ends at the same moment: theirs is the first move.
                if (!client.ended().await(settings.bindTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
                    session.close();
                }
            }
        } catch (TimeoutException e) {
            LOG.info("No bind from {} within {}", session.getInetAddress(), settings.bindTimeout());
        } catch (IOException | PDUStringException | IllegalStateException e) {
            LOG.info("A client went away while it was binding: {}", e.getMessage());
            session.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            session.close();
        }
    }

    private @Nullable Integer refusal(BindRequest request) {
        if (request.getBindType() == BindType.BIND_RX) {
            return SMPPConstant.STAT_ESME_RBINDFAIL;
        }
        if (!same(settings.systemId(), request.getSystemId())) {
            return SMPPConstant.STAT_ESME_RINVSYSID;
        }
        return same(settings.password(), request.getPassword()) ? null : SMPPConstant.STAT_ESME_RINVPASWD;
    }

    /** Takes the same time wherever the texts differ. */
    private static boolean same(String wanted, @Nullable String given) {
        return given != null
                && MessageDigest.isEqual(
                        wanted.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
