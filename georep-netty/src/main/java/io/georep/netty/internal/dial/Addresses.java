package io.georep.netty.internal.dial;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up, on threads of its own, because the lookup of the JVM blocks. On an event loop, a name server that
 * is away would stop the frames of every link. A question about a name that is being looked up waits for the same
 * answer, so hanging lookups do not pile up. Each other question asks anew; the JVM remembers answers for 30 s, see
 * {@code networkaddress.cache.ttl}.
 */
public final class Addresses implements AutoCloseable {
    /** Where addresses of names come from; may block. */
    @FunctionalInterface
    public interface Lookup {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    /** Takes all addresses of a name, at least one, or the problem; the other is null. Called on any thread. */
    @FunctionalInterface
    interface Answer {
        void found(@Nullable List<InetAddress> addresses, @Nullable String problem);
    }

    private record Found(
            @Nullable List<InetAddress> addresses, @Nullable String problem) {
        void to(List<Answer> askers) {
            askers.forEach(asker -> asker.found(addresses, problem));
        }
    }

    private static final int THREADS_MAX = 4;
    private static final int LOOKUPS_MAX = 10_000;

    private final Lookup lookup;
    private final Map<String, List<Answer>> waiting = new HashMap<>();
    private final ThreadPoolExecutor threads;

    public Addresses(Lookup lookup) {
        this(lookup, new DefaultThreadFactory("georep-lookup", true));
    }

    public Addresses(Lookup lookup, ThreadFactory factory) {
        this.lookup = lookup;
        threads = new ThreadPoolExecutor(
                THREADS_MAX, THREADS_MAX, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(LOOKUPS_MAX), factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** Finds all addresses of this host, and gives them, or the problem, to the caller. */
    void resolve(String host, Answer answer) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
        if (literal != null) {
            lookUp(host).to(List.of(answer));
            return;
        }
        synchronized (waiting) {
            List<Answer> others = waiting.get(host);
            if (others != null) {
                others.add(answer);
                return;
            }
            waiting.put(host, new ArrayList<>(List.of(answer)));
        }
        try {
            threads.execute(() -> lookUpShared(host));
        } catch (RejectedExecutionException e) {
            taken(host).forEach(asker -> asker.found(null, "too many name lookups are waiting"));
        } catch (Throwable e) {
            // Perhaps no thread can be started. Without this, later questions about this name would wait for this
            // lookup for ever.
            taken(host).forEach(asker -> asker.found(null, "the lookup of host '" + host + "' could not begin: " + e));
        }
    }

    /**
     * Runs something else that may block on the same threads. It does not run if they stay busy, have ended, or
     * cannot be had. Never throws: the caller repeats this, and an error would end the repetition.
     */
    public void aside(Runnable task) {
        try {
            threads.execute(task);
        } catch (Throwable e) {
            // What has to be done is tried again.
        }
    }

    private List<Answer> taken(String host) {
        synchronized (waiting) {
            List<Answer> askers = waiting.remove(host);
            return askers == null ? List.of() : askers;
        }
    }

    private void lookUpShared(String host) {
        Found found = new Found(null, "the lookup of host '" + host + "' failed");
        try {
            found = lookUp(host);
        } finally {
            found.to(taken(host));
        }
    }

    private Found lookUp(String host) {
        try {
            return new Found(List.of(lookup.addressesOf(host)), null);
        } catch (UnknownHostException e) {
            return new Found(null, "host '" + host + "' is not known: check the name and the name server");
        }
    }

    /**
     * Chooses which of a name's addresses to try: the one that was good last, if the name still has it; else one
     * after the other.
     */
    static InetSocketAddress choose(
            List<InetAddress> found, int port, int failures, @Nullable InetSocketAddress lastGood) {
        if (failures == 0 && lastGood != null && found.contains(lastGood.getAddress())) {
            return lastGood;
        }
        return new InetSocketAddress(found.get(Math.floorMod(failures, found.size())), port);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
