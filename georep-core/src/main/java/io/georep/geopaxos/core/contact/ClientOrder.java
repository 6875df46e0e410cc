package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.contact.Submissions.Call;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Rules;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps operations of one client that meet in the order of their numbers, as far as they are called at this node in
 * that order. The groups are asked for the later one only when the earlier one was executed here, whatever became of
 * links, leaders and objects meanwhile. Operations that do not meet are under way at the same time. Links and logs
 * alone do not keep the order: an attempt can be lost while the next one arrives, and of two operations with different
 * groups the later one may get the lower timestamp.
 */
public final class ClientOrder {
    /**
     * With so many earlier calls of its client, a call waits for the last one that it has looked at. So an operation
     * costs a bounded time.
     */
    static final int LOOKS_BACK = 1000;

    /**
     * A call with a number, until it has its answer. If its client repeats it before, there are two of them, which do
     * not wait for each other.
     */
    public static final class Place implements Comparable<Place> {
        final Call call;
        private final Footprint footprint;
        private final long arrival;

        /** Later calls, which are looked at again when this one has its answer. */
        private final TreeMap<Place, Place> waiters = new TreeMap<>();

        private Place(Call call, Footprint footprint, long arrival) {
            this.call = call;
            this.footprint = footprint;
            this.arrival = arrival;
        }

        /** Returns the call that has this place. */
        public Call call() {
            return call;
        }

        @Override
        public int compareTo(Place other) {
            int byClient = Long.compare(call.client(), other.call.client());
            int byNumber = byClient != 0 ? byClient : Long.compare(call.sequence(), other.call.sequence());
            return byNumber != 0 ? byNumber : Long.compare(arrival, other.arrival);
        }
    }

    private final Rules rules;
    private final TreeMap<Place, Place> open = new TreeMap<>();
    private long arrivals;
    private int held;

    /** Creates an order of no calls. */
    public ClientOrder(Rules rules) {
        this.rules = rules;
    }

    /** Returns how many calls wait for earlier ones. */
    int held() {
        return held;
    }

    /** A call with a number comes in. */
    public Place add(Call call, Footprint footprint) {
        Place place = new Place(call, footprint, ++arrivals);
        open.put(place, place);
        return place;
    }

    /** Returns whether the groups can be asked now. Otherwise {@link #ends} says when. */
    public boolean isNext(Place place) {
        Place before = before(place);
        if (before != null) {
            before.waiters.put(place, place);
            held++;
        }
        return before == null;
    }

    /**
     * Returns the last call that a later one must wait for; null if there is none. What that one waits for itself need
     * not be looked at.
     */
    private @Nullable Place before(Place later) {
        int looked = 0;
        for (Map.Entry<Place, Place> each = open.lowerEntry(later);
                each != null;
                each = open.lowerEntry(each.getKey())) {
            Place earlier = each.getKey();
            if (earlier.call.client() != later.call.client()) {
                return null;
            }
            boolean isRepeated = earlier.call.sequence() == later.call.sequence();
            if (!isRepeated && (++looked == LOOKS_BACK || rules.follows(later.footprint, earlier.footprint))) {
                return earlier;
            }
        }
        return null;
    }

    /** A call has its answer. */
    public void ends(Place place, Consumer<Place> ask) {
        open.remove(place);
        for (Place each : place.waiters.keySet()) {
            held--;
            if (isNext(each)) {
                ask.accept(each);
            }
        }
    }
}
