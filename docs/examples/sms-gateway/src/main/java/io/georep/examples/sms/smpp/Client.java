package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jsmpp.bean.BindType;
import org.jsmpp.session.SMPPServerSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of a client, bound or not. Thread-safe. */
final class Client {
    private static final Logger LOG = LoggerFactory.getLogger(Client.class);

    private static final Duration SLOW = Duration.ofSeconds(1);

    private final Socket socket;
    private final WatchedConnection connection;
    private final SMPPServerSession session;
    private final SubmitSession submits;
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile @Nullable Account account;
    private volatile boolean receives;
    private @Nullable Thread binder;

    Client(Socket socket, WatchedConnection connection, SMPPServerSession session, SubmitSession submits) {
        this.socket = socket;
        this.connection = connection;
        this.session = session;
        this.submits = submits;
    }

    SMPPServerSession session() {
        return session;
    }

    SubmitSession submits() {
        return submits;
    }

    InetAddress address() {
        return socket.getInetAddress();
    }

    /** Who is bound; null before. */
    @Nullable
    Account account() {
        return account;
    }

    /** Notes which account bound, and as what: a receiver may not submit, and a transmitter gets no deliveries. */
    void bound(Account toAccount, BindType type) {
        account = toAccount;
        if (type != BindType.BIND_RX) {
            submits.bound(toAccount);
        }
        receives = type != BindType.BIND_TX;
    }

    /** Returns whether it takes deliveries: not while it reads so slowly that each would hold up a thread. */
    boolean receives() {
        return receives && session.getSessionState().isReceivable() && !connection.readsNothing(SLOW);
    }

    /** Runs a task that waits for the bind, on this thread. */
    void binding(Runnable task) {
        synchronized (this) {
            binder = Thread.currentThread();
        }
        try {
            task.run();
        } finally {
            synchronized (this) {
                binder = null;
            }
        }
    }

    /** Returns whether it has read nothing for longer than this, although there is something to read. */
    boolean readsNothing(Duration time) {
        return connection.readsNothing(time);
    }

    /** Ends the connection at once. jSMPP would wait for a bind until it times out, and for a write for ever. */
    void cut() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection from {}: {}", address(), e.getMessage());
        }
        interruptBinder();
    }

    /** The connection is over. */
    void ended() {
        end.countDown();
        interruptBinder();
    }

    /** Waits for the end; returns whether it came. */
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        return end.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void interruptBinder() {
        Thread thread = binder;
        if (thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }
}
