package io.georep.spring.connect;

import io.georep.spring.DeadLetterException;
import org.jspecify.annotations.Nullable;

/** The reason of a dead letter that a connector made: where processing its record failed, and why. */
final class RecordDeadLetterException extends DeadLetterException {
    private static final long serialVersionUID = 1L;

    /** {@code more}: why the entry was not copied elsewhere; null if nobody wanted that. */
    RecordDeadLetterException(RecordFailedException failure, @Nullable String more) {
        super(failure.getMessage() + (more == null ? "" : "; " + more), failure.error());
    }
}
