package io.georep.examples.sms.containers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Whether there is a Docker engine. Returns within seconds: Testcontainers itself would look for minutes. If an engine answers
 * but cannot run the tests, they fail and are not skipped.
 */
public final class DockerEngine {
    private static final int WITHIN_MILLIS = 5_000;

    private DockerEngine() {}

    /** For {@link org.junit.jupiter.api.condition.EnabledIf}. */
    public static boolean answers() {
        return answers(System.getenv());
    }

    static boolean answers(Map<String, String> environment) {
        String host = environment.getOrDefault("DOCKER_HOST", "");
        if (!host.isEmpty()) {
            return answers(URI.create(host));
        }
        String home = System.getProperty("user.home");
        return Stream.of(
                        Path.of("/var/run/docker.sock"),
                        Path.of(environment.getOrDefault("XDG_RUNTIME_DIR", "/run"), "docker.sock"),
                        Path.of(home, ".docker/run/docker.sock"),
                        Path.of(home, ".docker/desktop/docker.sock"))
                .anyMatch(DockerEngine::pings);
    }

    private static boolean answers(URI host) {
        return switch (host.getScheme() == null ? "" : host.getScheme()) {
            case "unix" -> pings(Path.of(host.getPath()));
            case "tcp", "http", "https" -> connects(host.getHost(), host.getPort());
            default -> true;
        };
    }

    private static boolean connects(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), WITHIN_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean pings(Path path) {
        if (!Files.exists(path)) {
            return false;
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // What waits for an answer ends when the channel is closed.
            return CompletableFuture.supplyAsync(() -> ping(channel, path))
                    .completeOnTimeout(false, WITHIN_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        } catch (IOException | CompletionException e) {
            return false;
        }
    }

    private static boolean ping(SocketChannel channel, Path path) {
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            channel.write(
                    ByteBuffer.wrap("GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            return channel.read(ByteBuffer.allocate(64)) > 0;
        } catch (IOException e) {
            return false;
        }
    }
}
