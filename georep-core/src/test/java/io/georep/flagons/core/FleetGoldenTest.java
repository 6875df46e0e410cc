package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.codec.MalformedException;
import io.georep.flagons.FleetConsistency;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Bytes of a fleet: each type of message as a node sends it, and an event as it stores it. */
class FleetGoldenTest extends GoldenFormats {
    private static final Contact ONE = new Contact(0x1122334455667788L, "one:2001", 0xC0L << 56, 3);
    private static final Contact TWO = new Contact(2, "two:2002", -1, 0);
    private static final OrderKey PLACE = new OrderKey(FleetClock.timeOf(1_700_000_000_000L) + 7, ONE.id());
    private static final Range RANGE = Range.around(ONE.position(), 3);
    private static final Event PUT = event(FleetOperation.Kind.PUT, "v");
    private static final Event REMOVE = event(FleetOperation.Kind.REMOVE, null);

    private static final Event LIST = new Event(
            PLACE,
            ONE,
            new FleetOperation(
                    new RequestId(5, 6),
                    FleetOperation.Kind.LIST,
                    Page.question(1, Slice.utf8("j"), -2, Slice.utf8("k")),
                    null));

    private static Event event(FleetOperation.Kind kind, String value) {
        Slice bytes = value == null ? null : Slice.utf8(value);
        return new Event(PLACE, ONE, new FleetOperation(new RequestId(5, 6), kind, Slice.utf8("k"), bytes));
    }

    private static List<Long> hashes() {
        Long[] hashes = new Long[KeyTree.SLICES];
        Arrays.fill(hashes, 0L);
        hashes[1] = -2L;
        return List.of(hashes);
    }

    static Map<Integer, FleetMessage> messages() {
        Map<Integer, FleetMessage> all = new TreeMap<>();
        for (FleetMessage message : List.of(
                new Ball(List.of(PUT, REMOVE), new long[] {0, 1500}),
                new FleetMessage.Shuffle(ONE, List.of(new Aged(TWO, 4)), false, 1_700_000_000_000L),
                new FleetMessage.Shuffle(ONE, List.of(), true, 1_700_000_000_000L),
                new FleetMessage.Members(List.of(new Aged(ONE, 0), new Aged(TWO, 60))),
                new FleetMessage.Join(ONE),
                new FleetMessage.Answer(
                        new RequestId(5, 6),
                        new Outcome(Outcome.Status.APPLIED, PLACE, Slice.utf8("old"), OrderKey.FIRST)),
                new FleetMessage.Errand(PUT, OrderKey.FIRST, true, false, 3),
                new FleetMessage.Digest(ONE, RANGE, OrderKey.FIRST, PLACE, hashes()),
                new FleetMessage.Keys(ONE, RANGE, OrderKey.FIRST, PLACE, 2, List.of(PLACE), true),
                new FleetMessage.Pull(ONE, List.of(PLACE)),
                new FleetMessage.Data(List.of(PUT)),
                new FleetMessage.Same(RANGE, PLACE, true),
                new FleetMessage.Ask(
                        Contact.at(ONE.id(), ONE.address()), PUT.operation(), FleetConsistency.CONVERGING, PLACE),
                new FleetMessage.Overturned(
                        new RequestId(5, 6),
                        new Outcome(Outcome.Status.NOT_APPLIED, PLACE, Slice.utf8("old"), OrderKey.FIRST)),
                new FleetMessage.Hint("one:2001", List.of(1L, -2L)),
                new FleetMessage.Want("one:2001", List.of(-2L)))) {
            all.put(FleetCodec.type(message), message);
        }
        return all;
    }

