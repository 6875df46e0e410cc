package io.georep.netty.internal.security;

import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Work for connections of strangers. Their addresses take turns, so an address with many connections does not make those of
 * others wait. Work for a connection that was closed meanwhile is left out. Thread-safe.
 */
public final class AddressTurns {
    private record Work(Channel channel, Runnable task) {}

    private final Executor executor;

    /** By address, the one whose turn is next first. Guarded by this. */
    private final Map<Object, Queue<Work>> waiting = new LinkedHashMap<>();

    /**
     * Nothing waits.
     *
     * @param executor runs one task after the other
     */
    AddressTurns(Executor executor) {
        this.executor = executor;
    }

    /** Returns where the work for a connection is done. */
    Executor of(Channel channel) {
        Object address = address(channel.remoteAddress());
        return task -> {
            synchronized (this) {
                waiting.computeIfAbsent(address, none -> new ArrayDeque<>()).add(new Work(channel, task));
            }
            executor.execute(this::next);
        };
    }

    private void next() {
        Work work = take();
        if (work != null) {
            work.task().run();
        }
    }

    /**
     * Returns the next work; null if nothing is left. If the executor failed, some work has no call of its own; it is dropped
     * with its connection.
     */
    private synchronized @Nullable Work take() {
        Iterator<Map.Entry<Object, Queue<Work>>> turns = waiting.entrySet().iterator();
        while (turns.hasNext()) {
            Map.Entry<Object, Queue<Work>> turn = turns.next();
            turns.remove();
            Work work = turn.getValue().poll();
            while (work != null && !work.channel().isOpen()) {
                work = turn.getValue().poll();
            }
            if (work != null) {
                if (!turn.getValue().isEmpty()) {
                    waiting.put(turn.getKey(), turn.getValue());
                }
                return work;
            }
        }
        return null;
    }

    /** Returns what counts as one address: for IPv6 its network, because a host with one address of it can use all. */
    public static Object address(@Nullable SocketAddress remote) {
        InetAddress host = remote instanceof InetSocketAddress socket ? socket.getAddress() : null;
        if (host instanceof Inet6Address) {
            return ByteBuffer.wrap(host.getAddress(), 0, Long.BYTES).getLong();
        }
        return host == null ? "" : host;
    }
}
