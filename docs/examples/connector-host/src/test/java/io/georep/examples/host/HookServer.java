package io.georep.examples.host;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Receives hooks. One that it has received counts, whether its answer gets through or not. */
final class HookServer implements OtherSide {
    private final int port;
    private final Ledger ledger;
    private HttpServer server;
    private ExecutorService threads;

    HookServer(int port, Ledger ledger) {
        this.port = port;
        this.ledger = ledger;
    }

    @Override
    public void start() throws IOException {
        threads = Executors.newCachedThreadPool();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
        server.setExecutor(threads);
        server.createContext("/hook", exchange -> {
            String payload = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            ledger.arrived(payload, exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    @Override
    public void stop() {
        server.stop(0);
        threads.shutdownNow();
    }
}
