package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Bytes of messages and of stored events.
 *
 * <pre>
 * BALL     = varint count | (event | varint age)*
 * SHUFFLE  = contact | i64 wall clock in milliseconds | varint count | aged*
 * SHUFFLED = the same, as the reply
 * MEMBERS  = varint count | aged*
 * JOIN     = contact
 * ANSWER   = request | u8 status | place | bytes or none | place
 * ERRAND   = event | place | u8 flags (1 latest, 2 copy) | u8 hops
 * DIGEST   = contact | range | place | place | 64 i64
 * KEYS     = contact | range | place | place | i64 slices | u8 cut | varint count | place*
 * PULL     = contact | varint count | place*
 * DATA     = varint count | event*
 * SAME     = range | place | u8 complete
 * ASK      = event, without a time | place | u8 consistency
 * OVERTURN = request | u8 status | place | bytes or none | place
 * HINT     = text address | varint count | i64*
 * WANT     = the same
 * contact  = i64 id | text address | i64 position | u8 depth
 * aged     = contact | varint age
 * place    = i64 time | i64 source
 * request  = i64 client | i64 number
 * event    = i64 id | text address | i64 time | request | u8 kind, 128 more if signed | bytes key | of a put: bytes value
 *            | if signed: i64 writer | i64 wall clock in milliseconds | 64 bytes
 * range    = u8 depth | i64 start
 * none     = u8 0; bytes then begin with u8 1
 * </pre>
 */
final class FleetCodec {
    /** In the order of their numbers on the wire. */
    private static final List<Outcome.Status> STATUSES = List.of(
            Outcome.Status.APPLIED,
            Outcome.Status.NOT_APPLIED,
            Outcome.Status.FOUND,
            Outcome.Status.UNSURE,
            Outcome.Status.REFUSED);

    private static final List<FleetConsistency> CONSISTENCIES =
            List.of(FleetConsistency.ANY, FleetConsistency.CONVERGING, FleetConsistency.ORDERED);

    static final int BALL = 1;
    static final int SHUFFLE = 2;
    static final int SHUFFLED = 3;
    static final int MEMBERS = 4;
    static final int JOIN = 5;
    static final int ANSWER = 6;
    static final int ERRAND = 7;
    static final int DIGEST = 8;
    static final int KEYS = 9;
    static final int PULL = 10;
    static final int DATA = 11;
    static final int SAME = 12;
    static final int ASK = 13;
    static final int OVERTURNED = 14;
    static final int HINT = 15;
    static final int WANT = 16;

    private static final int EVENT_BYTES_MIN = 35;
    private static final int ENTRIES_MAX = 64;

    private FleetCodec() {}

    static boolean knows(int type) {
        return type >= BALL && type <= WANT;
    }

    static int type(FleetMessage message) {
        if (message instanceof Ball) {
            return BALL;
        } else if (message instanceof FleetMessage.Shuffle shuffle) {
            return shuffle.isReply() ? SHUFFLED : SHUFFLE;
        } else if (message instanceof FleetMessage.Members) {
            return MEMBERS;
        } else if (message instanceof FleetMessage.Join) {
            return JOIN;
        } else if (message instanceof FleetMessage.Answer) {
            return ANSWER;
        } else if (message instanceof FleetMessage.Errand) {
            return ERRAND;
        } else if (message instanceof FleetMessage.Digest) {
            return DIGEST;
        } else if (message instanceof FleetMessage.Keys) {
            return KEYS;
        } else if (message instanceof FleetMessage.Pull) {
            return PULL;
        } else if (message instanceof FleetMessage.Data) {
            return DATA;
        } else if (message instanceof FleetMessage.Hint) {
            return HINT;
        } else if (message instanceof FleetMessage.Want) {
            return WANT;
        } else if (message instanceof FleetMessage.Same) {
            return SAME;
        }
        return message instanceof FleetMessage.Ask ? ASK : OVERTURNED;
    }

