package io.georep.examples.sms.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Where a client of HTTP has its receipts posted. */
public final class WebhookServer implements AutoCloseable {
    /** What was posted. */
    public record Posted(String path, String key, String signature, String body) {}

    private final Queue<Posted> posted = new ConcurrentLinkedQueue<>();
    private final Deque<Integer> answers = new ConcurrentLinkedDeque<>();
    private final HttpServer server;

    /** Listens. */
    public WebhookServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        posted.add(new Posted(
                exchange.getRequestURI().getPath(),
                exchange.getRequestHeaders().getFirst("idempotency-key"),
                exchange.getRequestHeaders().getFirst("sms-signature"),
                body));
        Integer status = answers.poll();
        if (status != null && status / 100 == 3) {
            exchange.getResponseHeaders().add("location", url("/elsewhere"));
        }
        exchange.sendResponseHeaders(status == null ? 204 : status, -1);
        exchange.close();
    }

    /** The next answers; then 204. */
    public void answers(Integer... statuses) {
        answers.addAll(java.util.List.of(statuses));
    }

    /** What came. */
    public Queue<Posted> posted() {
        return posted;
    }

    /** Its address. */
    public String url(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
