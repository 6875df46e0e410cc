package io.georep.geopaxos.core;

import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.StatePiece.Name;
import io.georep.model.Slice;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What an executor holds, piece by piece: all of it, or what has changed. */
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

    /** Returns everything of this moment but the lanes. */
    Iterator<StatePiece> pieces() {
        List<StatePiece> small = table.pieces();
        for (Pending each : rules.keepsWaiting() ? backlog.all() : List.<Pending>of()) {
            small.add(new StatePiece(Objects.requireNonNull(each.name), each.content()));
        }
        Placement places = placement.copy();
        Iterator<Service.Content> objects = service.contents();
        Iterator<StatePiece> rest = small.iterator();
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
                Service.Content object = objects.next();
                return new StatePiece(
                        Name.object(object.object()), content(places.of(object.object()), object.bytes()));
            }
        };
    }

    private static Slice content(int groups, Slice object) {
        return new BinWriter(4 + object.length()).i32(groups).raw(object).toSlice();
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
                sink.accept(name, content(placement.of(name.first()), service.content(name.first())));
            } else {
                sink.accept(name, null);
            }
        }
        if (rules.keepsWaiting()) {
            backlog.changes(sink);
        }
    }
}
