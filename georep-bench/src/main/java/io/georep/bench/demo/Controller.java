package io.georep.bench.demo;

import io.georep.bench.process.Link;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Answers the calls of node processes and passes on what they say. */
final class Controller implements AutoCloseable {
    /** What nodes say, on the reading thread of the node's link. */
    interface Listener {
        /** A node runs and takes entries. */
        void hello(NodeProcess node, DemoMessage.Hello hello);

        /** A node said something else. */
        void message(NodeProcess node, Link link, DemoMessage message);

        /** A node's connection is gone. */
        void gone(NodeProcess node);
    }

    private final ServerSocket server;
    private final List<NodeProcess> nodes;
    private final Listener listener;
    private final Map<Link, NodeProcess> callers = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::accept, "demo-controller");

    Controller(List<NodeProcess> nodes, Listener listener) throws IOException {
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.nodes = nodes;
        this.listener = listener;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Port on loopback that nodes call. */
    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        callers.keySet().forEach(Link::close);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                new Link("demo-caller", socket, new Caller()).start();
            } catch (IOException e) {
                return; // Closed.
            }
        }
    }

    private final class Caller implements Link.Receiver {
        @Override
        public void message(Link link, DataInputStream in) throws IOException {
            DemoMessage message = DemoMessage.read(in);
            NodeProcess caller = callers.get(link);
            if (message instanceof DemoMessage.Hello hello && caller == null) {
                NodeProcess node = named(hello.node());
                callers.put(link, node);
                node.connected(link, hello);
                listener.hello(node, hello);
            } else if (caller != null) {
                listener.message(caller, link, message);
            } else {
                throw new IOException("a stranger said " + message);
            }
        }

        @Override
        public void closed(Link link) {
            NodeProcess caller = callers.remove(link);
            if (caller != null) {
                listener.gone(caller);
            }
        }
    }

    private NodeProcess named(String name) throws IOException {
        for (NodeProcess node : nodes) {
            if (node.name().equals(name)) {
                return node;
            }
        }
        throw new IOException("no node is called " + name);
    }
}
