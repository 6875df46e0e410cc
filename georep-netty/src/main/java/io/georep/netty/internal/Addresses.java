package io.georep.netty.internal;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up on threads of its own, for the JVM's lookup blocks: on an event loop, a name server that is away would
 * stop the frames of every link. Each attempt asks anew (the JVM remembers answers for 30 s, see {@code
 * networkaddress.cache.ttl}) and takes the next of a name's addresses.
 */
final class Addresses implements AutoCloseable {
    private static final int THREADS_MAX = 4;
    private static final int LOOKUPS_MAX = 10_000;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS_MAX,
            THREADS_MAX,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(LOOKUPS_MAX),
            new DefaultThreadFactory("georep-lookup", true));

    Addresses() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** Answers the address or the problem, one of them null, on any thread. */
    void resolve(Endpoint endpoint, int attempt, BiConsumer<@Nullable InetSocketAddress, @Nullable String> answer) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(endpoint.host());
        if (literal != null) {
            lookUp(endpoint, attempt, answer);
            return;
        }
        try {
            threads.execute(() -> lookUp(endpoint, attempt, answer));
        } catch (RejectedExecutionException e) {
            answer.accept(null, "too many name lookups are waiting");
        }
    }

    private static void lookUp(
            Endpoint endpoint, int attempt, BiConsumer<@Nullable InetSocketAddress, @Nullable String> answer) {
        InetAddress[] found;
        try {
            found = InetAddress.getAllByName(endpoint.host());
        } catch (UnknownHostException e) {
            answer.accept(null, "host '" + endpoint.host() + "' is not known: check the name and the name server");
            return;
        }
        answer.accept(new InetSocketAddress(found[Math.floorMod(attempt, found.length)], endpoint.port()), null);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
