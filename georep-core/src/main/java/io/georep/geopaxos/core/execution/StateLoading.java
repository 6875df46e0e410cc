package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** A state on its way into an executor, piece by piece. Nothing of it shows before it is whole. */
public final class StateLoading {
    private final Executor executor;
    private final Service.Loading objects;
    final TreeMap<Long, Integer> places = new TreeMap<>();
    final ExecutedTable table;
    final List<Pending> waiting = new ArrayList<>();

    StateLoading(Executor executor) {
        this.executor = executor;
        table = executor.emptyTable();
        objects = executor.service().load();
    }

    /**
     * Takes a piece that is no head.
     *
     * @throws MalformedException if it is none
     */
    public void add(StatePiece piece) {
        StatePiece.Name name = piece.name();
        switch (name.kind()) {
            case StatePiece.OBJECT -> {
                BinReader in = new BinReader(piece.content());
                places.put(name.first(), groups(in));
                objects.add(name.first(), in.raw(in.remaining()));
            }
            case StatePiece.CLIENT, StatePiece.RESULT, StatePiece.RUN -> table.load(piece);
            case StatePiece.WAITING -> waiting.add(pending(piece));
            default -> throw new MalformedException("a piece of kind " + name.kind() + " of a state");
        }
    }

    private Pending pending(StatePiece piece) {
        // Copied: it must not keep the page that it came in.
        BinReader in = new BinReader(Slice.of(piece.content().toArray()));
        Operation operation = Operation.read(in);
        operation.check();
        Pending each = executor.waiting(operation);
        each.name = piece.name();
        each.isStored = true;
        each.readStamps(in);
        return each;
    }

    private int groups(BinReader in) {
        int groups = in.i32();
        if (groups <= 0 || groups >> GeoGroups.MAX != 0) {
            throw new MalformedException("an object of the groups " + groups);
        }
        return groups;
    }

    /** The objects take the place of the present ones. */
    void finish() {
        objects.finish();
    }
}
