package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import io.georep.spi.StoreBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Bytes of the membership: each type of message, each record in the store with its key. */
class MembershipGoldenTest extends GoldenFormats {
    private static final int RECORD_FORMAT = 1;
    private static final Timing TIMING = Timing.of(ProtocolConfig.defaults());
    private static final NodeId NYC = NodeId.of("nyc-1");
    private static final PeerEntry ENTRY = new PeerEntry(
            NYC, "nyc:7400", "us", 300, 0x0102030405060708L, -2, 1, 90_000, 2, true, 301, 86_400_000, 604_800_000);
    private static final PeerEntry NAME = new PeerEntry(NodeId.of("x"), "", "", 0, 0, 0, 0, 0, 0, false, 0, 0, 0);
    private static final NodeIdentity SELF = new NodeIdentity(NYC, 300, 0x0102030405060708L, 9, "nyc:7400", "us");

    @Override
    protected String file() {
        return "membership";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>(messages());
        formats.addAll(records());
        return formats;
    }

    private static Format message(int type, String name, Slice bytes, Object value, Function<BinReader, Object> read) {
        return format(type + " " + name, Membership.ID.version(), bytes, value, read);
    }

    private static List<Format> messages() {
        Slice list = MembershipMessages.pages(List.of(ENTRY, NAME)).get(0);
        MembershipMessages.Goodbye goodbye = new MembershipMessages.Goodbye(2, 60_000);
        long[] sums = LongStream.range(0, Digest.BUCKETS).map(i -> i * i).toArray();
        MembershipMessages.Digests answer = new MembershipMessages.Digests(true, sums);
        MembershipMessages.Digests question = new MembershipMessages.Digests(false, sums);
        return List.of(
                message(
                        MembershipMessages.HELLO,
                        "HELLO",
                        MembershipMessages.hello(300),
                        300L,
                        MembershipMessages::hello),
                message(MembershipMessages.WELCOME, "WELCOME", list, List.of(ENTRY, NAME), MembershipMessages::entries),
                message(MembershipMessages.PEERS, "PEERS", list, List.of(ENTRY, NAME), MembershipMessages::entries),
                message(
                        MembershipMessages.HEARTBEAT,
                        "HEARTBEAT",
                        MembershipMessages.heartbeat(-1),
                        -1L,
                        BinReader::i64),
                message(
                        MembershipMessages.GOODBYE,
                        "GOODBYE",
                        MembershipMessages.goodbye(goodbye),
                        goodbye,
                        MembershipMessages::goodbye),
                message(
                        MembershipMessages.GOODBYE_OK,
                        "GOODBYE_OK",
                        MembershipMessages.goodbyeOk(300),
                        300L,
                        MembershipMessages::goodbyeOk),
                message(
                        MembershipMessages.DIGESTS,
                        "DIGESTS, answer",
                        MembershipMessages.digests(answer),
                        describe(answer),
                        in -> describe(MembershipMessages.digests(in))),
                message(
                        MembershipMessages.DIGESTS,
                        "DIGESTS, question",
                        MembershipMessages.digests(question),
                        describe(question),
                        in -> describe(MembershipMessages.digests(in))),
                message(
                        MembershipMessages.CLOCK,
                        "CLOCK",
                        MembershipMessages.clock(1_700_000_000_000L),
                        1_700_000_000_000L,
                        MembershipMessages::clock));
    }

    private static String describe(MembershipMessages.Digests digests) {
        return digests.isAnswer() + " " + Arrays.toString(digests.sums());
    }

    /** What a record is read as, when the store holds nothing else. */
    private static Object loaded(byte[] pair) {
        BinReader in = new BinReader(Slice.of(pair));
        TestTurn turn = new TestTurn();
        turn.store().put(in.bytes().toArray(), in.bytes());
        turn.completeStore();
        StoredMembership stored = StoredMembership.load(turn.disk(), NYC);
        return stored.incarnation + " " + stored.generation + ", drained " + stored.drainVersion + " " + stored.drained
                + ", cluster " + stored.cluster + " " + stored.settled + ", " + stored.stop + ", " + stored.peers;
    }

    /** A key and its value. */
    private static Format record(String name, StoreBatch batch, String value) {
        StoreBatch.Op put = batch.ops().get(0);
        BinWriter pair = new BinWriter().bytes(Slice.of(put.key())).bytes(put.value());
        return new Format(name, RECORD_FORMAT, pair.toArray(), value, MembershipGoldenTest::loaded);
    }

    private static List<Format> records() {
        OwnNode own = new OwnNode(SELF, BootKind.PROMPT, TIMING);
        own.drainVersion = 300;
        own.drained = true;
        own.cluster = 0x1112131415161718L;
        own.settled = true;
        StopRecord stop = new StopRecord(1_800_000_000_000L, 1_800_000_090_000L, BootKind.STALE);
        PeerRecord peer = new PeerRecord(NodeId.of("b"), TIMING, 0);
        peer.address = "b:1";
        peer.site = "eu";
        peer.incarnation = 7;
        peer.generation = 8;
        peer.nonce = 9;
        peer.forgetAtNanos = Duration.ofDays(7).toNanos();
        StoreBatch[] batches =
                IntStream.range(0, 5).mapToObj(i -> new StoreBatch()).toArray(StoreBatch[]::new);
        StoredMembership.writeIdentity(SELF, batches[0]);
        StoredMembership.writeStop(stop, batches[1]);
        StoredMembership.writeDrain(own, batches[2]);
        StoredMembership.writeCluster(own, batches[3]);
        StoredMembership.writePeer(peer, 0, 1_800_000_000_000L, batches[4]);
        String line = "StoredPeer[entry=" + peer.entry(0) + ", wallMillis=1800000000000]";
        return List.of(
                record("record I", batches[0], "300 72623859790382856, drained 0 false, cluster null false, null, []"),
                record("record S", batches[1], "0 0, drained 0 false, cluster null false, " + stop + ", []"),
                record("record D", batches[2], "0 0, drained 300 true, cluster null false, null, []"),
                record("record C", batches[3], "0 0, drained 0 false, cluster 1230066625199609624 true, null, []"),
                record("record P", batches[4], "0 0, drained 0 false, cluster null false, null, [" + line + "]"));
    }

    @Test
    void everyTypeOfMessageHasGoldenBytes() {
        checkTypes(new Membership(ProtocolConfig.defaults(), new LocalNode(NYC, "nyc:7400", "us", List.of())));
    }

    /** Keys with a second byte the reader does not know are refused; all others have an example. */
    @Test
    void everyRecordHasGoldenBytes() {
        List<String> missing = new ArrayList<>();
        for (int kind = 0; kind < 256; kind++) {
            TestTurn turn = new TestTurn();
            turn.store().put(new byte[] {1, (byte) kind}, Slice.EMPTY);
            turn.completeStore();
            String name = "record " + (char) kind;
            if (isKnown(turn)
                    && formats().stream().noneMatch(format -> format.name().equals(name))) {
                missing.add(name);
            }
        }

        assertThat(missing).isEmpty();
    }

    private static boolean isKnown(TestTurn turn) {
        try {
            StoredMembership.load(turn.disk(), NYC);
            return true;
        } catch (StoreException e) {
            return !String.valueOf(e.getMessage()).contains("unknown kind");
        }
    }
}
