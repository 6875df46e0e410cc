package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats.Format;
import io.georep.codec.MalformedException;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damaged bytes of every format are read as something else, or refused as malformed: nothing else is thrown. */
class GeoFormatsTest {
    private final List<Format> formats = new GeoGoldenTest().formats();

    private static void readOrRefused(Format format, byte[] bytes) {
        assertThatCode(() -> {
                    try {
                        var unused = format.read().apply(bytes);
                    } catch (MalformedException refused) {
                        // as it should be
                    }
                })
                .as("%s: %s", format.name(), Arrays.toString(bytes))
                .doesNotThrowAnyException();
    }

    @Test
    void whatIsCutShortOrTooLongIsRefused() {
        for (Format format : formats) {
            byte[] bytes = format.bytes();
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> format.read().apply(cut))
                        .as("%s, %d bytes", format.name(), length)
                        .isInstanceOf(MalformedException.class);
            }
        }
        for (Format format : formats) {
            if (!format.name().startsWith("stored ")) {
                byte[] longer = Arrays.copyOf(format.bytes(), format.bytes().length + 1);
                assertThatThrownBy(() -> format.read().apply(longer))
                        .as(format.name())
                        .isInstanceOf(MalformedException.class);
            }
        }
    }

    @Test
    void whatIsDamagedIsReadOrRefused() {
        Random random = new Random(24);
        for (Format format : formats) {
            byte[] bytes = format.bytes();
            for (int bit = 0; bit < 8 * bytes.length; bit++) {
                byte[] flipped = bytes.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                readOrRefused(format, flipped);
            }
            for (int i = 0; i < 300; i++) {
                byte[] damaged = Arrays.copyOf(bytes, bytes.length + random.nextInt(3) * random.nextInt(20));
                for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }
                readOrRefused(format, damaged);
            }
        }
    }

    private static void refused(StatePiece piece) {
        BinWriter out = new BinWriter();
        piece.write(out);
        assertThatThrownBy(() -> GoldenState.read(new BinReader(out.toSlice()), piece))
                .isInstanceOf(MalformedException.class);
    }

    private static StatePiece leaf(int groups, int keyBytes, long expiresAt) {
        BinWriter content =
                new BinWriter().i32(groups).i64(1).varint(0).bytes(Slice.EMPTY).varint(1);
        content.bytes(Slice.of(new byte[keyBytes])).bytes(Slice.EMPTY).varint(expiresAt);
        return new StatePiece(StatePiece.Name.object(1), content.toSlice());
    }

    private static StatePiece waiting(int groups, long secondStamp, int synced) {
        OpId id = new OpId(NodeId.of("n1"), 1, 1);
        BinWriter content = new BinWriter();
        new Operation(id, groups, Operation.SERVICE, 1, 1, 0, 0, Slice.EMPTY).write(content);
        content.varint(7).varint(secondStamp).i32(synced);
        return new StatePiece(new StatePiece.Name(StatePiece.WAITING, 0, 7), content.toSlice());
    }

    /** It can be read, and a node that held it could do nothing with it. */
    @Test
    void aPieceOfAStateThatNoNodeCanHoldIsRefused() {
        refused(leaf(0, 1, 0));
        refused(leaf(1 << GeoGroups.MAX, 1, 0));
        refused(leaf(1, MapOperation.KEY_BYTES_MAX + 1, 0));
        refused(leaf(1, 1, -1));
        refused(waiting(0b01, 8, 0));
        refused(waiting(0b11, 8, 0b100));
        StatePiece longer = waiting(0b11, 8, 0);
        refused(new StatePiece(
                longer.name(), new BinWriter().raw(longer.content()).u8(0).toSlice()));
    }

    /** Who accepted it could not process it once it is decided. */
    @Test
    void anEntryOfGroupsThatDoNotExistIsRefused() {
        OpId id = new OpId(NodeId.of("n1"), 1, 1);
        for (int groups : new int[] {0b11, 1 << GeoGroups.MAX}) {
            Operation operation = new Operation(id, groups, Operation.SERVICE, 1, 1, 0, 0, Slice.EMPTY);
            LogEntry entry = new LogEntry(LogEntry.COMMAND, new GroupEntry.Set(operation).encode());
            Ballot ballot = new Ballot(1, NodeId.of("n2"));
            Seat seat = new Seat(NodeId.of("n2"), 1);
            for (LogMessage message : List.of(
                    new LogMessage.Accept(ballot, 1, List.of(entry), 0, 0, 0, 0, 0),
                    new LogMessage.Learn(ballot, 1, List.of(entry)),
                    new LogMessage.Promise(ballot, false, seat, 1, 1, List.of(new Proposal(ballot, entry))))) {
                BinReader in = new BinReader(new GeoMessage.Log(0, message).body());
                if (groups == 0b11) {
                    assertThat(GeoMessage.read(GeoMessage.LOG, in, 2)).isEqualTo(new GeoMessage.Log(0, message));
                } else {
                    assertThatThrownBy(() -> GeoMessage.read(GeoMessage.LOG, in, 2))
                            .isInstanceOf(MalformedException.class);
                }
            }
        }
    }

    @Test
    void anOperationThatGoesOnAfterItsEndIsRefused() {
        OpId id = new OpId(NodeId.of("n1"), 1, 1);
        Slice move = new Move(new long[] {1}, 1, 2).encode();
        Slice longer = new BinWriter().raw(move).u8(0).toSlice();
        new Operation(id, 3, Operation.MOVE, 0, 0, 0, 0, move).check();
        assertThatThrownBy(() -> new Operation(id, 3, Operation.MOVE, 0, 0, 0, 0, longer).check())
                .isInstanceOf(MalformedException.class);
    }
}
