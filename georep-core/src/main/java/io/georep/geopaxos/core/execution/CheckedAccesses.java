package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.Operation;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether groups are enough for the objects that an operation uses. Stops at the first object that others may be changing now: from there
 * on, nodes may see different objects.
 */
final class CheckedAccesses implements Service.Accesses {
    private final int groups;
    private final Rules rules;
    private final Placement placement;
    boolean isUsed;
    boolean writes;
    boolean isMissing;
    final List<Long> written = new ArrayList<>();

    private CheckedAccesses(int groups, Rules rules, Placement placement) {
        this.groups = groups;
        this.rules = rules;
        this.placement = placement;
    }

    static CheckedAccesses of(Operation operation, Service service, Rules rules, Placement placement) {
        CheckedAccesses accesses = new CheckedAccesses(operation.groups(), rules, placement);
        service.trace(operation.body(), accesses);
        return accesses;
    }

    @Override
    public boolean use(long object, boolean write) {
        isUsed = true;
        writes |= write;
        if (write) {
            written.add(object);
        }
        isMissing |= !rules.covers(groups, placement.of(object), write);
        return !isMissing;
    }
}
