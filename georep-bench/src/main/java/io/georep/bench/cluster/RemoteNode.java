package io.georep.bench.cluster;

import io.georep.bench.process.ChildJvm;
import io.georep.bench.process.Sample;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** The driver's end of the line to a {@link LoadNode}. Not thread-safe. */
final class RemoteNode implements AutoCloseable {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final int LOG_LINES = 30;

    private final ChildJvm child;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final String address;
    private final long bootMillis;

    RemoteNode(ChildJvm child, Socket socket) throws IOException {
        this.child = child;
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        socket.setSoTimeout((int) ANSWER_WITHIN.toMillis());
        String[] greeting = CommandServer.read(in).split(" ", -1);
        this.address = greeting[1];
        this.bootMillis = Long.parseLong(greeting[2]);
    }

    /** {@code host:port} of its node. */
    String address() {
        return address;
    }

    /** Milliseconds its node took to start. */
    long bootMillis() {
        return bootMillis;
    }

    ChildJvm child() {
        return child;
    }

    /** Sends a command and waits for its answer. */
    String ask(String command) throws IOException {
        return ask(command, ANSWER_WITHIN);
    }

    /**
     * Sends a command and waits so long for its answer.
     *
     * @throws IOException when the process ended or did not answer; with the end of its log
     */
    String ask(String command, Duration atMost) throws IOException {
        try {
            socket.setSoTimeout((int) atMost.toMillis());
            CommandServer.write(out, command);
            String answer = CommandServer.read(in);
            if (answer.startsWith("error ")) {
                throw new IOException(child + " answered '" + command + "' with " + answer);
            }
            return answer;
        } catch (SocketTimeoutException e) {
            throw failed(command, "did not answer within " + atMost.toSeconds() + " s", e);
        } catch (IOException e) {
            throw failed(command, String.valueOf(e.getMessage()), e);
        }
    }

    private IOException failed(String command, String why, IOException cause) {
        String log = String.join(System.lineSeparator() + "  ", child.logTail(LOG_LINES));
        return new IOException(
                child + ", command '" + command + "': " + why + "; the end of its log:" + System.lineSeparator() + "  "
                        + log,
                cause);
    }

    Sample status() throws IOException {
        return Sample.parse(ask("status"));
    }

    Sample sample() throws IOException {
        return Sample.parse(ask("sample"));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            return; // It is gone either way.
        }
    }
}
