package io.georep.flagons.core;

import io.georep.model.BrokenInvariantException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * EpTO: spreads events as rumours, and delivers them in one order. An event is stable when it is so old that nearly
 * everybody has heard of it. Stable events are delivered in their order as long as no unstable one has a smaller
 * place.
 */
final class Epidemic {
    /** In hops, a delivered event is remembered for so many horizons, so that it is passed on once. */
    private static final int HORIZONS_REMEMBERED = 3;

    /** After so many horizons an event was delivered everywhere; half of that is for clocks that differ. */
    private static final int HORIZONS_SETTLED = 2;

    /** Names leave once in so many rounds: a message costs more than the names in it. */
    private static final int HINTS_EVERY = 2;

    private final Contact self;
    private final FleetSettings settings;
    private final FleetRules rules;
    private final FleetClock clock;
    private final FleetCounters counters;
    private final Effort effort;
    private final Writers writers;
    private final Consumer<Event> late;
    private final Map<OrderKey, Flight> flights = new LinkedHashMap<>();
    private final Map<Long, Flight> byHash = new HashMap<>();
    private final Hints hints = new Hints();
    private final TreeMap<OrderKey, Flight> waiting = new TreeMap<>();
    private final List<Flight> relaying = new ArrayList<>();
    private final Room room;
    private int rounds;
    private OrderKey last = OrderKey.FIRST;
    private boolean heard;

    /** So much of the last time does not count; see {@link Hearing}. */
    private long stoodStillMillis;

    Epidemic(
            Contact self,
            FleetSettings settings,
            FleetRules rules,
            FleetCounters counters,
            Effort effort,
            Writers writers,
            Consumer<Event> late) {
        this.self = self;
        this.settings = settings;
        this.rules = rules;
        this.counters = counters;
        this.effort = effort;
        this.writers = writers;
        room = new Room(settings.perSourceMax(), self.address());
        this.late = late;
        clock = new FleetClock(!settings.paper());
    }

    void stoodStill(long millis) {
        stoodStillMillis = millis;
    }

    /** Drops what was made here since then and still waits: it leaves so late that nobody believes it. */
    void drop(long since) {
        waiting.values().removeIf(flight -> {
            flight.waits &= flight.bornAt < since || !flight.from.equals(self.address());
            return !flight.waits;
        });
    }

    /** Returns the place of the event that was delivered last. */
    OrderKey last() {
        return last;
    }

    /** Returns up to where this node has heard of everything, unless it has holes; it moves on while nothing happens. */
    OrderKey frontier(long wall) {
        return OrderKey.max(last, passed(wall));
    }

    /** The same by the clock alone: what was delivered may be of a node whose clock is ahead, or that lies. */
    OrderKey passed(long wall) {
        return settings.paper() ? last : before(wall - stoodStillMillis, HORIZONS_SETTLED * effort.horizon());
    }

    /** Returns a place that others have passed, too, even if their clocks are behind. */
    OrderKey settled(long wall) {
        return settings.paper() ? last : before(wall - stoodStillMillis, (HORIZONS_SETTLED + 1) * settings.horizon());
    }

    private static OrderKey before(long wall, long millis) {
        return new OrderKey(FleetClock.timeOf(wall - millis), Long.MIN_VALUE);
    }

    FleetClock clock() {
        return clock;
    }

    /** Returns whether the time of this node's events is far ahead of the wall clock: one of both is wrong. */
    boolean isAhead(long wall) {
        return !isReachable(clock.latest(), wall);
    }

    /**
     * Goes on from now, when others confirm the wall clock. What this node has made by a clock that was far ahead is in no order with
     * the events of the others, who refuse it. What of that still waits counts as a late event does.
     */
    void setBack(long wall) {
        OrderKey present = before(wall, 0);
        clock.setBack(wall);
        last = last.compareTo(present) > 0 ? present : last;
        Map<OrderKey, Flight> ahead = waiting.tailMap(present, false);
        List<Flight> wrong = List.copyOf(ahead.values());
        ahead.clear();
        for (Flight flight : wrong) {
            flight.waits = false;
            late.accept(flight.event);
        }
    }

    /** Says that this node is one of the first, so that there is nothing to hear. */
    void founds() {
        heard = true;
    }

    /** Returns whether this node may make events: its clock is no longer behind. */
    boolean mayBroadcast() {
        return rules.mayBroadcast(heard || !settings.paper());
    }

    /** Returns whether so much of this node is on its way that others may refuse more of it, for itself or for a client. */
    boolean isFull(long source, String client) {
        return room.isFull(source, client);
    }