    static Slice write(FleetMessage message) {
        BinWriter out = new BinWriter(256);
        if (message instanceof Ball ball) {
            out.varint(ball.size());
            for (int i = 0; i < ball.size(); i++) {
                EventCodec.event(out, ball.event(i));
                out.varint(ball.age(i));
            }
        } else if (message instanceof FleetMessage.Shuffle shuffle) {
            contact(out, shuffle.sender());
            list(out.i64(shuffle.wallMillis()), shuffle.entries(), FleetCodec::aged);
        } else if (message instanceof FleetMessage.Members members) {
            list(out, members.entries(), FleetCodec::aged);
        } else if (message instanceof FleetMessage.Join join) {
            contact(out, join.sender());
        } else if (message instanceof FleetMessage.Answer answer) {
            EventCodec.request(out, answer.request());
            outcome(out, answer.outcome());
        } else if (message instanceof FleetMessage.Errand errand) {
            EventCodec.event(out, errand.event());
            EventCodec.place(out, errand.after());
            out.u8((errand.latest() ? 1 : 0) + (errand.isCopy() ? 2 : 0)).u8(errand.hops());
        } else if (message instanceof FleetMessage.Hint hint) {
            list(out.text(hint.sender()), hint.events(), BinWriter::i64);
        } else if (message instanceof FleetMessage.Want want) {
            list(out.text(want.sender()), want.events(), BinWriter::i64);
        } else if (message instanceof FleetMessage.Ask ask) {
            EventCodec.event(out, new Event(new OrderKey(0, ask.origin().id()), ask.origin(), ask.operation()));
            EventCodec.place(out, ask.after());
            out.u8(CONSISTENCIES.indexOf(ask.consistency()));
        } else if (message instanceof FleetMessage.Overturned overturned) {
            EventCodec.request(out, overturned.request());
            outcome(out, overturned.outcome());
        } else {
            writeComparison(out, message);
        }
        return out.toSlice();
    }

    private static void writeComparison(BinWriter out, FleetMessage message) {
        if (message instanceof FleetMessage.Digest digest) {
            contact(out, digest.sender());
            span(out, digest.range(), digest.from(), digest.bound());
            writeHashes(out, digest.hashes());
        } else if (message instanceof FleetMessage.Keys keys) {
            contact(out, keys.sender());
            span(out, keys.range(), keys.from(), keys.bound());
            out.i64(keys.slices()).u8(keys.isCut() ? 1 : 0);
            list(out, keys.keys(), EventCodec::place);
        } else if (message instanceof FleetMessage.Pull pull) {
            contact(out, pull.sender());
            list(out, pull.keys(), EventCodec::place);
        } else if (message instanceof FleetMessage.Data data) {
            list(out, data.events(), EventCodec::event);
        } else if (message instanceof FleetMessage.Same same) {
            range(out, same.range());
            EventCodec.place(out, same.bound());
            out.u8(same.isComplete() ? 1 : 0);
        }
    }

    private static <T> void list(BinWriter out, List<T> items, BiConsumer<BinWriter, T> each) {
        out.varint(items.size());
        items.forEach(item -> each.accept(out, item));
    }

    private static void contact(BinWriter out, Contact contact) {
        out.i64(contact.id()).text(contact.address()).i64(contact.position()).u8(contact.depth());
    }

    private static void aged(BinWriter out, Aged aged) {
        contact(out, aged.contact());
        out.varint(aged.age());
    }

    private static void span(BinWriter out, Range range, OrderKey from, OrderKey bound) {
        range(out, range);
        EventCodec.place(out, from);
        EventCodec.place(out, bound);
    }

    private static void range(BinWriter out, Range range) {
        out.u8(range.depth()).i64(range.start());
    }

    private static void outcome(BinWriter out, Outcome outcome) {
        EventCodec.place(out.u8(STATUSES.indexOf(outcome.status())), outcome.place());
        Slice value = outcome.value();
        if (value == null) {
            out.u8(0);
        } else {
            out.u8(1).bytes(value);
        }
        EventCodec.place(out, outcome.version());
    }

    /** Reads a whole message. */
    static FleetMessage read(int type, BinReader in) {
        FleetMessage message = switch (type) {
            case BALL -> readBall(in);
            case SHUFFLE, SHUFFLED -> readShuffle(in, type == SHUFFLED);
            case MEMBERS -> new FleetMessage.Members(readEntries(in));
            case JOIN -> new FleetMessage.Join(readContact(in));
            case ANSWER -> new FleetMessage.Answer(EventCodec.readRequest(in), readOutcome(in));
            case ERRAND -> readErrand(in);
            case DIGEST ->
                new FleetMessage.Digest(
                        readContact(in),
                        readRange(in),
                        EventCodec.readPlace(in),
                        EventCodec.readPlace(in),
                        readHashes(in));
            case KEYS -> readKeys(in);
            case PULL -> new FleetMessage.Pull(readContact(in), readPlaces(in));
            case DATA ->
                new FleetMessage.Data(readList(in, in.count(EVENT_BYTES_MIN, "events"), EventCodec::readEvent));
            case SAME -> new FleetMessage.Same(readRange(in), EventCodec.readPlace(in), readFlag(in));
            case HINT ->
                new FleetMessage.Hint(EventCodec.readAddress(in), readList(in, in.count(8, "hints"), BinReader::i64));
            case WANT ->
                new FleetMessage.Want(EventCodec.readAddress(in), readList(in, in.count(8, "wants"), BinReader::i64));
            case ASK -> readAsk(in);
            case OVERTURNED -> new FleetMessage.Overturned(EventCodec.readRequest(in), readOutcome(in));
            default -> throw new MalformedException("no message of a fleet has type " + type);
        };
        in.requireEnd("a message");
        return message;
    }

