package io.georep.spring.connect;

import io.georep.spring.connect.Tolerance.Stage;
import java.util.List;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.apache.kafka.connect.transforms.predicates.Predicate;
import org.jspecify.annotations.Nullable;

/** The transformations of one task, in their order. For the thread of that task. */
final class TransformChain<R extends ConnectRecord<R>> {
    /**
     * One transformation.
     *
     * @param predicate which records it is for; null for all
     * @param negate whether it is for the other records
     */
    record Step<R extends ConnectRecord<R>>(
            Transformation<R> transformation, @Nullable Predicate<R> predicate, boolean negate) {
        private boolean isFor(R record) {
            return predicate == null || predicate.test(record) != negate;
        }

        private @Nullable R apply(R record) {
            return isFor(record) ? transformation.apply(record) : record;
        }
    }

    private final List<Step<R>> steps;
    private final Tolerance tolerance;

    TransformChain(List<Step<R>> steps, Tolerance tolerance) {
        this.steps = List.copyOf(steps);
        this.tolerance = tolerance;
    }

    /** Returns the record as it comes out; null if a transformation filters it away. */
    @Nullable
    R apply(R record) throws RecordFailedException {
        R current = record;
        for (Step<R> step : steps) {
            R before = current;
            R after = tolerance.run(Stage.TRANSFORMATION, step.transformation().getClass(), () -> step.apply(before));
            if (after == null) {
                return null;
            }
            current = after;
        }
        return current;
    }
}
