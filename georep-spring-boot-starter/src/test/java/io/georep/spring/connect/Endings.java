package io.georep.spring.connect;

import io.georep.outbox.Delivery;
import io.georep.outbox.Hold;
import java.util.Collection;

/** Takes ends that no test looks at. */
final class Endings implements Hold {
    @Override
    public void forwarded(Collection<? extends Delivery<?>> deliveries) {}

    @Override
    public void failed(Delivery<?> delivery, Throwable error) {}
}