    /** Adds an event that is made here, for this node or a client, which leaves with the next ball. */
    void broadcast(Event event, String client, long now) {
        take(event, self.address(), client, 0, now);
    }

    /** Returns whether times can be believed: the event is neither from the future nor much older or younger than it says. */
    private boolean isCredible(Event event, long age, long wall) {
        if (settings.paper()) {
            return age >= 0 && event.key().time() >= 0;
        }
        long byClock = wall - FleetClock.millisOf(event.key().time());
        return age >= 0
                && isReachable(event.key().time(), wall)
                && Math.abs(byClock - age) <= settings.clockBoundMillis()
                && Math.max(byClock, age) < rememberedMillis();
    }

    /** Returns whether a time is not so far ahead that it must be wrong. */
    boolean isReachable(long time, long wall) {
        return settings.paper() || FleetClock.millisOf(time) - wall <= settings.clockBoundMillis();
    }

    /** Who shows an event again while it can be believed shows it to somebody who remembers it. */
    long rememberedMillis() {
        return 2 * settings.horizon() + settings.clockBoundMillis();
    }

    void receive(Ball ball, String from, long now, long wall) {
        for (int i = 0; i < ball.size(); i++) {
            Event event = ball.event(i);
            long age = ball.age(i);
            boolean isNew = !flights.containsKey(event.key());
            if (!isCredible(event, age, wall) || (isNew && !isWelcome(event, from, now))) {
                counters.refused++;
                continue;
            }
            heard = true;
            clock.saw(event.key().time());
            if (!settings.paper()) {
                // A source that makes its events look younger than they are would hold up everybody.
                age = Math.max(age, wall - FleetClock.millisOf(event.key().time()));
            }
            take(event, from, from, age, now);
        }
    }

    /**
     * Returns whether a node may bring an event: this node knows its own, and nobody waits for a list of keys. What costs most comes last.
     */
    private boolean isWelcome(Event event, String from, long now) {
        return event.key().source() != self.id()
                && event.operation().kind() != FleetOperation.Kind.LIST
                && room.has(event, from)
                && writers.allow(event, from, now);
    }

    private void take(Event event, String from, String client, long age, long now) {
        counters.copies++;
        Flight flight = flights.get(event.key());
        if (flight == null) {
            if (!room.take(event, from, client)) {
                counters.refused++;
                return;
            }
            flight = new Flight(event, from, client, now - age);
            flights.put(event.key(), flight);
            byHash.put(event.key().hash(), flight);
            hints.came(event.key().hash());
            if (!settings.paper() && age <= settings.horizon()) {
                flight.relays = settings.relays();
                relaying.add(flight);
            }
            if (rules.isLate(event.key(), last)) {
                effort.late(event);
                late.accept(event);
            } else {
                flight.waits = true;
                waiting.put(event.key(), flight);
            }
        }
        flight.bornAt = Math.min(flight.bornAt, now - age);
        if (settings.paper() && age < settings.horizon()) {
            flight.carried = flight.relays == 0 ? age : Math.max(flight.carried, age);
            flight.relays = 1;
        } else if (settings.paper()) {
            flight.hops = Math.max(flight.hops, age);
        }
    }

    private long age(Flight flight, long now) {
        return settings.paper() ? flight.hops : now - flight.bornAt;
    }

    /** What leaves in a round: whole events in balls, and the names of events that left whole before. */
    record Leaving(List<Ball> balls, List<Long> hints) {}

    /**
     * Returns what leaves in this round. Where hints are used, an event leaves whole at once, and its name in a round in which
     * names leave.
     */
    Leaving round(long now) {
        rounds++;
        if (settings.whole() == settings.fanout()) {
            return new Leaving(balls(settings.paper() ? inHops(now) : inTime(now), now), List.of());
        }
        List<Flight> whole = new ArrayList<>();
        List<Long> hints = new ArrayList<>();
        for (Flight flight : relaying) {
            if (flight.relays == settings.relays()) {
                whole.add(flight);
                flight.relays = 1;
            }
            if (rounds % HINTS_EVERY == 0) {
                hints.add(flight.event.key().hash());
                flight.relays = 0;
            }
        }
        forget(now);
        return new Leaving(balls(whole, now), hints);
    }

