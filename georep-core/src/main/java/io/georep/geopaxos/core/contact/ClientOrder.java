package io.georep.geopaxos.core.contact;

import io.georep.geopaxos.core.contact.Contact.Call;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.execution.Rules;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one client that meet take effect in the order of their numbers, if this node was asked for the earlier one before, or in
 * its place. So the groups are asked for the later one when the earlier one was executed here, whatever became of links, leaders and
 * objects meanwhile; what does not meet is under way at the same time. Links and logs alone do not keep the order: an attempt can be lost
 * and the next one not, and of two operations with different groups the later one may get the lower timestamp.
 */
final class ClientOrder {
    /** Who looks past so many earlier ones of its client waits for the last of them, so that an operation costs a bounded time. */
    static final int LOOKS_BACK = 1000;

    /** One call with a number, until it has its answer. A client may repeat it before: then there are two, which do not wait for each other. */
    static final class Place implements Comparable<Place> {
        final Call call;
        private final Footprint footprint;
        private final long arrival;

        /** Those that are looked at again when this one has its answer. */
        private final TreeMap<Place, Place> waiters = new TreeMap<>();

        private Place(Call call, Footprint footprint, long arrival) {
            this.call = call;
            this.footprint = footprint;
            this.arrival = arrival;
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

    ClientOrder(Rules rules) {
        this.rules = rules;
    }

    /** Returns how many calls wait for earlier ones. */
    int held() {
        return held;
    }

    /** A call with a number comes in. */
    Place add(Call call, Footprint footprint) {
        Place place = new Place(call, footprint, ++arrivals);
        open.put(place, place);
        return place;
    }

    /** Returns whether the groups can be asked now. Otherwise {@link #ends} says when. */
    boolean isNext(Place place) {
        Place before = before(place);
        if (before != null) {
            before.waiters.put(place, place);
            held++;
        }
        return before == null;
    }

    /** The last one: if that waits as well, nothing else need be looked at before it has its answer. */
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
    void ends(Place place, Consumer<Place> ask) {
        open.remove(place);
        for (Place each : place.waiters.keySet()) {
            held--;
            if (isNext(each)) {
                ask.accept(each);
            }
        }
    }
}
