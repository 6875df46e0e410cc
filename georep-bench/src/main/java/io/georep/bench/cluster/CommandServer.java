package io.georep.bench.cluster;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The child's end of the line to the driver: one command at a time, each answered with a text. */
final class CommandServer {
    /** Carries out a command; the first word is its name. */
    interface Command {
        String run(String[] words) throws InterruptedException;
    }

    private final int port;
    private final String greeting;
    private final Map<String, Command> commands = new TreeMap<>();

    CommandServer(int port, String greeting) {
        this.port = port;
        this.greeting = greeting;
    }

    void on(String name, Command command) {
        commands.put(name, command);
    }

    /** Calls the driver and carries out commands until the driver closes the line. */
    void serve() throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
            write(out, greeting);
            while (true) {
                write(out, answer(read(in)));
            }
        } catch (EOFException e) {
            return; // The driver has seen enough.
        }
    }

    private String answer(String line) throws InterruptedException {
        String[] words = line.split(" ", -1);
        Command command = commands.get(words[0]);
        if (command == null) {
            return "error unknown command " + line;
        }
        try {
            return command.run(words);
        } catch (RuntimeException e) {
            return "error " + e;
        }
    }

    static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    static String read(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
