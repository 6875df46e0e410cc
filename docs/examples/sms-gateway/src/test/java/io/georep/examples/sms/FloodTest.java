package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.management.UnixOperatingSystemMXBean;
import io.georep.examples.sms.demo.SmppClient;
import io.georep.examples.sms.http.RawHttp;
import io.georep.examples.sms.smpp.RawSmpp;
import io.georep.examples.sms.smpp.SubmitBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jsmpp.SMPPConstant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * Strangers without end at both doors, behind the address of a client that is 100 ms away: the client is served, and the
 * strangers cost few lines of the log, little memory, and few descriptors and threads.
 */
@Timeout(180)
final class FloodTest {
    private static final Duration ONE_WAY = Duration.ofMillis(50);
    private static final long EVERY_NANOS = 4_000_000;
    private static final int HELD = 400;
    private static final int ENOUGH = 600;
    /** There are five kinds of lines about connections and sessions, each written at most ten times a minute. */
    private static final int LOG_LINES_PER_TEN_SECONDS = 50;

    private static final long MEMORY_MAX = 64L << 20;
    private static final int THREADS_MAX = 300;

    /** Those of the strangers are in this process, too. */
    private static final long DESCRIPTORS_MAX = 2 * HELD + 700;

    private static final String GOOD = "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"x\"}";

    private static Sites sites;

    @FunctionalInterface
    private interface Act {
        void on(Socket socket, int step) throws IOException;
    }