    private static Ball readBall(BinReader in) {
        int count = in.count(EVENT_BYTES_MIN, "events");
        List<Event> events = new ArrayList<>(count);
        long[] ages = new long[count];
        for (int i = 0; i < count; i++) {
            events.add(EventCodec.readEvent(in));
            ages[i] = in.varint(Integer.MAX_VALUE, "age");
        }
        return new Ball(events, ages);
    }

    private static FleetMessage readShuffle(BinReader in, boolean isReply) {
        Contact sender = readContact(in);
        long wall = in.i64();
        return new FleetMessage.Shuffle(sender, readEntries(in), isReply, wall);
    }

    private static FleetMessage readErrand(BinReader in) {
        Event event = EventCodec.readEvent(in);
        OrderKey after = EventCodec.readPlace(in);
        int flags = in.u8();
        if (flags > 3) {
            throw new MalformedException("flags of an errand are " + flags);
        }
        return new FleetMessage.Errand(event, after, (flags & 1) != 0, (flags & 2) != 0, in.u8());
    }

    private static FleetMessage readAsk(BinReader in) {
        Event event = EventCodec.readEvent(in);
        if (event.key().time() != 0) {
            throw new MalformedException("the client of a fleet gives no places");
        }
        OrderKey after = EventCodec.readPlace(in);
        return new FleetMessage.Ask(event.origin(), event.operation(), EventCodec.readOne(in, CONSISTENCIES), after);
    }

    private static FleetMessage readKeys(BinReader in) {
        Contact sender = readContact(in);
        Range range = readRange(in);
        OrderKey from = EventCodec.readPlace(in);
        OrderKey bound = EventCodec.readPlace(in);
        long slices = in.i64();
        boolean isCut = readFlag(in);
        List<OrderKey> keys = readPlaces(in);
        if (isCut && keys.isEmpty()) {
            throw new MalformedException("a list of nothing that was cut short");
        }
        return new FleetMessage.Keys(sender, range, from, bound, slices, keys, isCut);
    }

    private static <T> List<T> readList(BinReader in, int count, Function<BinReader, T> each) {
        List<T> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(each.apply(in));
        }
        return items;
    }

    private static List<Aged> readEntries(BinReader in) {
        return readList(
                in,
                (int) in.varint(ENTRIES_MAX, "contacts"),
                each -> new Aged(readContact(each), (int) each.varint(Aged.AGE_MAX, "age")));
    }

    private static List<OrderKey> readPlaces(BinReader in) {
        return readList(in, in.count(16, "places"), EventCodec::readPlace);
    }

    /** Most slices of a small fleet have nothing: a bit for each, then what is not zero. */
    private static void writeHashes(BinWriter out, List<Long> hashes) {
        long full = 0;
        for (int slice = 0; slice < KeyTree.SLICES; slice++) {
            full |= hashes.get(slice) == 0 ? 0 : 1L << slice;
        }
        out.i64(full);
        hashes.stream().filter(hash -> hash != 0).forEach(out::i64);
    }

    private static List<Long> readHashes(BinReader in) {
        long full = in.i64();
        List<Long> hashes = new ArrayList<>(KeyTree.SLICES);
        for (int slice = 0; slice < KeyTree.SLICES; slice++) {
            hashes.add((full >>> slice & 1) == 0 ? 0 : in.i64());
        }
        return hashes;
    }

    private static boolean readFlag(BinReader in) {
        int flag = in.u8();
        if (flag > 1) {
            throw new MalformedException("a flag is " + flag);
        }
        return flag == 1;
    }

    private static Contact readContact(BinReader in) {
        return new Contact(in.i64(), EventCodec.readAddress(in), in.i64(), readDepth(in));
    }

    private static int readDepth(BinReader in) {
        int depth = in.u8();
        if (depth > Range.DEPTH_MAX) {
            throw new MalformedException("depth is " + depth);
        }
        return depth;
    }

    private static Range readRange(BinReader in) {
        int depth = readDepth(in);
        long start = in.i64();
        Range range = Range.around(start, depth);
        if (range.start() != start) {
            throw new MalformedException("a range of " + depth + " bits begins within another");
        }
        return range;
    }

    private static Outcome readOutcome(BinReader in) {
        Outcome.Status status = EventCodec.readOne(in, STATUSES);
        OrderKey place = EventCodec.readPlace(in);
        Slice value = readFlag(in) ? EventCodec.readBytes(in, Page.BYTES_MAX) : null;
        return new Outcome(status, place, value, EventCodec.readPlace(in));
    }
}
