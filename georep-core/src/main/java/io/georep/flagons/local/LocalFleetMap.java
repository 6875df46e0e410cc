package io.georep.flagons.local;

import io.georep.flagons.FleetChange;
import io.georep.flagons.FleetListener;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetOverturned;
import io.georep.flagons.FleetResult;
import io.georep.flagons.core.FleetOperation;
import io.georep.flagons.core.OrderKey;
import io.georep.flagons.core.Outcome;
import io.georep.model.GeoRepException;
import io.georep.model.Registration;
import io.georep.model.Slice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fleet map of one running node. */
final class LocalFleetMap<K, V> implements FleetMap<K, V> {
    private final LocalFleet fleet;
    private final FleetSpace<K, V> space;

    LocalFleetMap(LocalFleet fleet, FleetSpace<K, V> space) {
        this.fleet = fleet;
        this.space = space;
    }

    @Override
    public String name() {
        return space.name();
    }

    @Override
    public CompletionStage<FleetResult<V>> get(K key, FleetOptions options) {
        return ask(FleetOperation.Kind.GET, key, null, options);
    }

    @Override
    public CompletionStage<FleetResult<V>> put(K key, V value, FleetOptions options) {
        return ask(FleetOperation.Kind.PUT, key, value, options);
    }

    @Override
    public CompletionStage<FleetResult<V>> putIfAbsent(K key, V value, FleetOptions options) {
        return ask(FleetOperation.Kind.PUT_IF_ABSENT, key, value, options);
    }

    @Override
    public CompletionStage<FleetResult<V>> remove(K key, FleetOptions options) {
        return ask(FleetOperation.Kind.REMOVE, key, null, options);
    }

    private CompletionStage<FleetResult<V>> ask(
            FleetOperation.Kind kind, K key, @Nullable V value, FleetOptions options) {
        CompletableFuture<Outcome> answer;
        try {
            answer = fleet.ask(kind, space.key(key), value == null ? null : space.value(value), options);
        } catch (GeoRepException | IllegalStateException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        // It has no methods by which a caller could complete it.
        return answer.thenApply(this::result).minimalCompletionStage();
    }

    private FleetResult<V> result(Outcome outcome) {
        return new FleetResult<>(
                FleetResult.Status.valueOf(outcome.status().name()),
                LocalFleet.place(outcome.place()),
                space.valueOrNull(outcome.value()),
                LocalFleet.place(outcome.version()));
    }

    @Override
    public Registration watch(K key, FleetListener<K, V> listener) {
        return fleet.watches.add(space.key(key), true, told(listener));
    }

    @Override
    public Registration watchPrefix(K prefix, FleetListener<K, V> listener) {
        if (fleet.isClient) {
            throw new UnsupportedOperationException(
                    "a client of a fleet hears of no changes: watch single keys, which it reads twice a minute, or be a node");
        }
        return fleet.watches.add(space.key(prefix), false, told(listener));
    }

    private Watch.Listener told(FleetListener<K, V> listener) {
        return new Watch.Listener() {
            @Override
            public void changed(Slice key, @Nullable Slice bytes, OrderKey version, boolean corrected) {
                listener.changed(new FleetChange<>(
                        space.key(key), space.valueOrNull(bytes), LocalFleet.place(version), corrected));
            }

            @Override
            public void missed() {
                listener.missed();
            }

            @Override
            public void listed(boolean all) {
                listener.listed(all);
            }
        };
    }

    @Override
    public Registration onOverturned(Consumer<FleetOverturned<K, V>> callback) {
        return fleet.onOverturned(told -> {
            if (space.has(told.key())) {
                callback.accept(new FleetOverturned<>(
                        space.key(told.key()), LocalFleet.uuid(told.request()), result(told.now())));
            }
        });
    }

    @Override
    public String toString() {
        return "FleetMap[" + name() + "]";
    }
}
