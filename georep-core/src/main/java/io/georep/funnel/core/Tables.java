package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Slice;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What was committed, in memory and in the store: keys and the last operations of clients. All of them form a list in the order of
 * their newest commits, so everything newer than a version is the end of that list.
 */
final class Tables {
    /** A time to live. Void when the cell has a newer commit. */
    record Due(long at, Cell cell, long view, long commit) {
        boolean isValid() {
            return cell.view == view && cell.commit == commit;
        }
    }

    private static final int EXPIRIES_MIN = 1024;

    private final int clientsMax;

    /** Only looked up, never walked through. */
    private final Map<Slice, Cell> cells = new HashMap<>();

    /** Only looked up, too. */
    private final Map<String, ClientRecord> clients = new HashMap<>();

    /** The clients by their last commits. The order in which these came does not matter, so all members forget the same clients. */
    private final TreeMap<Version, ClientRecord> clientsByCommit = new TreeMap<>();

    private final PriorityQueue<Due> expiries = new PriorityQueue<>(
            Comparator.comparingLong(Due::at).thenComparingLong(Due::view).thenComparingLong(Due::commit));
    private final Removals removals = new Removals();
    private final List<Cursor> cursors = new ArrayList<>();
    private @Nullable Item newest;
    private @Nullable Item oldest;

    /** The last item that came and was not the newest. The next one mostly belongs shortly behind it. */
    private @Nullable Item late;

    private long keys;
    private long bytes;
    private long expiring;
    private long born;

    /** A place in the list that stays valid while the list changes. */
    static final class Cursor {
        /** The item to go on with; null for those that are yet to come. */
        @Nullable
        Item next;
    }

    Tables(int clientsMax) {
        this.clientsMax = clientsMax;
    }

    /**
     * Reads everything, and tells of each key; returns the newest version.
     *
     * @param batch deletes clients from the store if there are too many
     */
    Version boot(EntryStore store, StoreBatch batch, Consumer<Cell> found) {
        List<Item> items = new ArrayList<>();
        store.scanNow(FunnelLayout.first('O'), FunnelLayout.behind('O'), (place, record) -> {
            items.add(ClientRecord.read(place.clone(), record.toArray()));
            return true;
        });
        store.scanNow(FunnelLayout.first('C'), FunnelLayout.behind('C'), (place, record) -> {
            Cell cell = Cell.of(place.clone(), record.toArray());
            cells.put(cell.key, cell);
            items.add(cell);
            found.accept(cell);
            return true;
        });
        // Stable: of one commit the client comes before the key.
        items.sort((a, b) -> Version.compare(a.view, a.commit, b.view, b.commit));
        for (Item item : items) {
            if (item instanceof Cell cell) {
                changed(cell, 0);
            } else if (item instanceof ClientRecord client) {
                add(client);
            }
        }
        forgetClients().forEach(record -> batch.delete(record.storeKey()));
        return newest();
    }

    /** Returns the newest version of all. */
    Version newest() {
        return newest == null ? Version.NONE : new Version(newest.view, newest.commit);
    }

    long keys() {
        return keys;
    }

    /** Keys and values, also the values that clients' last operations met. */
    long bytes() {
        return bytes;
    }

    /** Returns how many removals are known. */
    int removals() {
        return removals.size();
    }

    @Nullable
    Cell find(Slice key) {
        return cells.get(key);
    }

    Cell cell(Slice key) {
        Cell cell = cells.get(key);
        if (cell == null) {
            cell = new Cell(FunnelLayout.keyPlace(key));
            cells.put(cell.key, cell);
        }
        return cell;
    }

    @Nullable
    ClientRecord client(String name) {
        return clients.get(name);
    }

    /** Takes the record of a client. If there are too many, forgets and returns those not heard of for longest. */
    List<ClientRecord> put(ClientRecord record) {
        remove(clients.get(record.client));
        add(record);
        return forgetClients();
    }

    private List<ClientRecord> forgetClients() {
        if (clients.size() <= clientsMax) {
            return List.of();
        }
        List<ClientRecord> forgotten = new ArrayList<>();
        while (clients.size() > clientsMax && !clientsByCommit.isEmpty()) {
            ClientRecord oldest = clientsByCommit.firstEntry().getValue();
            remove(oldest);
            forgotten.add(oldest);
        }
        return forgotten;
    }

    private void add(ClientRecord record) {
        clients.put(record.client, record);
        clientsByCommit.put(new Version(record.view, record.commit), record);
        bytes += record.bytes();
        append(record);
    }

    private void remove(@Nullable ClientRecord record) {
        if (record != null) {
            clients.remove(record.client);
            clientsByCommit.remove(new Version(record.view, record.commit));
            bytes -= record.bytes();
            unlink(record);
        }
    }

    /** A cell has a newer commit; it had a value of so many bytes before, with its key. */
    void changed(Cell cell, long bytesBefore) {
        long after = cell.bytes();
        cell.born = cell.born == 0 ? ++born : cell.born;
        keys += (after > 0 ? 1 : 0) - (bytesBefore > 0 ? 1 : 0);
        bytes += after - bytesBefore;
        unlink(cell);
        append(cell);
        if (cell.value == null) {
            removals.add(cell);
        } else if (cell.expiresAt > 0) {
            expiring++;
            expiries.add(new Due(cell.expiresAt, cell, cell.view, cell.commit));
            if (expiries.size() > EXPIRIES_MIN && expiries.size() > 2 * expiring) {
                expiries.removeIf(expiry -> !expiry.isValid());
                expiring = expiries.size();
            }
        }
    }

