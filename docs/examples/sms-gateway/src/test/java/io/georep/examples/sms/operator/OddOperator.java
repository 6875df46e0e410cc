package io.georep.examples.sms.operator;

import io.georep.examples.sms.smpp.RawSmpp;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jsmpp.SMPPConstant;

/** An operator that does what no operator should. */
final class OddOperator implements AutoCloseable {
    static final byte[] NO_NAME = {0};
    private static final int HEADER_BYTES = 16;
    private static final int STATUS_AT = 8;

    /** What it does with the requests of one session, told their commands and numbers; false: it reads no more. */
    @FunctionalInterface
    interface Manner {
        boolean on(int command, int sequence, Socket session) throws IOException;
    }

    private final ServerSocket server = new ServerSocket();
    private final Queue<Socket> sessions = new ConcurrentLinkedQueue<>();
    private final AtomicInteger binds = new AtomicInteger();
    private final Manner manner;

    OddOperator(Manner manner) throws IOException {
        this.manner = manner;
        server.setReceiveBufferSize(4096);
        server.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread thread = new Thread(this::accept, "odd-operator");
        thread.setDaemon(true);
        thread.start();
    }

    /** Answers a request. */
    static void answer(Socket session, int command, int sequence, byte[] body) throws IOException {
        session.getOutputStream().write(RawSmpp.pdu(command, sequence, body));
    }

    /** Answers a request with generic_nack. */
    static void nack(Socket session, int status, int sequence) throws IOException {
        answer(session, SMPPConstant.CID_GENERIC_NACK, status, sequence, new byte[0]);
    }

    /** Answers a request with a status. */
    static void answer(Socket session, int command, int status, int sequence, byte[] body) throws IOException {
        byte[] pdu = RawSmpp.pdu(command, sequence, body);
        session.getOutputStream()
                .write(ByteBuffer.wrap(pdu).putInt(STATUS_AT, status).array());
    }

    int port() {
        return server.getLocalPort();
    }

    /** Binds so far. */
    int binds() {
        return binds.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket session = server.accept();
                sessions.add(session);
                Thread thread = new Thread(() -> serve(session), "odd-session");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket session) {
        try {
            DataInputStream in = new DataInputStream(session.getInputStream());
            boolean reads = true;
            while (reads) {
                int length = in.readInt();
                int command = in.readInt();
                in.readInt();
                int sequence = in.readInt();
                in.skipNBytes(length - HEADER_BYTES);
                if (command == SMPPConstant.CID_BIND_TRANSCEIVER) {
                    binds.incrementAndGet();
                }
                reads = manner.on(command, sequence, session);
            }
        } catch (IOException e) {
            // The gateway has ended it.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket session : sessions) {
            session.close();
        }
    }
}
