package io.georep.outbox.local;

import io.georep.model.Slice;
import io.georep.outbox.core.OutboxCommand;
import io.georep.protocol.local.TurnSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
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
    private final PendingSend closed = new PendingSend("closed", 0, Slice.EMPTY);
    private final AtomicReference<@Nullable PendingSend> head = new AtomicReference<>();

    // Below: driver only.
    private @Nullable PendingSend taken;
    private @Nullable PendingSend unansweredFirst;
    private @Nullable PendingSend unansweredLast;

    /** A queue that calls {@code wake} for the first send after none; the driver is to gather soon. */
    SendQueue(Runnable wake) {
        this.wake = wake;
    }

    /** Queues a chain of sends that was linked newest first; false when the driver is gone and nothing was queued. */
    boolean offer(PendingSend newest, PendingSend oldest) {
        PendingSend before;
        do {
            before = head.get();
            if (before == closed) {
                oldest.next = null; // it was not queued behind others after all
                return false;
            }
            oldest.next = before;
        } while (!head.compareAndSet(before, newest));
        if (before == null) {
            try {
                wake.run();
            } catch (Throwable e) {
                // What is queued is queued. The driver looks every second, too.
            }
        }
        return true;
    }

    @Override
    public OutboxCommand.@Nullable PutAll gather() {
        forgetAnswered();
        if (taken == null) {
            taken = reversed(head.get() == null ? null : head.getAndSet(null));
            if (taken == null) {
                return null;
            }
        }
        List<OutboxCommand.Put> puts = new ArrayList<>();
        for (PendingSend send = taken; send != null && puts.size() < SENDS_PER_TURN; send = taken) {
            OutboxCommand.Put put = send.put;
            if (put != null) {
                puts.add(put); // what fails here leaves it to be found
            }
            taken = send.next;
            send.put = null;
            expectAnswer(send);
        }
        return new OutboxCommand.PutAll(puts);
    }

    @Override
    public boolean isEmpty() {
        return taken == null && head.get() == null;
    }

    /** Driver, at its end: refuses further sends. Needs no memory. */
    @Override
    public void close() {
        PendingSend stack = head.getAndSet(closed);
        PendingSend rest = reversed(stack == closed ? null : stack);
        PendingSend last = taken;
        if (last == null) {
            taken = rest;
            return;
        }
        while (last.next != null) {
            last = last.next;
        }
        last.next = rest;
    }

    /** Driver, after {@link #close}: sends the protocol never saw. */
    @Nullable
    PendingSend firstUnseen() {
        return taken;
    }

    /** Driver, at its end: sends the protocol saw and that were not answered yet when last looked at. */
    @Nullable
    PendingSend firstUnanswered() {
        return unansweredFirst;
    }

    private void expectAnswer(PendingSend send) {
        send.next = null;
        PendingSend last = unansweredLast;
        if (last == null) {
            unansweredFirst = send;
        } else {
            last.next = send;
        }
        unansweredLast = send;
    }

    private void forgetAnswered() {
        PendingSend first = unansweredFirst;
        while (first != null && first.isDone()) {
            PendingSend next = first.next;
            first.next = null;
            first = next;
        }
        unansweredFirst = first;
        if (first == null) {
            unansweredLast = null;
        }
    }

    private static @Nullable PendingSend reversed(@Nullable PendingSend stack) {
        PendingSend oldest = null;
        PendingSend send = stack;
        while (send != null) {
            PendingSend next = send.next;
            send.next = oldest;
            oldest = send;
            send = next;
        }
        return oldest;
    }
}
