package io.georep.flagons.core;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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

    /** A node that has not replied for so many ticks does not. */
    private static final int REPLY_TICKS = 24;

    /** Nodes that did not reply are remembered: two halves of a split would never meet again otherwise. */
    private static final int LOST_MAX = 64;

    private final long self;
    private final int size;
    private final int length;
    private final RandomGenerator random;
    private final Gone gone;
    private final List<Known> entries = new ArrayList<>();
    private final Map<String, Contact> lost = new LinkedHashMap<>();

    /** To whom shuffles went, and when, until they reply. */
    private final Map<Contact, Long> asked = new LinkedHashMap<>();

    private List<Known> sent = List.of();
    private long tick;

    PeerView(long self, FleetSettings settings, RandomGenerator random, Gone gone) {
        this.self = self;
        this.gone = gone;
        this.size = settings.viewSize();
        this.length = settings.shuffleLength();
        this.random = random;
    }

    List<Known> entries() {
        return entries;
    }

    /** Says how late it is. */
    void at(long now) {
        tick = now;
    }

    /** Returns what to send to the oldest contact, which makes room for news; null if there is none. */
    @Nullable
    Outgoing shuffle(Contact own) {
        if (entries.isEmpty()) {
            return null;
        }
        Known oldest = Collections.min(entries, Comparator.comparingLong(Known::since));
        entries.remove(oldest);
        asked.put(oldest.contact(), tick);
        sent = sample(length - 1);
        List<Aged> message = aged(sent);
        message.add(new Aged(own, 0));
        return new Outgoing(oldest.contact(), message);
    }

    private List<Aged> aged(List<Known> known) {
        List<Aged> aged = new ArrayList<>(known.size());
        known.forEach(entry -> aged.add(entry.aged(tick)));
        return aged;
    }

    /** Gives up those who have not replied for long, and returns how many. */
    int unanswered() {
        int before = asked.size();
        asked.entrySet().removeIf(entry -> {
            boolean isOver = tick - entry.getValue() > REPLY_TICKS;
            if (isOver) {
                remember(entry.getKey());
            }
            return isOver;
        });
        return before - asked.size();
    }

    /** Forgets a node that cannot be reached, and returns whether it was known. */
    boolean lose(String address) {
        return entries.removeIf(entry -> {
            boolean isIt = entry.contact().address().equals(address);
            if (isIt) {
                gone.add(entry.contact().id(), tick);
                remember(entry.contact());
            }
            return isIt;
        });
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
        List<Known> reply = sample(length);
        merge(received, reply);
        return aged(reply);
    }

    /** Takes the reply to a shuffle. */
    void replied(Contact from, List<Aged> received) {
        lost.remove(from.address());
        asked.keySet().removeIf(each -> each.id() == from.id());
        merge(received, sent);
        sent = List.of();
        // In a fleet that is not larger than a view there is room for everybody.
        merge(List.of(new Aged(from, 0)), List.of());
    }

    private void merge(List<Aged> received, List<Known> replaceable) {
        int next = 0;
        for (Aged entry : received) {
            Known news = new Known(entry.contact(), tick - entry.age());
            if (news.contact().id() == self || gone.has(news)) {
                continue;
            }
            int known = indexOf(news.contact().id());
            if (known >= 0) {
                if (news.since() > entries.get(known).since()) {
                    entries.set(known, news);
                }
            } else if (entries.size() < size) {
                entries.add(news);
            } else {
                int place = -1;
                while (place < 0 && next < replaceable.size()) {
                    place = indexOf(replaceable.get(next++).contact().id());
                }
                if (place >= 0) {
                    entries.set(place, news);
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
    List<Known> sample(int count) {
        int all = entries.size();
        int taken = Math.min(count, all);
        for (int i = 0; i < taken; i++) {
            int other = i + random.nextInt(all - i);
            Known entry = entries.get(i);
            entries.set(i, entries.get(other));
            entries.set(other, entry);
        }
        return new ArrayList<>(entries.subList(0, taken));
    }
}
