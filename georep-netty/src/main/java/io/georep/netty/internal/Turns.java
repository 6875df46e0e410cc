package io.georep.netty.internal;

import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Work for connections of strangers, which the addresses that they come from take in turns: who has many of them does not
 * make the connections of others wait. Work of a connection that is closed meanwhile, because it had to give way, is left out.
 * Thread-safe.
 */
final class Turns {
    private record Work(Channel channel, Runnable task) {}

    private final Executor executor;

    /** By address, the one whose turn is next first. Guarded by this. */
    private final Map<Object, Queue<Work>> waiting = new LinkedHashMap<>();

    /**
     * Nothing waits.
     *
     * @param executor runs one task after the other
     */
    Turns(Executor executor) {
        this.executor = executor;
    }

    /** Where the work for a connection is done. */
    Executor of(Channel channel) {
        Object address = Newcomers.address(channel.remoteAddress());
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

    /** Null if nothing is left. Where the executor failed, there is work without a call of its own; it goes with its connection. */
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
}