    /** Called before a cell gets a newer commit. */
    void changing(Cell cell) {
        if (cell.value != null) {
            expiring -= cell.expiresAt > 0 ? 1 : 0;
        } else if (cell.view > 0) {
            removals.leave();
        }
    }

    /** Returns the next key whose time is to come; null if there is none. */
    @Nullable
    Due firstExpiry() {
        Due first = expiries.peek();
        while (first != null && !first.isValid()) {
            expiries.remove();
            first = expiries.peek();
        }
        return first;
    }

    /** Looks at a time to live again later. */
    void postpone(Due due, long until) {
        expiries.remove();
        expiries.add(new Due(until, due.cell, due.view, due.commit));
    }

    /** Requires what always holds for the counters. */
    void check() {
        boolean fits = expiring >= 0 && keys >= 0 && keys <= bytes && removals.fits();
        BrokenInvariantException.require(fits, "each key takes bytes", this);
        BrokenInvariantException.require((newest == null) == (oldest == null), "a list has two ends", this);
        BrokenInvariantException.require(newest != null || bytes == 0, "nothing is counted where nothing is", this);
    }

    /** Returns what they count. */
    @Override
    public String toString() {
        return keys + " keys, " + expiring + " of them with a time to live, and " + clients.size() + " clients of "
                + bytes + " bytes";
    }

    /** Removes a cell that has neither commits nor writes. */
    void tidy(Cell cell) {
        if (cell.view == 0 && !cell.isDirty() && cell.own == 0) {
            cells.remove(cell.key);
        }
    }

    /** Returns whether a removal may be forgotten up to this version. */
    boolean hasRemoval(Version upTo) {
        return removals.has(upTo);
    }

    /**
     * Forgets some of the removals up to a version that all members have applied. Returns those keys, for the store.
     *
     * @param applied of all members
     * @param leastClock removals with this clock or a greater one stay: writes that they settled are still in the store
     * @param needed for which keys they stay
     */
    List<Cell> forgetRemovals(Version applied, long leastClock, Predicate<Cell> needed) {
        List<Cell> forgotten = removals.forget(applied, leastClock, needed);
        for (Cell cell : forgotten) {
            unlink(cell);
            cells.remove(cell.key);
        }
        return forgotten;
    }

    /** Drops everything that was committed; the caller is told of each key that has no uncommitted writes. */
    void clear(StoreBatch batch, Consumer<Cell> dropped) {
        Item item = newest;
        while (item != null) {
            Item before = item.previous;
            item.previous = null;
            item.next = null;
            if (item instanceof Cell cell) {
                cell.forget();
                if (!cell.isDirty() && cell.own == 0) {
                    cells.remove(cell.key);
                    dropped.accept(cell);
                }
            }
            item = before;
        }
        clients.clear();
        clientsByCommit.clear();
        removals.clear();
        expiries.clear();
        newest = null;
        oldest = null;
        late = null;
        keys = 0;
        bytes = 0;
        expiring = 0;
        cursors.forEach(cursor -> cursor.next = null);
        batch.deleteRange(FunnelLayout.first('C'), FunnelLayout.behind('C'));
        batch.deleteRange(FunnelLayout.first('O'), FunnelLayout.behind('O'));
    }

    private void append(Item item) {
        Item after = firstNewer(item);
        Item before = after == null ? newest : after.previous;
        item.previous = before;
        item.next = after;
        if (before == null) {
            oldest = item;
        } else {
            before.next = item;
        }
        if (after == null) {
            newest = item;
        } else {
            after.previous = item;
            late = item;
        }
        for (Cursor cursor : cursors) {
            if (cursor.next == null || isNewer(cursor.next, item)) {
                cursor.next = item; // goes back if it was past this place already
            }
        }
    }

    /** Returns the item before which this one belongs; null for the end. Only transfers bring any but the newest. */
    private @Nullable Item firstNewer(Item item) {
        Item after = newest;
        if (after == null || !isNewer(after, item)) {
            return null;
        }
        if (late != null && !isNewer(late, item)) {
            after = late.next;
            while (after != null && !isNewer(after, item)) {
                after = after.next;
            }
            return after;
        }
        while (after.previous != null && isNewer(after.previous, item)) {
            after = after.previous;
        }
        return after;
    }

    private static boolean isNewer(Item item, Item than) {
        return Version.compare(item.view, item.commit, than.view, than.commit) > 0;
    }

    private void unlink(Item item) {
        Item before = item.previous;
        Item after = item.next;
        late = late == item ? before : late;
        if (before == null && after == null && newest != item) {
            return;
        }
        for (Cursor cursor : cursors) {
            if (cursor.next == item) {
                cursor.next = after;
            }
        }
        if (before == null) {
            oldest = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        } else {
            newest = before;
        }
        item.previous = null;
        item.next = null;
    }

    /**
     * Returns a place behind everything up to a version. Looks from both ends, because a node that asks mostly has
     * nothing or nearly everything.
     */
    Cursor after(Version version) {
        Cursor cursor = new Cursor();
        Item front = oldest;
        Item back = newest;
        while (front != null && back != null && !front.isNewerThan(version) && back.isNewerThan(version)) {
            front = front.next;
            back = back.previous;
        }
        if (front != null && front.isNewerThan(version)) {
            cursor.next = front;
        } else if (back != null) {
            cursor.next = back.next;
        }
        cursors.add(cursor);
        return cursor;
    }

    /** For tests: how many places are kept. */
    int cursors() {
        return cursors.size();
    }

    void close(Cursor cursor) {
        cursors.remove(cursor);
    }
}
