package io.georep.spring.connect;

import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Takes ends. */
final class Endings implements Hold {
    final List<Delivery<?>> forwarded = new ArrayList<>();

    @Override
    public void forwarded(Collection<? extends Delivery<?>> deliveries) {
        forwarded.addAll(deliveries);
    }

    @Override
    public void failed(Delivery<?> delivery, Throwable error) {}
}
