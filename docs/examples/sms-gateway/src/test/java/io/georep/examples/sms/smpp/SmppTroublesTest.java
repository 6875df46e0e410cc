package io.georep.examples.sms.smpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.demo.SmppClient;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The SMPP port when memory or threads run out, and with clients that read slowly. */
@Timeout(180)
final class SmppTroublesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Await.SECONDS_MAX);
    private static final SmppListener.Settings SETTINGS =
            new SmppListener.Settings("localhost", 0, "gateway", 5, 8, 4, 1000, PATIENCE, PATIENCE, PATIENCE);
    private static final Accounts ACCOUNTS = new Accounts(Map.of("client", new SmsProperties.Account("secret", 5, 0)));

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private SmppListener open(ServerSocket socket, Executor executor) {
        return SmppListener.open(
                SETTINGS, ACCOUNTS, (account, sms) -> CompletableFuture.completedFuture("id"), executor, socket);
    }

    private static void assertServes(SmppListener door) throws Exception {
        try (SmppClient client = SmppClient.bind(door.port(), "client", "secret", PATIENCE)) {
            assertThat(client.submit("GeoRep", "+31201234567", "x")).isEqualTo("id");
        }
    }

    @Test
    void goesOnAcceptingWhenMemoryIsThereAgain() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        ServerSocket poor = new ServerSocket() {
            @Override
            public Socket accept() throws IOException {
                if (attempts.incrementAndGet() < 3) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return super.accept();
            }
        };
        try (SmppListener door = open(poor, threads)) {
            assertServes(door);
        }
    }

    @Test
    void forgetsAConnectionForWhichThereIsNoThread() throws Exception {
        AtomicInteger refusals = new AtomicInteger(2);
        Executor poor = task -> {
            if (Thread.currentThread().getName().contains("pool") && refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            threads.execute(task);
        };
        try (SmppListener door = open(new ServerSocket(), poor)) {
            for (int i = 0; i < 2; i++) {
                try (Socket client = new Socket("localhost", door.port())) {
                    assertThat(client.getInputStream().read()).isEqualTo(-1);
                }
            }
            assertThat(door.sessions()).isZero();
            assertServes(door);
        }
    }

    /** Else its submits would be throttled for ever. */
    @Test
    void endsASessionWhoseAnswersNobodyWrites() {
        AtomicBoolean closed = new AtomicBoolean();
        OutputStream out = new OutputStream() {
            @Override
            public void write(int one) {}

            @Override
            public void close() {
                closed.set(true);
            }
        };
        Responses responses = new Responses(
                true,
                out,
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                1);

        assertThat(responses.begin()).isTrue();
        responses.answer(1, "id", SMPPConstant.STAT_ESME_ROK);

        assertThat(closed).isTrue();
    }

    /** jSMPP ends a session after an exception, and not after an error: only its thread. */
    @Test
    void endsASessionThatCannotBeRead() {
        SubmitReader reader = new SubmitReader((sequence, pdu) -> {
            throw new OutOfMemoryError("Java heap space");
        });
        byte[] submit = RawSmpp.pdu(SMPPConstant.CID_SUBMIT_SM, 1, RawSmpp.submitBody());

        assertThatIOException()
                .isThrownBy(() -> reader.readPDUHeader(new DataInputStream(new ByteArrayInputStream(submit))))
                .withMessageContaining("Java heap space");
    }

    /** The system takes some of an answer each time the client has read some. */
    @Test
    void whoReadsSlowlyDoesNotReadNothing() throws Exception {
        Semaphore taken = new Semaphore(0);
        Semaphore offered = new Semaphore(0);
        Socket slow = new Socket() {
            @Override
            public InputStream getInputStream() {
                return InputStream.nullInputStream();
            }

            @Override
            public OutputStream getOutputStream() {
                return new OutputStream() {
                    @Override
                    public void write(int one) {
                        offered.release();
                        taken.acquireUninterruptibly();
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        write(0);
                    }
                };
            }
        };
        WatchedConnection connection = new WatchedConnection(slow);
        assertThat(slow.getSendBufferSize())
                .as("of a larger one more has to be read before it takes anything")
                .isLessThanOrEqualTo(64 * 1024);
        long begin = System.nanoTime();
        Future<?> writing = threads.submit(() -> {
            connection.getOutputStream().write(new byte[32 * 1024]);
            return null;
        });
        offered.acquire();
        Await.until("time", () -> connection.readsNothing(Duration.ofMillis(1)));
        taken.release();
        offered.acquire();

        assertThat(connection.readsNothing(Duration.ofNanos(System.nanoTime() - begin)))
                .isFalse();

        taken.release(100);
        writing.get();
        assertThat(connection.readsNothing(Duration.ZERO)).isFalse();
    }

    /** Each would hold up a thread, and receipts of others with it. */
    @Test
    void givesNoDeliveriesToWhoReadsNothing() throws Exception {
        try (SmppListener door = open(new ServerSocket(), threads);
                RawSmpp raw = new RawSmpp(door.port())) {
            raw.send(
                    SMPPConstant.CID_BIND_TRANSCEIVER,
                    1,
                    "client\0secret\0\0004\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(raw.receive().status()).isZero();
            assertThat(door.receives("client")).isTrue();

            Future<?> sending = threads.submit(() -> {
                while (true) {
                    raw.send(SMPPConstant.CID_SUBMIT_SM, 2, RawSmpp.submitBody(), 100);
                }
            });

            Await.until("no deliveries", () -> !door.receives("client"));
            assertThat(sending).isNotDone();
        }
    }
}
