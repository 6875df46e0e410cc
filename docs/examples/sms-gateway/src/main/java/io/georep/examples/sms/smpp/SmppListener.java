package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Printable;
import io.georep.examples.sms.RareLog;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.Strangers;
import io.georep.examples.sms.TooManyGuessesException;
import io.georep.funnel.MapUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jsmpp.DefaultPDUSender;
import org.jsmpp.SMPPConstant;
import org.jsmpp.SynchronizedPDUSender;
import org.jsmpp.bean.InterfaceVersion;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindRequest;
import org.jsmpp.session.SMPPServerSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port that SMPP clients bind to. Used by the gateway for its clients, and by the operator
 * simulator for the gateways. Thread-safe.
 */
public final class SmppListener implements AutoCloseable {
    /**
     * How it behaves.
     *
     * @param host name or address of the interface to listen on
     * @param port TCP port, 0 for any free one
     * @param systemId its own name
     * @param sessionsMax most bound sessions at a time
     * @param unboundMax most connections that are not bound yet; one of them gives way to a new one
     * @param unboundPerAddressMax the same for the connections of one address
     * @param window most submits of one session that wait for their answer; more are throttled
     * @param bindTimeout longest time between connecting and binding
     * @param enquireLink silence after which a client is asked whether it lives, and longest time it may read nothing of what it
     *     is sent
     * @param deliverWithin longest time a client may take for the answer to a deliver_sm
     */
    public record Settings(
            String host,
            int port,
            String systemId,
            int sessionsMax,
            int unboundMax,
            int unboundPerAddressMax,
            int window,
            Duration bindTimeout,
            Duration enquireLink,
            Duration deliverWithin) {}

    private static final Logger LOG = LoggerFactory.getLogger(SmppListener.class);
    private static final Duration STRANGERS_LOG = Duration.ofSeconds(10);

    /** So many lines about sessions are logged in a while: a client may bind again and again. */
    private static final int SESSIONS_LOGGED = 20;

    private static final int BACKLOG = 128;
    private static final long SWEEP_NANOS = 1_000_000_000;
    private static final long POLL_NANOS = 5_000_000;

    /** Pause after a failed accept: most often no descriptor is left, and the next attempt fails as well. */
    private static final long ACCEPT_PAUSE_NANOS = 200_000_000;

    private final RareLog strangers = new RareLog(LOG, 1, STRANGERS_LOG, System::nanoTime);
    private final RareLog troubles = new RareLog(LOG, 1, STRANGERS_LOG, System::nanoTime);
    private final RareLog comings = new RareLog(LOG, SESSIONS_LOGGED, STRANGERS_LOG, System::nanoTime);
    private final Settings settings;
    private final Accounts accounts;
    private final SubmitHandler handler;
    private final Executor executor;
    private final Set<Client> clients = ConcurrentHashMap.newKeySet();
    private final Strangers<Client> unbound;
    private final AtomicInteger turn = new AtomicInteger();
    private final ServerSocket socket;
    private volatile boolean closed;

    /** Used by the accepting thread only. */
    private long swept = System.nanoTime();

    private SmppListener(
            Settings settings, Accounts accounts, SubmitHandler handler, Executor executor, ServerSocket socket) {
        this.settings = settings;
        this.accounts = accounts;
        this.handler = handler;
        this.executor = executor;
        this.socket = socket;
        unbound = new Strangers<>(settings.unboundMax(), settings.unboundPerAddressMax(), RandomGenerator.getDefault());
    }

    /**
     * Listens from now on.
     *
     * @param executor runs tasks that block: one while listening, and up to two per session
     * @throws UncheckedIOException when the port is taken
     */
    public static SmppListener open(Settings settings, Accounts accounts, SubmitHandler handler, Executor executor) {
        try {
            return open(settings, accounts, handler, executor, new ServerSocket());
        } catch (IOException e) {
            throw new UncheckedIOException("no socket: " + e.getMessage(), e);
        }
    }

