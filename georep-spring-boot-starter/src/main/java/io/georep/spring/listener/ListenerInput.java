package io.georep.spring.listener;

import io.georep.Adoption;
import io.georep.Delivery;
import io.georep.spring.Acknowledgement;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one call of an annotated method is about. Parts that the kind of call does not have are null. */
record ListenerInput(
        List<? extends Delivery<?>> deliveries,
        @Nullable Adoption<?> adoption,
        @Nullable Acknowledgement acknowledgement) {

    static ListenerInput of(Delivery<?> delivery, @Nullable Acknowledgement acknowledgement) {
        return new ListenerInput(List.of(delivery), null, acknowledgement);
    }

    static ListenerInput of(List<? extends Delivery<?>> batch, @Nullable Acknowledgement acknowledgement) {
        return new ListenerInput(batch, null, acknowledgement);
    }

    static ListenerInput of(Adoption<?> adoption) {
        return new ListenerInput(List.of(adoption.delivery()), adoption, null);
    }

    Delivery<?> delivery() {
        return deliveries.get(0);
    }

    Adoption<?> adoptionOrFail() {
        return Objects.requireNonNull(adoption, "not an adoption");
    }
}
