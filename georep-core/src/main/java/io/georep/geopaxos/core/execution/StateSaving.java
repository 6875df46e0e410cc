package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Writes what an executor holds, piece by piece: all of it, or what has changed. */
final class StateSaving {
    private final Service service;
    private final Rules rules;
    private final Placement placement;
    private final ExecutedTable table;
    private final Backlog backlog;

    /** Pieces that have changed. */
    private final StaleNames stale;

    StateSaving(
            Service service, Rules rules, Placement placement, ExecutedTable table, Backlog backlog, StaleNames stale) {
        this.service = service;
        this.rules = rules;
        this.placement = placement;
        this.table = table;
        this.backlog = backlog;
        this.stale = stale;
    }

    /** Returns everything of this moment but the states of the groups. */
    Iterator<StatePiece> pieces() {
        List<StatePiece> small = table.pieces();
        for (Pending each : rules.keepsWaiting() ? backlog.all() : List.<Pending>of()) {
            small.add(new StatePiece(Objects.requireNonNull(each.name), each.content()));
        }
        return all(service.contents(), placement.copy(), small.iterator());
    }

    /** Returns objects with their groups, and then the rest. */
    private static Iterator<StatePiece> all(
            Iterator<Service.Content> objects, Placement places, Iterator<StatePiece> rest) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return objects.hasNext() || rest.hasNext();
            }

            @Override
            public StatePiece next() {
                if (!objects.hasNext()) {
                    return rest.next();
                }
                Service.Content next = objects.next();
                return new StatePiece(
                        Name.object(next.object()), StatePiece.object(places.of(next.object()), next.bytes()));
            }
        };
    }

    /** Tells what has changed since it was asked last: null for what is gone. */
    void changes(BiConsumer<Name, @Nullable Slice> sink) {
        for (Name name : stale.take()) {
            if (!rules.stores(name)) {
                continue;
            }
            if (name.kind() != StatePiece.OBJECT) {
                sink.accept(name, table.content(name));
            } else if (service.has(name.first())) {
                sink.accept(name, StatePiece.object(placement.of(name.first()), service.content(name.first())));
            } else {
                sink.accept(name, null);
            }
        }
        if (rules.keepsWaiting()) {
            backlog.changes(sink);
        }
    }
}
