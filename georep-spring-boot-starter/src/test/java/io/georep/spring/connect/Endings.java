package io.georep.spring.connect;

import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Takes ends. */
final class Endings implements Hold {
    final List<Delivery<?>> forwarded = new ArrayList<>();
    final List<Delivery<?>> failed = new CopyOnWriteArrayList<>();

    @Override
    public void forwarded(Collection<? extends Delivery<?>> deliveries) {
        forwarded.addAll(deliveries);
    }

    @Override
    public void failed(Delivery<?> delivery, Throwable error) {
        failed.add(delivery);
    }
}
