package io.georep.bench.network;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A network between nodes on loopback: in front of each node's port stands another one, which is the one to advertise. Bytes
 * from one node to another are delayed. They can be held up, slowed down or damaged in each direction alone, and connections
 * can be broken. A blocked direction keeps what is sent, ends of connections included, and delivers it when it is open again, as TCP
 * does. Thread-safe.
 */
public final class SlowNetwork implements AutoCloseable {
    /** Below the ports that systems give to outgoing connections, so that nobody takes one while its node is down. */
    private static final int PORT_MIN = 15_000;

    private static final int PORT_MAX = 30_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("network", true), NioIoHandler.newFactory());
    private final List<String> names;
    private final Direction[][] directions;
    private final int[] ports;
    private final List<Channel> doors = new ArrayList<>();

    /**
     * Opens a network.
     *
     * @param names the nodes' ids
     * @param delay mean time under way; each direction between two nodes has its own, half as long to one and a half as
     *     long
     * @param seed decides on delays
     * @throws IOException when there is no port left
     */
    public SlowNetwork(List<String> names, Duration delay, long seed) throws IOException {
        this(names, drawn(names.size(), delay.toNanos(), new Random(seed)), new Random(seed));
    }

    /**
     * Opens a network in which all takes equally long between two nodes.
     *
     * @param names the nodes' ids
     * @param roundTripMillis from each node to each node and back
     * @throws IOException when there is no port left
     */
    public SlowNetwork(List<String> names, int[][] roundTripMillis) throws IOException {
        this(names, exact(roundTripMillis), new Random());
    }

    private static Direction[][] drawn(int nodes, long nanos, Random random) {
        Direction[][] drawn = new Direction[nodes][nodes];
        for (Direction[] row : drawn) {
            for (int to = 0; to < row.length; to++) {
                row[to] = new Direction((long) (nanos * (0.5 + random.nextDouble())));
            }
        }
        return drawn;
    }

    private static Direction[][] exact(int[][] roundTripMillis) {
        return Arrays.stream(roundTripMillis)
                .map(row -> Arrays.stream(row)
                        .mapToObj(millis -> Direction.exact(TimeUnit.MILLISECONDS.toNanos(millis) / 2))
                        .toArray(Direction[]::new))
                .toArray(Direction[][]::new);
    }

    private SlowNetwork(List<String> names, Direction[][] directions, Random random) throws IOException {
        this.names = List.copyOf(names);
        this.directions = directions;
        this.ports = new int[names.size()];
        try {
            for (int node = 0; node < ports.length; node++) {
                ports[node] = freePort();
                doors.add(open(node, random));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Port of loopback at which a node is to listen. */
    public int port(int node) {
        return ports[node];
    }

    /** Address under which others reach the node through this network. */
    public String address(int node) {
        return "127.0.0.1:" + ((InetSocketAddress) doors.get(node).localAddress()).getPort();
    }

    /** Holds up whatever one node says to another one, until {@link #heal}. */
    public void block(int from, int to) {
        onLoop(() -> directions[from][to].block());
    }

    /** Makes what one node says to another one take so much longer, until {@link #heal}. */
    public void delay(int from, int to, Duration added) {
        onLoop(() -> directions[from][to].delay(added.toNanos()));
    }

    /** Damages about one of so many bytes that one node says to another one, until {@link #heal}. */
    public void damage(int from, int to, int everyBytes) {
        onLoop(() -> directions[from][to].damage(everyBytes));
    }

    /** Makes one node read slowly what another one says, until {@link #heal}. */
    public void slow(int from, int to, long bytesPerSecond) {
        onLoop(() -> directions[from][to].slow(bytesPerSecond));
    }

    /** Opens all directions, and makes them what they were in the beginning. */
    public void heal() {
        onLoop(() -> {
            for (Direction[] row : directions) {
                for (Direction direction : row) {
                    direction.open();
                }
            }
        });
    }

    /** Breaks all connections between two nodes; what is under way is lost. */
    public void breakLinks(int one, int other) {
        onLoop(() -> {
            directions[one][other].cut();
            directions[other][one].cut();
        });
    }

    /** Closes everything; waits until it is closed. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private void onLoop(Runnable task) {
        loop.submit(task).syncUninterruptibly();
    }

    private Channel open(int node, Random random) {
        InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), ports[node]);
        return new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new Crossing(channel, target, dialer -> between(dialer, node), random));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    private Crossing.@Nullable Directions between(String dialer, int node) {
        int from = names.indexOf(dialer);
        return from < 0 ? null : new Crossing.Directions(directions[from][node], directions[node][from]);
    }

    /**
     * A port of loopback that is free now. Connections that others open do not take it.
     *
     * @throws IOException when there is none
     */
    public static int freePort() throws IOException {
        Random random = new Random();
        for (int attempt = 1; ; attempt++) {
            int port = PORT_MIN + random.nextInt(PORT_MAX - PORT_MIN);
            try (ServerSocket tried = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return tried.getLocalPort();
            } catch (IOException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }
}
