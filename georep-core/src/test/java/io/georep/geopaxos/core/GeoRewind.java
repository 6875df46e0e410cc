package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Placement;
import io.georep.geopaxos.core.execution.Service;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What was executed first anywhere, in this order. If nodes are lost with what only they have executed, the single machine executes the rest anew:
 * each survivor must have got the same results.
 */
final class GeoRewind {
    private record First(Operation operation, Slice result) {}

    private List<First> firsts = new ArrayList<>();

    void executed(Operation operation, Slice result) {
        firsts.add(new First(operation, result));
    }

    /** Keeps what somebody has who is left; tells what is lost. */
    void keep(Predicate<Operation> isKept, Service fresh, Placement places, Consumer<Operation> lost) {
        List<First> kept = new ArrayList<>();
        for (First each : firsts) {
            if (!isKept.test(each.operation)) {
                lost.accept(each.operation);
                continue;
            }
            kept.add(each);
            if (each.operation.kind() == Operation.MOVE) {
                move(Move.read(each.operation.body()), fresh, places);
            } else {
                assertThat(fresh.execute(each.operation.body(), places))
                        .as("what %s gives without what is lost", each.operation)
                        .isEqualTo(each.result);
            }
        }
        firsts = kept;
    }

    private static void move(Move move, Service service, Placement places) {
        for (long object : move.objects()) {
            if (service.has(object) && places.of(object) == move.from()) {
                places.put(object, move.to());
            }
        }
    }
}