    /** The same on a socket that is not bound yet. */
    static SmppListener open(
            Settings settings, Accounts accounts, SubmitHandler handler, Executor executor, ServerSocket socket) {
        try {
            socket.bind(new InetSocketAddress(settings.host(), settings.port()), BACKLOG);
            socket.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(SWEEP_NANOS));
            SmppListener listener = new SmppListener(settings, accounts, handler, executor, socket);
            executor.execute(listener::accept);
            return listener;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot listen on " + settings.host() + ":" + settings.port() + " (" + e.getMessage()
                            + "): choose another one, or stop who has it",
                    e);
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

    /** Returns whether a session of this account takes deliveries now. */
    public boolean receives(String account) {
        return clients.stream().anyMatch(client -> isOf(client, account));
    }

    /** Gives a deliver_sm to a session of this account, to each in turn, and waits for the answer. */
    public Delivered deliver(String account, Sms sms) {
        List<Client> receivers =
                clients.stream().filter(client -> isOf(client, account)).toList();
        if (receivers.isEmpty()) {
            return Delivered.LATER;
        }
        Client next = receivers.get(Math.floorMod(turn.getAndIncrement(), receivers.size()));
        return DeliverSmWriter.deliver(next.session(), sms);
    }

    private static boolean isOf(Client client, String account) {
        Account bound = client.account();
        return bound != null && bound.name().equals(account) && client.receives();
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
        return clients.stream().mapToInt(client -> client.submits().open()).sum();
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.warn("Closing port {}: {}", port(), e.getMessage());
        }
    }

    /** Nothing may end this thread, not even lack of memory: no client would get in any more. */
    private void accept() {
        while (!closed) {
            try {
                acceptOne();
                sweepWhenDue();
            } catch (Throwable e) {
                pause(e);
            }
        }
    }

    private void acceptOne() throws IOException {
        try {
            accept(socket.accept());
        } catch (SocketTimeoutException e) {
            // Nobody came; the sweep is due now and then.
        }
    }

    private void pause(Throwable cause) {
        try {
            if (!closed) {
                troubles.warn("SMPP connections are not accepted on port " + port() + ": " + cause);
                LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
            }
        } catch (Throwable e) {
            // Perhaps out of memory; the loop goes on.
        }
    }

    /** Ends sessions of clients that read nothing: they hold up threads, and receipts of others with them. */
    private void sweepWhenDue() {
        if (System.nanoTime() - swept < SWEEP_NANOS) {
            return;
        }
        swept = System.nanoTime();
        for (Client client : clients) {
            if (client.readsNothing(settings.enquireLink())) {
                troubles.warn("An SMPP client at " + client.address()
                        + " reads nothing of what it is sent: its connection is closed");
                client.cut();
            }
        }
    }

    private void accept(Socket connection) {
        try {
            connection.setTcpNoDelay(true);
            begin(connection);
        } catch (Throwable e) {
            closeQuietly(connection);
            troubles.warn("An SMPP connection cannot be served: " + e);
        }
    }