    /** Returns balls of events, each within the bound on bytes. */
    private List<Ball> balls(List<Flight> leaving, long now) {
        List<Ball> balls = new ArrayList<>();
        int begin = 0;
        int bytes = 0;
        for (int i = 0; i < leaving.size(); i++) {
            bytes += leaving.get(i).event.bytes();
            if (bytes > settings.ballBytesMax() && i > begin) {
                balls.add(ball(leaving.subList(begin, i), now));
                begin = i;
                bytes = leaving.get(i).event.bytes();
            }
        }
        if (begin < leaving.size()) {
            balls.add(ball(leaving.subList(begin, leaving.size()), now));
        }
        return balls;
    }

    /** Takes the names of events that another node has heard of. */
    void hinted(FleetMessage.Hint hint, String from) {
        for (long event : hint.events()) {
            if (!byHash.containsKey(event)) {
                hints.heard(event, hint.sender(), from);
            }
        }
    }

    /** Returns whom to ask for which events. */
    Map<String, List<Long>> wanted() {
        return hints.ask();
    }

    /** Returns the events that another node asks for, as far as they are here and fit into one ball: it asks for the others again. */
    List<Ball> found(List<Long> events, long now) {
        List<Flight> found = new ArrayList<>();
        int bytes = 0;
        for (long event : new LinkedHashSet<>(events)) {
            Flight flight = byHash.get(event);
            if (flight != null) {
                bytes += flight.event.bytes();
                if (bytes > settings.ballBytesMax() && !found.isEmpty()) {
                    break;
                }
                found.add(flight);
            }
        }
        return balls(found, now);
    }

    private List<Flight> inTime(long now) {
        List<Flight> leaving = List.copyOf(relaying);
        leaving.forEach(flight -> flight.relays--);
        forget(now);
        return leaving;
    }

    private void forget(long now) {
        relaying.removeIf(flight -> flight.relays == 0);
        // The first that came are the first to be forgotten; it does not matter if one keeps others for a while.
        Iterator<Flight> oldest = flights.values().iterator();
        while (oldest.hasNext() && isForgotten(oldest.next(), now, rememberedMillis())) {
            oldest.remove();
        }
    }

    private List<Flight> inHops(long now) {
        List<Flight> leaving = new ArrayList<>();
        for (Iterator<Flight> all = flights.values().iterator(); all.hasNext(); ) {
            Flight flight = all.next();
            flight.hops++;
            if (flight.relays > 0) {
                flight.relays--;
                flight.hops = Math.max(flight.hops, ++flight.carried);
                leaving.add(flight);
            } else if (isForgotten(flight, now, HORIZONS_REMEMBERED * settings.horizon())) {
                all.remove();
            }
        }
        return leaving;
    }

    /** Returns whether a flight is to be removed, and counts it as gone. */
    private boolean isForgotten(Flight flight, long now, long remembered) {
        if (flight.waits || flight.relays > 0 || age(flight, now) <= remembered) {
            return false;
        }
        byHash.remove(flight.event.key().hash());
        room.leave(flight.event, flight.from, flight.client);
        return true;
    }

    private Ball ball(List<Flight> leaving, long now) {
        List<Event> events = new ArrayList<>(leaving.size());
        long[] ages = new long[leaving.size()];
        for (int i = 0; i < ages.length; i++) {
            events.add(leaving.get(i).event);
            ages[i] = settings.paper() ? leaving.get(i).carried : now - leaving.get(i).bornAt;
        }
        return new Ball(events, ages);
    }

    /** Takes the events whose turn it is, in order. */
    List<Event> deliver(long now) {
        List<Event> delivered = new ArrayList<>();
        OrderKey unstable = null;
        for (Iterator<Flight> all = waiting.values().iterator(); all.hasNext(); ) {
            Flight flight = all.next();
            OrderKey key = flight.event.key();
            if (unstable != null && !rules.mayPass(key, unstable)) {
                break;
            }
            if (age(flight, now - stoodStillMillis) <= effort.horizon()) {
                unstable = unstable == null ? key : unstable;
                continue;
            }
            all.remove();
            flight.waits = false;
            last = key;
            effort.delivered(flight.event, age(flight, now));
            delivered.add(flight.event);
        }
        BrokenInvariantException.require(
                Math.max(waiting.size(), relaying.size()) <= flights.size() && byHash.size() <= flights.size(),
                "what waits, or is passed on, is on its way",
                "epidemic");
        return delivered;
    }

    /** Returns an event that is on its way; null if this node has not heard of it. */
    @Nullable
    Event find(OrderKey key) {
        Flight flight = flights.get(key);
        return flight == null ? null : flight.event;
    }

    int waiting() {
        return waiting.size();
    }

    int bytes() {
        return room.bytes();
    }
}
