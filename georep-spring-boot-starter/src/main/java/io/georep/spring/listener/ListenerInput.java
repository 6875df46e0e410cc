package io.georep.spring.listener;

import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.spring.Acknowledgement;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one call of an annotated method is about. Parts that the kind of call does not have are null or empty. */
record ListenerInput(
        List<? extends Delivery<?>> deliveries,
        @Nullable Adoption<?> adoption,
        @Nullable Acknowledgement acknowledgement,
        List<? extends Acknowledgement> acknowledgements) {

    /** One entry or a batch. */
    static ListenerInput of(List<? extends Delivery<?>> batch) {
        return new ListenerInput(batch, null, null, List.of());
    }

    /** One entry or a batch, acknowledged as a whole or entry by entry. */
    static ListenerInput of(
            List<? extends Delivery<?>> batch, Acknowledgement all, List<? extends Acknowledgement> each) {
        return new ListenerInput(batch, null, all, each);
    }

    static ListenerInput of(Adoption<?> adoption) {
        return new ListenerInput(List.of(adoption.delivery()), adoption, null, List.of());
    }

    Delivery<?> delivery() {
        return deliveries.get(0);
    }

    Adoption<?> adoptionOrFail() {
        return Objects.requireNonNull(adoption, "not an adoption");
    }
}
