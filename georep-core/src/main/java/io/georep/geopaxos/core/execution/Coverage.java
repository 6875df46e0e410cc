package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.Operation;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether groups are enough for the objects that an operation uses. Stops at the first object that others may be changing now: from there
 * on, nodes may see different objects.
 */
final class Coverage implements Service.Accesses {
    private final int groups;
    private final Rules rules;
    private final Placement placement;
    boolean isUsed;
    boolean writes;
    boolean isMissing;
    final List<Long> written = new ArrayList<>();

    private Coverage(int groups, Rules rules, Placement placement) {
        this.groups = groups;
        this.rules = rules;
        this.placement = placement;
    }

    static Coverage of(Operation operation, Service service, Rules rules, Placement placement) {
        Coverage coverage = new Coverage(operation.groups(), rules, placement);
        service.trace(operation.body(), coverage);
        return coverage;
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
