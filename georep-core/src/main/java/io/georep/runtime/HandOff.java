package io.georep.runtime;

import io.georep.concurrent.LinkedHandOff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hands items of many threads to one, in order per thread. */
class HandOff<E> extends LinkedHandOff<HandOff.Item<E>> {
    /** An item with its link. */
    static final class Item<E> implements Link<Item<E>> {
        private final E item;
        private @Nullable Item<E> next;

        Item(E item) {
            this.item = item;
        }

        @Override
        public @Nullable Item<E> next() {
            return next;
        }

        @Override
        public void next(@Nullable Item<E> link) {
            next = link;
        }
    }

    /** Hands an item over. Returns false, and drops it, if the consumer is gone. */
    boolean offer(E item) {
        return push(new Item<>(item));
    }

    /** Consumer: appends at most {@code max} items to the list and returns how many. */
    int drainTo(List<? super E> into, int max) {
        int count = 0;
        for (Item<E> next = max > 0 ? peek() : null; next != null; next = count < max ? peek() : null) {
            into.add(next.item);
            remove();
            count++;
        }
        return count;
    }
}
