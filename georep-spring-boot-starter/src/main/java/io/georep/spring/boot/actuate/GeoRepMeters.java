package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.metrics.GeoRepMetrics;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import io.georep.spring.outbox.OpenListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Binds the meters of the node, and looks for new ones when a queue is opened or a node is met. */
final class GeoRepMeters implements MeterBinder, OpenListener, SmartInitializingSingleton {
    private final Supplier<GeoRepNode> node;
    private final GeoRepMetrics meters;

    GeoRepMeters(Supplier<GeoRepNode> node) {
        this.node = node;
        this.meters = new GeoRepMetrics(node, Tags.empty());
    }

    @Override
    public void afterSingletonsInstantiated() {
        node.get().onPeerChange(change -> meters.discover());
        meters.discover();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        meters.bindTo(registry);
    }

    @Override
    public <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        meters.discover();
    }
}
