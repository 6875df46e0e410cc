package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.Version;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Applies commits to the tables, in their order, which is the same on all nodes. Conditions and operation numbers are decided here, so
 * every node decides alike. Each commit raises the version of its key, also one that changes nothing: so a member that
 * gets the key later knows that the write is done.
 */
final class Commits {
    private final FunnelContext context;
    private List<FunnelEvent.Written> done = new ArrayList<>();
    private List<Object> unknown = new ArrayList<>();
    private List<FunnelEvent.Change> changes = new ArrayList<>();

    /** Changes up to this version were told before this node had to begin anew, also those of a transfer that was not complete. */
    private Version toldUntil = Version.NONE;

    Commits(FunnelContext context) {
        this.context = context;
    }

    /**
     * Applies a write as the next commit.
     *
     * @param atMillis the tail's wall clock at the commit: times to live count from it, on all members alike
     */
    void apply(Write write, long atMillis, Turn turn) {
        Version version =
                new Version(context.viewNumber(), context.progress.applied().commit() + 1);
        Cell cell = write.cell();
        Write.Content content = write.content;
        Slice before = cell.value;
        ClientRecord known = content.client() == null ? null : context.tables.client(content.client());
        boolean isRepeated = known != null && content.operation() <= known.operation;
        boolean applies = !isRepeated && holds(content, cell);
        Slice told = tells(content.kind(), applies) ? before : null;
        if (content.client() != null && !isRepeated) {
            // First, so that whoever gets the key later can tell the outcome.
            ClientRecord record = ClientRecord.of(content.client(), content.operation(), applies, told, version);
            forget(context.tables.put(record), turn);
            context.late.put(record, turn);
        }
        if (applies) {
            Slice value = content.value();
            boolean expires = value != null && content.lifeMillis() > 0;
            // No later than can be read again.
            long expiresAt = Math.min(FunnelBounds.WALL_MILLIS.max(), atMillis + content.lifeMillis());
            set(write, version, value, expires ? expiresAt : 0, turn);
        } else {
            set(write, version, before, cell.expiresAt, turn);
        }
        context.writes.remove(write, turn);
        context.progress.commit(version);
        context.figures.committed();
        if (applies && context.mirror.listening()) {
            changes.add(new FunnelEvent.Change(cell.key, cell.value, version.view(), version.commit()));
        }
        if (write.isAwaited()) {
            if (!isRepeated || known == null) {
                answer(write, applies, told);
            } else if (known.operation == content.operation()) {
                answer(write, known.applied, known.before);
            } else {
                unknown(write); // a later operation was faster; the record no longer tells of this one
            }
        }
    }

    private void forget(List<ClientRecord> oldest, Turn turn) {
        for (ClientRecord record : oldest) {
            context.store(turn).delete(record.storeKey());
        }
    }

    private static boolean holds(Write.Content content, Cell cell) {
        return switch (content.kind()) {
            case Write.PUT -> true;
            case Write.REMOVE -> cell.value != null;
            case Write.PUT_IF_ABSENT -> cell.value == null;
            case Write.REPLACE -> cell.value != null && cell.holds(content.expected());
            default -> cell.value != null && (cell.isOf(content.expiring()) || cell.endsAt(content));
        };
    }

    /**
     * Returns how many bytes more the client's record takes if the condition fails: the record then keeps a copy of the present
     * value.
     */
    int copied(FunnelCommand.Write write, @Nullable Cell cell) {
        if (write.kind() != FunnelCommand.Kind.PUT_IF_ABSENT
                || write.client() == null
                || cell == null
                || cell.value == null) {
            return 0;
        }
        ClientRecord known = context.tables.client(write.client());
        return Math.max(0, cell.value.length() - (known == null ? 0 : (int) known.bytes()));
    }

    private static boolean tells(int kind, boolean applies) {
        return kind == Write.REMOVE || (kind == Write.PUT_IF_ABSENT && !applies);
    }

    private void set(Write write, Version version, @Nullable Slice value, long expiresAt, Turn turn) {
        Cell cell = write.cell();
        long bytesBefore = cell.bytes();
        context.tables.changing(cell);
        cell.set(version, write.clock, write.head, value, expiresAt);
        context.tables.changed(cell, bytesBefore);
        context.late.put(cell, turn);
    }

