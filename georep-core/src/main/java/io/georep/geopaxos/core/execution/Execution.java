package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.execution.Executor.Outcome;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece.Name;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/** What becomes of an operation whose turn has come: it is executed in the present state, or there is a reason not to. */
final class Execution {
    private final Service service;
    private final Rules rules;
    private final Placement placement;
    private final ExecutedTable table;
    private final StaleNames stale;
    private final Executor.Listener listener;
    final Changes changes = new Changes();

    /** Objects out of which others have come, or that are gone, by the operation that is being executed. */
    private final List<Long> changed = new ArrayList<>();

    private final Service.Births births = new Service.Births() {
        @Override
        public void born(long object, long from) {
            placement.born(object, from);
            stale.add(Name.object(object));
            changed.add(from);
        }

        @Override
        public void died(long object) {
            placement.died(object);
            stale.add(Name.object(object));
            changed.add(object);
        }
    };

    Execution(
            Service service,
            Rules rules,
            Placement placement,
            ExecutedTable table,
            StaleNames stale,
            Executor.Listener listener) {
        this.service = service;
        this.rules = rules;
        this.placement = placement;
        this.table = table;
        this.stale = stale;
        this.listener = listener;
    }

    /**
     * Executes an operation. If that fails, nobody looks any more: the state cannot be trusted.
     *
     * @return objects out of which others have come, or that are gone, by that
     */
    List<Long> execute(Pending each) {
        changed.clear();
        changes.begin();
        if (each.operation.kind() == Operation.MOVE) {
            move(each.operation, each.bound());
        } else {
            serve(each.operation, each);
        }
        changes.end();
        return changed;
    }

    /** Returns whether its groups are enough in the present state. */
    boolean isCovered(Operation operation) {
        return !accesses(operation).isMissing;
    }

    private CheckedAccesses accesses(Operation operation) {
        return CheckedAccesses.of(operation, service, rules, placement);
    }

    private void move(Operation operation, long timestamp) {
        Move move = Move.read(operation.body());
        for (long object : move.objects()) {
            // An object that is gone may be gone here only, so it has no groups.
            if (service.has(object) && rules.moves(move, placement.of(object))) {
                placement.put(object, move.to());
                stale.add(Name.object(object));
            }
        }
        listener.done(operation, timestamp, Outcome.EXECUTED, Slice.EMPTY);
    }

    private void serve(Operation operation, Pending each) {
        long timestamp = each.bound();
        CheckedAccesses accesses = accesses(operation);
        if (accesses.isMissing) {
            listener.done(operation, timestamp, Outcome.UNCOVERED, Slice.EMPTY);
            return;
        }
        if (!accesses.isUsed && each.footprint.hasObjects()) {
            listener.done(operation, timestamp, Outcome.GONE, Slice.EMPTY);
            return;
        }
        if (accesses.writes && operation.kind() == Operation.READ) {
            listener.done(operation, timestamp, Outcome.REFUSED, Slice.EMPTY);
            return;
        }
        if (accesses.writes && rules.wasExecuted(operation, table)) {
            Slice before = table.result(operation.client(), operation.sequence());
            listener.done(
                    operation,
                    timestamp,
                    before == null ? Outcome.FORGOTTEN : Outcome.REPEATED,
                    before == null ? Slice.EMPTY : before);
            return;
        }
        Slice result = run(operation.body());
        accesses.written.forEach(object -> stale.add(Name.object(object)));
        if (accesses.writes && operation.isNumbered()) {
            table.put(operation, result);
        }
        listener.done(operation, timestamp, Outcome.EXECUTED, result);
    }

    /** Executes an operation in the present state. */
    Slice run(Slice body) {
        return service.execute(body, births);
    }
}
