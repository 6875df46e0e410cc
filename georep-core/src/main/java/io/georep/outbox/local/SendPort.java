package io.georep.outbox.local;

import io.georep.model.ClosedException;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/** The way of sends into the node. It checks every bound before anything is queued. Thread-safe. */
final class SendPort {
    private final SendQueue sends;
    private final SendBudget budget;
    private final int payloadBytesMax;
    private volatile boolean closed;

    SendPort(SendQueue sends, ProtocolConfig config) {
        this.sends = sends;
        this.budget = new SendBudget(config.pendingPutsMax(), config.pendingBytesMax());
        this.payloadBytesMax = config.payloadBytesMax();
    }

    SendBudget budget() {
        return budget;
    }

    /** Refuses everything from now on. */
    void close() {
        closed = true;
    }

    PendingSend send(LocalQueue queue, int f, Slice payload) {
        return send(queue, f, payload, false);
    }

    PendingSend send(LocalQueue queue, int f, Slice payload, boolean prepared) {
        PendingSend send = new PendingSend(queue.name, f, payload, prepared);
        if (admitted(queue, send, payload.length())) {
            offer(queue, send, send);
        }
        return send;
    }

    List<PendingSend> sendAll(LocalQueue queue, int f, List<Slice> payloads) {
        List<PendingSend> all = new ArrayList<>(payloads.size());
        PendingSend newest = null;
        PendingSend oldest = null;
        try {
            for (Slice payload : payloads) {
                PendingSend send = new PendingSend(queue.name, f, payload);
                all.add(send);
                if (admitted(queue, send, payload.length())) {
                    send.next(newest);
                    newest = send;
                    oldest = oldest == null ? send : oldest;
                }
            }
        } finally {
            if (newest != null && oldest != null) {
                // Also if memory runs out among them, because they have their room already.
                offer(queue, newest, oldest);
            }
        }
        return all;
    }

    /** Queues a chain of sends that were admitted, or gives their room back. */
    private void offer(LocalQueue queue, PendingSend newest, PendingSend oldest) {
        if (!sends.offer(newest, oldest)) {
            tooLate(queue, newest);
        }
    }

    private boolean admitted(LocalQueue queue, PendingSend send, int bytes) {
        if (closed) {
            queue.counters.rejected.increment();
            send.failed(closedException());
        } else if (bytes > payloadBytesMax) {
            queue.counters.rejected.increment();
            send.failed(new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "the payload with its headers has " + bytes + " bytes, payloadBytesMax is " + payloadBytesMax
                            + ": send less, or raise the limit on all nodes"));
        } else if (!budget.take(1, bytes)) {
            queue.counters.rejected.increment();
            send.failed(new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    budget.count() + " sends with " + budget.bytes() + " bytes wait for copies, allowed are "
                            + budget.countMax() + " (pendingPutsMax) with " + budget.bytesMax()
                            + " bytes (pendingBytesMax): send slower, or raise the limits"));
        } else {
            return true;
        }
        return false;
    }

    private void tooLate(LocalQueue queue, PendingSend newest) {
        for (PendingSend send = newest; send != null; send = send.next()) {
            budget.release(1, send.put == null ? 0 : send.put.payload().length());
        }
        for (PendingSend send = newest; send != null; send = send.next()) {
            queue.counters.rejected.increment();
            send.failed(closedException());
        }
    }

    static ClosedException closedException() {
        return new ClosedException("the node is stopped or stopping: nothing was stored, use another node");
    }
}
