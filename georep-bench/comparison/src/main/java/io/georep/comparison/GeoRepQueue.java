package io.georep.comparison;

import io.georep.GeoRepNode;
import io.georep.netty.NettyTransportFactory;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.OutboxStatistics;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** GeoRep's outbox with one copy of each entry on another node. */
final class GeoRepQueue implements ComparedQueue {
    private static final int COPIES = 1;
    private static final int WINDOW = 10_000;

    private final GeoRepNode node;
    private final Outbox<byte[]> outbox;

    GeoRepQueue(Place place) {
        node = GeoRepMap.builder(place)
                .transport(new NettyTransportFactory(links -> links.openToAnyoneWhoReachesThePort(true)))
                .start();
        outbox = node.outbox("bench", byte[].class, options -> options.f(COPIES));
    }

    @Override
    public boolean ready() {
        return node.ready(COPIES);
    }

    @Override
    public void consume(Consumer<byte[]> handler) {
        outbox.forward(
                delivery -> handler.accept(delivery.payload()),
                options -> options.window(WINDOW).executor(Runnable::run));
    }

    @Override
    public CompletionStage<?> send(byte[] payload) {
        return outbox.send(payload);
    }

    /** Deleted everywhere. */
    @Override
    public long ended() {
        OutboxStatistics statistics = node.statistics().of(OutboxActivity.class).protocol();
        return statistics.forwarded() - statistics.deletesUntold();
    }

    @Override
    public void close() {
        node.close();
    }
}
