package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bytes of events, as they are sent and stored; see {@link FleetCodec}. */
final class EventCodec {
    /** In the order of their numbers on the wire. */
    private static final List<FleetOperation.Kind> KINDS = List.of(
            FleetOperation.Kind.PUT,
            FleetOperation.Kind.PUT_IF_ABSENT,
            FleetOperation.Kind.REMOVE,
            FleetOperation.Kind.GET,
            FleetOperation.Kind.LIST);

    /** The longest address of a node, in bytes. */
    static final int ADDRESS_BYTES_MAX = 255;

    /** Added to the kind of an operation that has a signature. */
    private static final int SIGNED = 128;

    private EventCodec() {}

    static void place(BinWriter out, OrderKey place) {
        out.i64(place.time()).i64(place.source());
    }

    static void request(BinWriter out, RequestId request) {
        out.i64(request.client()).i64(request.number());
    }

    static void event(BinWriter out, Event event) {
        FleetOperation operation = event.operation();
        Proof proof = operation.proof();
        out.i64(event.origin().id())
                .text(event.origin().address())
                .i64(event.key().time());
        operation(out, operation, proof != null);
        if (proof != null) {
            out.i64(proof.writer()).i64(proof.millis()).raw(proof.signature());
        }
    }

    /** Writes an operation without its signature. */
    static void operation(BinWriter out, FleetOperation operation, boolean isSigned) {
        int kind = KINDS.indexOf(operation.kind());
        request(out, operation.request());
        out.u8(isSigned ? kind + SIGNED : kind).bytes(operation.key());
        Slice value = operation.value();
        if (value != null) {
            out.bytes(value);
        }
    }

    static String readAddress(BinReader in) {
        String address = in.text();
        if (address.length() > ADDRESS_BYTES_MAX) {
            throw new MalformedException("an address has " + address.length() + " characters");
        }
        return address;
    }

    static OrderKey readPlace(BinReader in) {
        return new OrderKey(in.i64(), in.i64());
    }

    static RequestId readRequest(BinReader in) {
        return new RequestId(in.i64(), in.i64());
    }

    static <E> E readOne(BinReader in, List<E> values) {
        return one(in.u8(), values);
    }

    private static <E> E one(int number, List<E> values) {
        if (number >= values.size()) {
            throw new MalformedException("number " + number + " of " + values.size());
        }
        return values.get(number);
    }

    static Slice readBytes(BinReader in, int max) {
        // Not shared: a value may stay for a day, the frame that it came in need not.
        return Slice.of(in.raw((int) in.varint(max, "length")).toArray());
    }

    static Event readEvent(BinReader in) {
        Contact origin = Contact.at(in.i64(), readAddress(in));
        long time = in.i64();
        RequestId request = readRequest(in);
        int number = in.u8();
        boolean isSigned = number >= SIGNED;
        FleetOperation.Kind kind = one(isSigned ? number - SIGNED : number, KINDS);
        Slice key = readBytes(in, FleetOperation.keyBytesMax(kind));
        if (kind == FleetOperation.Kind.LIST) {
            Page.check(key);
        }
        boolean hasValue = kind == FleetOperation.Kind.PUT || kind == FleetOperation.Kind.PUT_IF_ABSENT;
        @Nullable Slice value = hasValue ? readBytes(in, FleetOperation.VALUE_BYTES_MAX) : null;
        FleetOperation operation = new FleetOperation(request, kind, key, value);
        if (isSigned) {
            operation = operation.with(
                    new Proof(in.i64(), in.i64(), Slice.of(in.raw(Proof.BYTES).toArray())));
        }
        return new Event(new OrderKey(time, origin.id()), origin, operation);
    }
}
