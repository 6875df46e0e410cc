package io.georep.bench.maps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The connections of one client to all nodes, made when they are needed. Used by one thread. */
final class BankLines implements AutoCloseable {
    private final int[] ports;
    private final Line[] lines = new Line[MapCluster.NODES];

    private static final class Line {
        final Socket socket;
        final BufferedReader in;

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }
    }

    BankLines(int[] ports) {
        this.ports = ports;
    }

    /** Returns the words of the answer, or {@code unknown} with a reason. After that no late answer is taken for that of another call. */
    String[] ask(int node, BankCall call, int patienceMillis) {
        try {
            Line line = lines[node] == null ? new Line(ports[node]) : lines[node];
            lines[node] = line;
            line.socket.setSoTimeout(patienceMillis);
            line.socket.getOutputStream().write((call.line() + '\n').getBytes(StandardCharsets.US_ASCII));
            String answer = line.in.readLine();
            if (answer != null) {
                return answer.split(" ");
            }
        } catch (SocketTimeoutException e) {
            close(node);
            return new String[] {"unknown", "unanswered"};
        } catch (IOException e) {
            close(node);
            return new String[] {"unknown", "cut"};
        }
        close(node);
        return new String[] {"unknown", "cut"};
    }

    private void close(int node) {
        @Nullable Line line = lines[node];
        lines[node] = null;
        if (line != null) {
            try {
                line.socket.close();
            } catch (IOException e) {
                return; // It is gone either way.
            }
        }
    }

    @Override
    public void close() {
        for (int node = 0; node < MapCluster.NODES; node++) {
            close(node);
        }
    }
}
