package io.georep.outbox.local;

import io.georep.concurrent.LinkedHandOff;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.local.TurnSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends of all threads on their way to the driver, which takes them as ONE command per turn. The sends link themselves;
 * only the first after an empty queue wakes the driver.
 *
 * <p>The driver also keeps the sends that it has taken in a chain, oldest first, until they are done. If the node
 * fails, each of them gets its error. The chain costs one write per send.
 */
final class SendQueue implements TurnSource<OutboxCommand> {
    /** Most sends in one turn. */
    static final int SENDS_PER_TURN = 4096;

    private final Runnable wake;
    private final LinkedHandOff<PendingSend> sends = new LinkedHandOff<>();

    // Below: driver only.
    private @Nullable PendingSend unansweredFirst;
    private @Nullable PendingSend unansweredLast;

    /** A queue that calls {@code wake} for the first send after none; the driver is to gather soon. */
    SendQueue(Runnable wake) {
        this.wake = wake;
    }

    /** Queues a chain of sends that was linked newest first; false when the driver is gone and nothing was queued. */
    boolean offer(PendingSend newest, PendingSend oldest) {
        LinkedHandOff.Pushed pushed = sends.push(newest, oldest);
        if (pushed == LinkedHandOff.Pushed.FIRST) {
            try {
                wake.run();
            } catch (Throwable e) {
                // What is queued is queued. The driver looks every second, too.
            }
        }
        return pushed != LinkedHandOff.Pushed.REFUSED;
    }

    @Override
    public OutboxCommand.@Nullable PutAll gather() {
        forgetAnswered();
        PendingSend send = sends.peek();
        if (send == null) {
            return null;
        }
        List<OutboxCommand.Put> puts = new ArrayList<>();
        while (send != null && puts.size() < SENDS_PER_TURN) {
            PendingSend next = send.next();
            OutboxCommand.Put put = send.put;
            if (put != null) {
                puts.add(put); // first, so that a failure below leaves the send where it is found at the end
            }
            sends.remove();
            send.put = null;
            expectAnswer(send);
            send = next;
        }
        return new OutboxCommand.PutAll(puts);
    }

    @Override
    public boolean isEmpty() {
        return sends.isEmpty();
    }

    /** Driver, at its end: refuses further sends. Needs no memory. */
    @Override
    public void close() {
        sends.close();
    }

    /** Driver, after {@link #close}: sends the protocol never saw. */
    @Nullable
    PendingSend firstUnseen() {
        return sends.peek();
    }

    /** Driver, at its end: sends the protocol saw and that were not answered yet when last looked at. */
    @Nullable
    PendingSend firstUnanswered() {
        return unansweredFirst;
    }

    private void expectAnswer(PendingSend send) {
        PendingSend last = unansweredLast;
        if (last == null) {
            unansweredFirst = send;
        } else {
            last.next(send);
        }
        unansweredLast = send;
    }

    private void forgetAnswered() {
        PendingSend first = unansweredFirst;
        while (first != null && first.isDone()) {
            PendingSend next = first.next();
            first.next(null);
            first = next;
        }
        unansweredFirst = first;
        if (first == null) {
            unansweredLast = null;
        }
    }
}