    private static void closeQuietly(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection: {}", e.getMessage());
        }
    }

    private void begin(Socket connection) throws IOException {
        WatchedConnection wrapped = new WatchedConnection(connection);
        wrapped.setSoTimeout((int) settings.bindTimeout().toMillis());
        Responses responses = new Responses(true, wrapped.getOutputStream(), executor, settings.window());
        SubmitSession submits = new SubmitSession(handler, responses);
        SMPPServerSession session = new SMPPServerSession(
                wrapped,
                (state, before, source) -> {},
                new NothingElse(),
                null,
                1,
                settings.window(),
                new SynchronizedPDUSender(new DefaultPDUSender(new AddressBytesComposer())),
                new SubmitReader(submits));
        session.setEnquireLinkTimer((int) settings.enquireLink().toMillis());
        session.setTransactionTimer(settings.deliverWithin().toMillis());
        Client client = new Client(connection, wrapped, session, submits);
        clients.add(client);
        try {
            enter(client);
        } catch (Throwable e) {
            ended(client);
            // Otherwise its thread would wait on.
            session.close();
            throw e;
        }
    }

    private void enter(Client client) {
        client.session().addSessionStateListener((state, before, source) -> {
            if (state == SessionState.CLOSED) {
                ended(client);
            }
        });
        Client displaced = unbound.add(client, client.address());
        if (displaced != null) {
            strangers.info("Too many SMPP connections do not bind: closed one from " + displaced.address());
            displaced.cut();
        }
        executor.execute(() -> client.binding(() -> bind(client)));
    }

    private void ended(Client client) {
        clients.remove(client);
        unbound.remove(client);
        client.ended();
        Account account = client.account();
        if (account != null) {
            comings.info("SMPP session " + client.session().getSessionId() + " of " + account + " ended");
        }
    }

    private void bind(Client client) {
        SMPPServerSession session = client.session();
        try {
            BindRequest request = session.waitForBind(settings.bindTimeout().toMillis());
            int status = status(client, request);
            if (status == SMPPConstant.STAT_ESME_ROK) {
                unbound.remove(client);
                request.accept(settings.systemId(), InterfaceVersion.IF_34);
                comings.info("SMPP session " + session.getSessionId() + ": " + client.account() + " bound from "
                        + client.address());
            } else {
                strangers.info(String.format(
                        "SMPP bind of '%s' from %s refused with status 0x%08x",
                        Printable.of(Objects.requireNonNullElse(request.getSystemId(), "")), client.address(), status));
                request.reject(status);
                // Lets the client close first: it may lose the answer if the connection ends at the same moment.
                if (!client.awaitEnd(settings.bindTimeout())) {
                    session.close();
                }
            }
        } catch (TimeoutException e) {
            strangers.info("No SMPP bind from " + client.address() + " within " + settings.bindTimeout());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            session.close();
        } catch (Throwable e) {
            // Catches everything: nobody else would end this connection.
            session.close();
            strangers.info("A client went away while it was binding, or cannot be served: " + e);
        }
    }

    /** What to answer to a bind; with ESME_ROK the client has its account, and counts as bound. */
    private int status(Client client, BindRequest request) {
        try {
            Account account = accounts.authenticate(
                    Objects.requireNonNullElse(request.getSystemId(), ""),
                    Objects.requireNonNullElse(request.getPassword(), ""),
                    client.address());
            return status(client, request, account);
        } catch (TooManyGuessesException e) {
            return SMPPConstant.STAT_ESME_RTHROTTLED;
        } catch (MapUnavailableException e) {
            strangers.info("A bind cannot be answered: " + e.getMessage());
            return SMPPConstant.STAT_ESME_RSYSERR;
        }
    }

    private synchronized int status(Client client, BindRequest request, @Nullable Account account) {
        if (account == null) {
            // The same status for a wrong password and an unknown name, so that nobody can find out names.
            return SMPPConstant.STAT_ESME_RINVPASWD;
        }
        long bound = clients.stream().filter(each -> each.account() != null).count();
        long ofAccount = clients.stream()
                .map(Client::account)
                .filter(each -> each != null && each.name().equals(account.name()))
                .count();
        if (bound >= settings.sessionsMax() || ofAccount >= account.settings().sessionsMax()) {
            strangers.info(String.format(
                    "Refused a bind of %s, which has %d sessions (sms.accounts.%s.sessions-max); all accounts have %d"
                            + " (sms.smpp.sessions-max)",
                    account, ofAccount, account, bound));
            return SMPPConstant.STAT_ESME_RBINDFAIL;
        }
        client.bound(account, request.getBindType());
        return SMPPConstant.STAT_ESME_ROK;
    }
}
