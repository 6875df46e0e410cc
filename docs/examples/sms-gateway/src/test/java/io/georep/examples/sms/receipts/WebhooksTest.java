package io.georep.examples.sms.receipts;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.Address;
import io.georep.examples.sms.Await;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.http.WebhookServer;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.model.EntryId;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

final class WebhooksTest {
    private static final Address ANYBODY = Address.parse("+31201234567");
    private static final Route ROUTE = new Route("shop", Route.HTTP, "1", ANYBODY, ANYBODY, (byte) 1, 0, 1);
    private static final Receipt RECEIPT = Receipt.own(ROUTE, MessageState.EXPIRED, Instant.EPOCH);

    private static Set<Thread> threads() {
        return Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    /** Whatever ends it; it is memory that ran out, in practice. */
    @Test
    void aClientWhoseThreadHasEndedIsReplaced() throws Exception {
        try (WebhookServer server = new WebhookServer()) {
            Set<Thread> before = threads();
            Webhooks webhooks = webhooks(URI.create(server.url("/")), Duration.ofSeconds(Await.SECONDS_MAX));
            assertThat(post(webhooks)).isEqualTo(Delivered.TAKEN);
            Thread selector = threads().stream()
                    .filter(each -> !before.contains(each) && each.getName().endsWith("-SelectorManager"))
                    .findAny()
                    .orElseThrow();

            selector.interrupt();
            selector.join();

            assertThat(post(webhooks)).isEqualTo(Delivered.LATER);
            assertThat(post(webhooks)).isEqualTo(Delivered.TAKEN);
        }
    }

    private static Webhooks webhooks(URI url, Duration within) {
        SmsProperties.Account account = new SmsProperties.Account("secret", 1, 0, url, "", false);
        return new Webhooks(
                within,
                new Accounts(Map.of("shop", account)),
                JsonMapper.builder().build());
    }

    /** Answers the posts of one connection, whose end is awaited. */
    private interface Odd {
        void answer(InputStream posts, OutputStream answers) throws IOException;
    }

    private static void readPost(InputStream posts) throws IOException {
        int read = 0;
        while (read != '}') {
            read = posts.read();
            if (read < 0) {
                throw new EOFException();
            }
        }
    }

    private static void post(int posts, Odd odd) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> served = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = server.accept()) {
                    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(Await.SECONDS_MAX));
                    odd.answer(socket.getInputStream(), socket.getOutputStream());
                    return socket.getInputStream().read();
                } catch (SocketException e) {
                    return -1;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Webhooks webhooks = webhooks(
                    URI.create("http://localhost:" + server.getLocalPort()), Duration.ofSeconds(3 * Await.SECONDS_MAX));

            for (int i = 0; i < posts; i++) {
                assertThat(post(webhooks)).isEqualTo(Delivered.TAKEN);
            }

            assertThat(served.get(2 * Await.SECONDS_MAX, TimeUnit.SECONDS))
                    .as("the end of the connection")
                    .isEqualTo(-1);
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Each receipt would have a connection more. */
    @Test
    void aBodyWithoutEndEndsTheConnection() throws Exception {
        AtomicInteger written = new AtomicInteger();
        post(1, (posts, answers) -> {
            readPost(posts);
            write(answers, "HTTP/1.1 200 OK\r\n\r\n");
            for (int i = 0; i < 10_000; i++) {
                answers.write(new byte[100_000]);
                written.incrementAndGet();
            }
        });
        assertThat(written).as("no more than the buffers of both sockets hold").hasValueLessThan(300);
    }

    @Test
    void aBodyThatDoesNotComeEndsTheConnection() throws Exception {
        post(1, (posts, answers) -> {
            readPost(posts);
            write(answers, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1");
        });
    }

    @Test
    void aShortBodyLeavesTheConnectionToTheNextReceipt() throws Exception {
        post(20, (posts, answers) -> {
            for (int i = 0; i < 20; i++) {
                readPost(posts);
                write(answers, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntaken");
            }
            answers.flush();
            throw new SocketException("this is enough");
        });
    }

    private static Delivered post(Webhooks webhooks) throws InterruptedException {
        return webhooks.post(RECEIPT, ROUTE, EntryId.parse("n1:1:0:1"), false);
    }
}