    private static void write(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    private static byte[] bind(String name, String password) {
        return RawSmpp.pdu(
                SMPPConstant.CID_BIND_TRANSMITTER,
                1,
                (name + "\0" + password + "\0\0" + "4\0\0\0").getBytes(StandardCharsets.ISO_8859_1));
    }

    private static byte[] together(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    enum AtSmpp {
        BARE((socket, step) -> {}),
        HALF_A_BIND((socket, step) -> {
            if (step == 0) {
                socket.getOutputStream().write(bind("client", "?"), 0, 20);
            }
        }),
        BYTE_BY_BYTE((socket, step) -> socket.getOutputStream().write(bind("client", "?")[step % 16])),
        WRONG_PASSWORDS((socket, step) -> {
            if (step == 0) {
                write(socket, bind(socket.getLocalPort() % 2 == 0 ? "anybody" : "somebody", "?"));
            }
        }),
        TWO_BINDS((socket, step) -> {
            if (step == 0) {
                write(socket, together(bind("other", "pw-9999"), bind("other", "pw-9999"), bind("other", "pw-9999")));
            }
        }),
        SUBMITS_AFTER_THE_UNBIND((socket, step) -> {
            if (step == 0) {
                byte[] submit = RawSmpp.pdu(SMPPConstant.CID_SUBMIT_SM, 3, new SubmitBody().bytes());
                byte[] unbind = RawSmpp.pdu(SMPPConstant.CID_UNBIND, 2, new byte[0]);
                write(socket, together(bind("other", "pw-9999"), unbind, submit, submit, submit));
            }
        });

        private final Act act;

        AtSmpp(Act act) {
            this.act = act;
        }
    }

    enum AtHttp {
        BARE((socket, step) -> {}),
        BYTE_BY_BYTE((socket, step) -> socket.getOutputStream().write('G')),
        WRONG_PASSWORDS((socket, step) -> {
            if (step == 0) {
                write(
                        socket,
                        RawHttp.header("somebody", "?", "Content-Length: 5").getBytes(StandardCharsets.ISO_8859_1));
            }
        }),
        A_SECOND_HEADER_BYTE_BY_BYTE((socket, step) -> write(
                socket,
                step == 0
                        ? (RawHttp.header("other", "pw-9999", "Content-Length: " + GOOD.length()) + GOOD)
                                .getBytes(StandardCharsets.ISO_8859_1)
                        : new byte[] {'G'})),
        SILENCE_INSTEAD_OF_A_BODY((socket, step) -> {
            if (step == 0) {
                write(
                        socket,
                        RawHttp.header("other", "pw-9999", "Content-Length: 9").getBytes(StandardCharsets.ISO_8859_1));
            }
        }),
        A_BODY_BYTE_BY_BYTE((socket, step) -> write(
                socket,
                step == 0
                        ? RawHttp.header("other", "pw-9999", "Content-Length: 5000")
                                .getBytes(StandardCharsets.ISO_8859_1)
                        : new byte[] {' '}));

        private final Act act;

        AtHttp(Act act) {
            this.act = act;
        }
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        sites = Sites.start(
                2,
                directory,
                "sms.accounts.other.password=pw-9999",
                "sms.http.header-within=3s",
                "sms.http.body-within=3s",
                // Silence ends before a deadline does.
                "server.tomcat.connection-timeout=1s",
                "sms.http.connections-per-address-max=120");
        // Both were at this address before somebody there began to guess.
        assertThat(sites.post(0, GOOD).statusCode()).isEqualTo(202);
        assertThat(sites.post(0, "other", "pw-9999", GOOD).statusCode()).isEqualTo(202);
    }

    @AfterAll
    static void stop() {
        sites.close();
    }

    @ParameterizedTest
    @EnumSource
    void strangersAtTheSmppPortCostLittleAndKeepNobodyOut(AtSmpp strangers) throws Exception {
        try (Distance way = new Distance(sites.smppPort(0), ONE_WAY)) {
            flood(sites.smppPort(0), strangers.act, () -> isSubmitted(way.port()));
        }
    }

    private static boolean isSubmitted(int port) {
        try (SmppClient client = SmppClient.bind(port, Sites.ACCOUNT, Sites.PASSWORD, Duration.ofSeconds(5))) {
            return !client.submit("GeoRep", "+31201234567", "x").isEmpty();
        } catch (Exception e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource
    void strangersAtTheHttpPortCostLittleAndKeepNobodyOut(AtHttp strangers) throws Exception {
        try (Distance way = new Distance(sites.httpPort(0), ONE_WAY)) {
            flood(sites.httpPort(0), strangers.act, () -> isPosted(way.port()));
        }
    }

    private static boolean isPosted(int port) {
        try (RawHttp http = new RawHttp(port, Duration.ofSeconds(5))) {
            http.send(RawHttp.header(Sites.ACCOUNT, Sites.PASSWORD, "Content-Length: " + GOOD.length()) + GOOD);
            return http.receive("\"}").startsWith("HTTP/1.1 202");
        } catch (IOException e) {
            return false;
        }
    }

    private static void flood(int port, Act act, BooleanSupplier served) throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger("io.georep.examples.sms");
        Level before = root.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        root.setLevel(Level.INFO);
        root.addAppender(lines);
        lines.start();
        long memory = memory();
        long descriptors = descriptors();
        int threads = threads();
        long begin = System.nanoTime();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger opened = new AtomicInteger();
        Thread strangers = new Thread(() -> connect(port, act, opened, over));
        strangers.start();
        try {
            Await.until("a flood", () -> opened.get() > ENOUGH);
            Await.until("a client that is far away to be served", 120, 20, served);

            assertThat(descriptors() - descriptors).isLessThan(DESCRIPTORS_MAX);
            assertThat(threads() - threads).isLessThan(THREADS_MAX);
            assertThat(memory() - memory).isLessThan(MEMORY_MAX);
            long tens = 1 + (System.nanoTime() - begin) / 10_000_000_000L;
            assertThat(lines.list.size()).isLessThanOrEqualTo((int) tens * LOG_LINES_PER_TEN_SECONDS);
        } finally {
            over.set(true);
            strangers.join();
            root.detachAppender(lines);
            root.setLevel(before);
        }
        Await.until("descriptors to be given back", () -> descriptors() - descriptors < 60);
    }

    private static void connect(int port, Act act, AtomicInteger opened, AtomicBoolean over) {
        ArrayDeque<Socket> held = new ArrayDeque<>();
        int step = 0;
        while (!over.get()) {
            try {
                Socket socket = new Socket("127.0.0.1", port);
                opened.incrementAndGet();
                held.add(socket);
                act.on(socket, 0);
            } catch (IOException e) {
                // Somebody else has taken its place already.
            }
            if (held.size() > HELD) {
                closeQuietly(held.remove());
            }
            step++;
            Socket again = held.isEmpty() ? null : held.remove();
            if (again != null && isActed(again, act, 1 + step / HELD)) {
                held.add(again);
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
        held.forEach(FloodTest::closeQuietly);
    }

    private static boolean isActed(Socket socket, Act act, int step) {
        try {
            act.on(socket, step);
            return true;
        } catch (IOException e) {
            closeQuietly(socket);
            return false;
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed by the other side.
        }
    }

    /** Heap that is in use, and direct buffers. */
    private static long memory() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static long descriptors() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }
}