    /** Takes a committed record of a key from another node; writes that it settles are done. */
    void take(Cell read, Turn turn) {
        Cell cell = context.tables.cell(read.key);
        if (Version.compare(read.view, read.commit, cell.view, cell.commit) <= 0) {
            context.tables.tidy(cell);
            return;
        }
        context.heardClock(read.clock);
        long bytesBefore = cell.bytes();
        // A removed key that was forgotten may have had a value that listeners were told.
        boolean isOther =
                !Objects.equals(cell.value, read.value) || (cell.view == 0 && !toldUntil.equals(Version.NONE));
        context.tables.changing(cell);
        cell.read(read.record());
        context.tables.changed(cell, bytesBefore);
        context.store(turn).put(cell.storeKey(), Slice.of(read.record()));
        context.figures.committed();
        while (cell.first != null && cell.isSettled(cell.first)) {
            settle(cell.first, turn);
        }
        context.shown.changed(cell);
        boolean isTold = Version.compare(cell.view, cell.commit, toldUntil.view(), toldUntil.commit()) <= 0;
        if (isOther && !isTold && context.mirror.listening()) {
            changes.add(new FunnelEvent.Change(cell.key, cell.value, cell.view, cell.commit));
        }
    }

    /** Called before everything is dropped: changes that were told already will come again. */
    void toldUntil(Version version) {
        toldUntil = toldUntil.isBefore(version) ? version : toldUntil;
    }

    /** Takes the record of a client from another node. */
    void takeClient(ClientRecord read, Turn turn) {
        ClientRecord known = context.tables.client(read.client);
        if (known == null || Version.compare(read.view, read.commit, known.view, known.commit) > 0) {
            List<ClientRecord> forgotten = context.tables.put(read);
            context.store(turn).put(read.storeKey(), Slice.of(read.record()));
            forget(forgotten, turn); // perhaps this one itself, if it comes late
        }
    }

    /** A write was committed while this node was not told in order. */
    private void settle(Write write, Turn turn) {
        context.writes.remove(write, turn);
        if (!write.isAwaited()) {
            return;
        }
        Write.Content content = write.content;
        ClientRecord known = content.client() == null ? null : context.tables.client(content.client());
        if (known != null && known.operation == content.operation()) {
            answer(write, known.applied, known.before);
        } else if (content.kind() == Write.PUT && content.client() == null) {
            answer(write, true, null);
        } else {
            unknown(write);
        }
    }

    /** Drops a write that no member of the view holds to be uncommitted. */
    void drop(Write write, Turn turn) {
        Cell cell = write.cell();
        boolean isSettled = cell.isSettled(write);
        if (isSettled) {
            settle(write, turn);
        } else {
            context.writes.remove(write, turn);
            unknown(write);
        }
        context.tables.tidy(cell);
    }

    /** Drops every write that is held, because others decide about them. */
    void dropAll(Turn turn) {
        context.writes.all().forEach(write -> drop(write, turn));
    }

    private void answer(Write write, boolean applied, @Nullable Slice before) {
        context.figures.written();
        done.add(new FunnelEvent.Written(write.takeToken(), applied, before));
    }

    /** The outcome of a write will not be known here. */
    void unknown(Write write) {
        if (write.isAwaited()) {
            unknown.add(write.takeToken());
            context.figures.indeterminate();
        }
    }

    void endOfTurn(Turn turn) {
        if (!done.isEmpty()) {
            turn.notify(new FunnelEvent.Done(done));
            done = new ArrayList<>();
        }
        if (!unknown.isEmpty()) {
            GeoRepException cause = new IndeterminateException("node " + context.self()
                    + " was not told in time whether the write was committed: it may be, or may still become so. Read the"
                    + " key, or repeat the write with the same operation number");
            turn.notify(new FunnelEvent.Failed(unknown, cause));
            unknown = new ArrayList<>();
        }
        if (!changes.isEmpty()) {
            turn.notify(new FunnelEvent.Changes(changes));
            changes = new ArrayList<>();
        }
    }
}
