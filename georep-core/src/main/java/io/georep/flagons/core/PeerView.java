package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Cyclon: a few contacts, as if drawn at random from the fleet. Nodes exchange some of them now and then, so those who
 * are gone disappear.
 */
final class PeerView {
    /** What a shuffle sends, and to whom. */
    record Outgoing(Contact to, List<Aged> entries) {}

    /** Nodes that did not reply are remembered: two halves of a split would never meet again otherwise. */
    private static final int LOST_MAX = 64;

    private final long self;
    private final int size;
    private final int length;
    private final RandomGenerator random;
    private final List<Aged> entries = new ArrayList<>();
    private final Map<String, Contact> lost = new LinkedHashMap<>();

    /** Whom the last shuffle went to; null after its reply. */
    private @Nullable Contact asked;

    private List<Aged> sent = List.of();

    PeerView(long self, FleetSettings settings, RandomGenerator random) {
        this.self = self;
        this.size = settings.viewSize();
        this.length = settings.shuffleLength();
        this.random = random;
    }

    List<Aged> entries() {
        return entries;
    }

    /** Returns what to send to the oldest contact, which makes room for news; null if there is none. */
    @Nullable
    Outgoing shuffle(Contact own) {
        if (asked != null) {
            remember(asked);
        }
        asked = null;
        if (entries.isEmpty()) {
            return null;
        }
        int oldest = 0;
        for (int i = 0; i < entries.size(); i++) {
            Aged entry = entries.get(i);
            entries.set(i, new Aged(entry.contact(), entry.age() + 1));
            oldest = entry.age() + 1 > entries.get(oldest).age() ? i : oldest;
        }
        Contact to = entries.remove(oldest).contact();
        asked = to;
        sent = sample(length - 1);
        List<Aged> message = new ArrayList<>(sent);
        message.add(new Aged(own, 0));
        return new Outgoing(to, message);
    }

    private void remember(Contact contact) {
        if (lost.size() >= LOST_MAX && !lost.containsKey(contact.address())) {
            lost.remove(lost.keySet().iterator().next());
        }
        lost.put(contact.address(), contact);
    }

    /** Returns a contact that was lost, and puts it last; null if there is none. */
    @Nullable
    Contact tryAgain() {
        if (lost.isEmpty()) {
            return null;
        }
        Contact first = lost.values().iterator().next();
        lost.remove(first.address());
        lost.put(first.address(), first);
        return first;
    }

    /** Takes the entries of another node's shuffle, and returns the reply. */
    List<Aged> reply(List<Aged> received) {
        List<Aged> reply = sample(length);
        merge(received, reply);
        return reply;
    }

    /** Takes the reply to the last shuffle. */
    void replied(Contact from, List<Aged> received) {
        lost.remove(from.address());
        if (asked != null && asked.id() == from.id()) {
            asked = null;
        }
        merge(received, sent);
        sent = List.of();
        // In a fleet that is not larger than a view there is room for everybody.
        merge(List.of(new Aged(from, 0)), List.of());
    }

    private void merge(List<Aged> received, List<Aged> replaceable) {
        int next = 0;
        for (Aged entry : received) {
            if (entry.contact().id() == self) {
                continue;
            }
            int known = indexOf(entry.contact().id());
            if (known >= 0) {
                if (entry.age() < entries.get(known).age()) {
                    entries.set(known, entry);
                }
            } else if (entries.size() < size) {
                entries.add(entry);
            } else {
                int place = -1;
                while (place < 0 && next < replaceable.size()) {
                    place = indexOf(replaceable.get(next++).contact().id());
                }
                if (place >= 0) {
                    entries.set(place, entry);
                }
            }
        }
    }

    private int indexOf(long id) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).contact().id() == id) {
                return i;
            }
        }
        return -1;
    }

    /** Returns so many different entries, or all. */
    List<Aged> sample(int count) {
        int all = entries.size();
        int taken = Math.min(count, all);
        for (int i = 0; i < taken; i++) {
            int other = i + random.nextInt(all - i);
            Aged entry = entries.get(i);
            entries.set(i, entries.get(other));
            entries.set(other, entry);
        }
        return new ArrayList<>(entries.subList(0, taken));
    }
}
