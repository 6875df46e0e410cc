package io.georep.geopaxos.core.execution;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.model.NodeId;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which attempts stand in the log of a group, so that none counts twice, however late a message comes. For the last incarnation of each
 * contact it keeps a floor and the numbers above it; attempts of earlier ones come too late, whether they stand there or not. The floor
 * rises with what the entries say, so all members have the same one.
 */
public final class KnownIds {
    private static final class Numbers {
        final long incarnation;

        /** All numbers below this one are known. */
        long floor;

        final TreeSet<Long> above = new TreeSet<>();

        Numbers(long incarnation) {
            this.incarnation = incarnation;
        }
    }

    private final TreeMap<NodeId, Numbers> contacts = new TreeMap<>();

    /** The least incarnation of contacts that are not known: later than those of all contacts that are gone. */
    private long first;

    /** Returns the contacts that have ordered something. */
    public Set<NodeId> contacts() {
        return contacts.keySet();
    }

    /** Returns the last incarnation of a contact, or the first one that it may have if it has ordered nothing. */
    long incarnation(NodeId contact) {
        Numbers known = contacts.get(contact);
        return known == null ? first : known.incarnation;
    }

    /** A contact is gone: all that it has asked and that does not stand there comes too late. */
    void forget(NodeId contact) {
        Numbers gone = contacts.remove(contact);
        first = gone == null ? first : Math.max(first, gone.incarnation + 1);
    }

    /** Returns whether an attempt stands there, or comes too late. */
    public boolean has(OpId id) {
        Numbers known = contacts.get(id.contact());
        return isLate(id)
                || (known != null
                        && id.incarnation() == known.incarnation
                        && (id.number() < known.floor || known.above.contains(id.number())));
    }

    /** Returns whether an attempt comes too late. */
    boolean isLate(OpId id) {
        return id.incarnation() < incarnation(id.contact());
    }

    /** Returns whether it is new. */
    boolean add(OpId id, long low) {
        if (has(id)) {
            return false;
        }
        Numbers known = contacts.get(id.contact());
        if (known == null || known.incarnation < id.incarnation()) {
            known = new Numbers(id.incarnation());
            contacts.put(id.contact(), known);
        }
        known.above.add(id.number());
        if (low > known.floor) {
            known.floor = low;
            while (!known.above.isEmpty() && known.above.first() < low) {
                known.above.pollFirst();
            }
        }
        return true;
    }

    void write(BinWriter out) {
        out.varint(first).varint(contacts.size());
        contacts.forEach((contact, known) -> {
            out.node(contact).varint(known.incarnation).varint(known.floor).varint(known.above.size());
            known.above.forEach(out::varint);
        });
    }

    static KnownIds read(BinReader in) {
        KnownIds ids = new KnownIds();
        ids.first = in.varint();
        for (int left = in.count(4, "contacts"); left > 0; left--) {
            NodeId contact = in.node();
            Numbers known = new Numbers(in.varint());
            ids.contacts.put(contact, known);
            known.floor = in.varint();
            for (int more = in.count(1, "numbers"); more > 0; more--) {
                known.above.add(in.varint());
            }
        }
        return ids;
    }
}
