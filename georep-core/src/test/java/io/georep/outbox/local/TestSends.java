package io.georep.outbox.local;

import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.local.TurnSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Sends for tests of what lies below them. */
public final class TestSends {
    private final SendQueue queue;

    public TestSends(Runnable wake) {
        queue = new SendQueue(wake);
    }

    /** What the driver takes them from. */
    public TurnSource<OutboxCommand> source() {
        return queue;
    }

    /** Sends that are not offered yet. */
    public static List<CompletableFuture<EntryId>> create(int count) {
        return IntStream.range(0, count)
                .<CompletableFuture<EntryId>>mapToObj(i -> new PendingSend("q", 0, Slice.utf8("x")))
                .toList();
    }

    /** Links sends that were created in this order; returns the newest. */
    static PendingSend link(List<PendingSend> sends) {
        for (int i = 1; i < sends.size(); i++) {
            sends.get(i).next(sends.get(i - 1));
        }
        return sends.get(sends.size() - 1);
    }

    /** Offers sends together; those the driver takes no more fail at once. */
    public void offer(List<CompletableFuture<EntryId>> sends) {
        List<PendingSend> all = sends.stream().map(PendingSend.class::cast).toList();
        if (!queue.offer(link(all), all.get(0))) {
            all.forEach(TestSends::fail);
        }
    }

    /** Answers the send with this token; false when it was answered before. */
    public static boolean stored(Object token, EntryId id) {
        return ((PendingSend) token).stored(id);
    }

    /** After the driver's end: fails what it never saw, then what it did not answer; false when the former was answered. */
    public boolean end() {
        boolean unseenWereOpen = true;
        for (PendingSend send = queue.firstUnseen(); send != null; send = send.next()) {
            unseenWereOpen &= fail(send);
        }
        for (PendingSend send = queue.firstUnanswered(); send != null; send = send.next()) {
            fail(send);
        }
        return unseenWereOpen;
    }

    private static boolean fail(PendingSend send) {
        return send.failed(new ClosedException("the node is stopped"));
    }
}
