package io.georep.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CommandServerTest {
    @Test
    void greetsObeysAndEndsWithTheLine() throws Exception {
        try (ServerSocket driver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandServer server = new CommandServer(driver.getLocalPort(), "hello there");
            server.on("sum", words -> Long.toString(Long.parseLong(words[1]) + Long.parseLong(words[2])));
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serve(server));
            try (Socket line = driver.accept()) {
                DataInputStream in = new DataInputStream(line.getInputStream());
                DataOutputStream out = new DataOutputStream(line.getOutputStream());

                assertThat(CommandServer.read(in)).isEqualTo("hello there");
                assertThat(ask(in, out, "sum 2 3")).isEqualTo("5");
                assertThat(ask(in, out, "sum 2 x")).startsWith("error java.lang.NumberFormatException");
                assertThat(ask(in, out, "dance")).isEqualTo("error unknown command dance");
            }
            served.get(60, TimeUnit.SECONDS);
        }
    }

    private static String ask(DataInputStream in, DataOutputStream out, String command) throws Exception {
        CommandServer.write(out, command);
        return CommandServer.read(in);
    }

    private static void serve(CommandServer server) {
        try {
            server.serve();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