    @Override
    protected String file() {
        return "fleet";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        messages().forEach((type, message) -> {
            String kind = message.getClass().getSimpleName().toUpperCase(Locale.ROOT);
            String name = type + " " + (type == FleetCodec.SHUFFLED ? "SHUFFLED" : kind);
            formats.add(format(
                    name,
                    FleetProtocol.VERSION,
                    FleetCodec.write(message),
                    text(message),
                    in -> text(FleetCodec.read(type, in))));
        });
        BinWriter stored = new BinWriter();
        EventCodec.event(stored, PUT);
        Event signed = new Event(
                PUT.key(), PUT.origin(), PUT.operation().with(new Proof(3, 4, Slice.of(new byte[Proof.BYTES]))));
        BinWriter storedSigned = new BinWriter();
        EventCodec.event(storedSigned, signed);
        formats.add(
                format("signed event", FleetProtocol.VERSION, storedSigned.toSlice(), signed, EventCodec::readEvent));
        BinWriter list = new BinWriter();
        EventCodec.event(list, LIST);
        formats.add(format("event of a question", FleetProtocol.VERSION, list.toSlice(), LIST, EventCodec::readEvent));
        Page page =
                new Page(List.of(new Page.Entry(Slice.utf8("k"), Slice.utf8("v"), PLACE)), false, -2, Slice.utf8("k"));
        formats.add(format("page", FleetProtocol.VERSION, page.write(), page, in -> Page.read(in.raw(in.remaining()))));
        formats.add(format("stored event", FleetProtocol.VERSION, stored.toSlice(), PUT, EventCodec::readEvent));
        return formats;
    }

    private static String text(FleetMessage message) {
        if (!(message instanceof Ball ball)) {
            return message.toString();
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ball.size(); i++) {
            text.append(ball.event(i)).append(" age ").append(ball.age(i)).append("; ");
        }
        return text.toString();
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        checkTypes(new FleetProtocol(
                FleetSettings.hardened(5), List.of(), new HandMadePeers(NodeId.of("a")), event -> false));
    }

    @Test
    void whatNoNodeSendsIsRefused() {
        refused(FleetCodec.BALL, FleetCodec.write(new Ball(List.of(PUT), new long[] {-1})));
        refused(FleetCodec.JOIN, FleetCodec.write(new FleetMessage.Join(new Contact(1, "x".repeat(256), 0, 0))));
        refused(FleetCodec.JOIN, FleetCodec.write(new FleetMessage.Join(new Contact(1, "x", 0, 41))));
        refused(
                FleetCodec.MEMBERS,
                FleetCodec.write(new FleetMessage.Members(Collections.nCopies(65, new Aged(ONE, 0)))));
        refused(
                FleetCodec.KEYS,
                FleetCodec.write(new FleetMessage.Keys(ONE, RANGE, OrderKey.FIRST, PLACE, 2, List.of(), true)));
        refused(FleetCodec.ASK, FleetCodec.write(new FleetMessage.Errand(PUT, OrderKey.FIRST, false, false, 0)));
        BinWriter list = new BinWriter();
        EventCodec.event(list, LIST);
        byte[] withoutLast = list.toArray();
        withoutLast[withoutLast.length - 20] = 15;
        assertThatThrownBy(() -> EventCodec.readEvent(new BinReader(Slice.of(withoutLast))))
                .isInstanceOf(MalformedException.class);
        refused(99, Slice.EMPTY);
        byte[] longer =
                Arrays.copyOf(FleetCodec.write(new FleetMessage.Join(ONE)).toArray(), 80);
        refused(FleetCodec.JOIN, Slice.of(longer));
        BinWriter huge = new BinWriter();
        EventCodec.event(huge, PUT);
        byte[] wrongKind = huge.toArray();
        wrongKind[wrongKind.length - 5] = 9;
        assertThatThrownBy(() -> EventCodec.readEvent(new BinReader(Slice.of(wrongKind))))
                .isInstanceOf(MalformedException.class);
    }

    private static void refused(int type, Slice bytes) {
        assertThatThrownBy(() -> FleetCodec.read(type, new BinReader(bytes)))
                .as("type %d", type)
                .isInstanceOf(MalformedException.class);
    }

    /** Each byte of each message once with another value, and each message cut short everywhere. */
    @Test
    void damagedBytesAreReadOrRefused() {
        SplittableRandom random = new SplittableRandom(1);
        int read = 0;
        for (Map.Entry<Integer, FleetMessage> message : messages().entrySet()) {
            byte[] bytes = FleetCodec.write(message.getValue()).toArray();
            for (int i = 0; i < bytes.length; i++) {
                byte[] damaged = bytes.clone();
                damaged[i] ^= (byte) (1 + random.nextInt(255));
                read += isRead(message.getKey(), damaged) ? 1 : 0;
                assertThat(isRead(message.getKey(), Arrays.copyOf(bytes, i))).isFalse();
            }
        }

        assertThat(read).isPositive();
    }

    private static boolean isRead(int type, byte[] bytes) {
        try {
            FleetCodec.read(type, new BinReader(Slice.of(bytes)));
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }
}
