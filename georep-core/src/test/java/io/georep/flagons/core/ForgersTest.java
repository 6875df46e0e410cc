package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.flagons.FleetConsistency;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How much work somebody makes with signatures that are wrong. */
class ForgersTest {
    private static final long WALL = 1_700_000_000_000L;
    private static final Contact OTHER = new Contact(2, "b:1", -1L << 50, 0);
    private static final String LIAR = "liar:1";

    private final KeyPair writer = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();

    ForgersTest() throws NoSuchAlgorithmException {}

    private final List<FleetMessage> sent = new ArrayList<>();

    private final FleetSettings settings = FleetSettings.hardened(1_000).writtenBy(List.of(writer.getPublic()));

    private FleetNode whereOnlyOneWrites() {
        return whereOnlyOneWrites(List.of());
    }

    private FleetNode whereOnlyOneWrites(List<Contact> others) {
        SplittableRandom random = new SplittableRandom(1);
        FleetNode node = new FleetNode(new Contact(1, "a:1", 1L << 50, 0), settings, random::nextLong, new Outlet() {
            @Override
            public void send(Contact to, FleetMessage message) {
                sent.add(message);
            }

            @Override
            public void answered(RequestId request, Outcome outcome) {}
        });
        node.start(others, others.isEmpty(), 0, 0, WALL);
        return node;
    }

    private static Event from(Contact source, int number) {
        FleetOperation put = new FleetOperation(
                new RequestId(7, number), FleetOperation.Kind.PUT, Slice.utf8("k" + number), Slice.utf8("v"));
        return new Event(new OrderKey(FleetClock.timeOf(WALL + 100) + number, source.id()), source, put);
    }

    private Event signed(Contact source, int number) {
        Event event = from(source, number);
        return new Event(event.key(), source, Writers.signed(event.operation(), writer, WALL + 100));
    }

    private static Ball forged(Contact source, int number, Event proven) {
        Event event = from(source, number);
        FleetOperation operation = event.operation().with(proven.operation().proof());
        return new Ball(List.of(new Event(event.key(), source, operation)), new long[1]);
    }

    /** To check a signature takes longer than to send it. */
    @Test
    void whoBringsForgedSignaturesIsSoonNotBelievedAndIsLaterAgain() {
        FleetNode strict = whereOnlyOneWrites();
        Event proven = signed(OTHER, 1);
        for (int i = 0; i < 300; i++) {
            Ball forged = forged(OTHER, 10 + i, proven);
            strict.onMessage(LIAR, forged, 100, WALL + 100);
            strict.onMessage(LIAR, new FleetMessage.Data(List.of(forged.event(0))), 100, WALL + 100);
            FleetMessage errand = new FleetMessage.Errand(forged.event(0), OrderKey.FIRST, true, true, 0);
            strict.onMessage(LIAR, errand, 100, WALL + 100);
        }
        assertThat(strict.status(0).refused()).isEqualTo(900);
        assertThat(strict.writers().checked())
                .as("signatures that were checked")
                .isEqualTo(100);

        strict.onMessage(OTHER.address(), new Ball(List.of(proven), new long[1]), 100, WALL + 100);
        assertThat(strict.epidemic().find(proven.key()))
                .as("others are believed")
                .isNotNull();
        Event later = signed(OTHER, 2);
        strict.onMessage(LIAR, new Ball(List.of(later), new long[] {1_000}), 1_100, WALL + 1_100);
        assertThat(strict.epidemic().find(later.key())).as("and so is it later").isNotNull();
    }

    /** The next node would hold it against the one that passed it on. */
    @Test
    void whatIsForgedIsNotPassedOn() {
        FleetNode strict = whereOnlyOneWrites(List.of(OTHER));
        strict.onMessage(OTHER.address(), new FleetMessage.Members(List.of(new Aged(OTHER, 0))), 50, WALL + 50);
        sent.clear();
        Event proven = signed(OTHER, 1);
        Event lie = forged(OTHER, 2, proven).event(0);
        strict.onMessage(LIAR, new FleetMessage.Errand(lie, OrderKey.FIRST, true, false, 0), 100, WALL + 100);
        assertThat(sent).isEmpty();
        assertThat(strict.writers().checked()).isEqualTo(1);
        strict.onMessage(LIAR, new FleetMessage.Errand(proven, OrderKey.FIRST, true, false, 0), 100, WALL + 100);
        assertThat(sent).hasAtLeastOneElementOfType(FleetMessage.Errand.class);
    }

    @Test
    void aSignatureOfWhatHasNoRoomIsNotChecked() {
        FleetNode strict = whereOnlyOneWrites();
        Event proven = signed(OTHER, 0);
        for (int i = 0; i < 512; i++) {
            strict.onMessage(LIAR, new Ball(List.of(signed(OTHER, i)), new long[1]), 100, WALL + 100);
        }
        assertThat(strict.status(0).refused()).isZero();
        for (int i = 512; i < 600; i++) {
            strict.onMessage(LIAR, forged(OTHER, i, proven), 100, WALL + 100);
        }
        assertThat(strict.status(0).refused()).isEqualTo(88);
        assertThat(strict.writers().checked()).as("those that had room").isEqualTo(512);
    }

    /** Wherever it is done: at its place in the order, here, or by somebody nearer to its group. */
    @Test
    void aSignatureIsCheckedOnceWhereAnOperationComesIn() {
        for (FleetConsistency consistency : FleetConsistency.values()) {
            for (boolean isAlone : new boolean[] {true, false}) {
                FleetNode strict = whereOnlyOneWrites(isAlone ? List.of() : List.of(OTHER));
                strict.onMessage(OTHER.address(), new FleetMessage.Members(List.of(new Aged(OTHER, 0))), 50, WALL + 50);
                FleetOperation put = signed(OTHER, 1).operation();
                strict.submit(put, consistency, OrderKey.FIRST, 1, 10_000, 100, WALL + 100);
                assertThat(strict.writers().checked())
                        .as("%s %s", consistency, isAlone)
                        .isOne();
                strict.submit(
                        forged(OTHER, 2, signed(OTHER, 1)).event(0).operation(),
                        consistency,
                        OrderKey.FIRST,
                        1,
                        10_000,
                        100,
                        WALL + 100);
                assertThat(strict.status(0).refused()).isOne();
            }
        }
    }

    /** Of all that counts for who sends it: a node need not have reached the one whose address somebody names. */
    @Test
    void whoNamesTheAddressOfAnotherNodeUsesUpNothingOfIt() {
        TestTurn turn = new TestTurn();
        FleetProtocol node = new FleetProtocol(settings, List.of(), new HandMadePeers(NodeId.of("a")), event -> false);
        node.boot(turn.disk(), turn);
        turn.completeStore();
        node.onTimer(turn);
        Event proven = signed(OTHER, 1);
        for (int i = 0; i < 150; i++) {
            hears(node, "liar", forged(OTHER, 10 + i, proven), turn);
        }
        assertThat(node.inspect().writers().checked()).isEqualTo(100);

        hears(node, "b", new Ball(List.of(proven), new long[1]), turn);
        assertThat(node.inspect().epidemic().find(proven.key())).isNotNull();
    }

    private static void hears(FleetProtocol node, String name, FleetMessage message, TestTurn turn) {
        NodeIdentity from = new NodeIdentity(NodeId.of(name), 1, 1, 1, OTHER.address(), "");
        node.onStranger(from, FleetCodec.type(message), new BinReader(FleetCodec.write(message)), turn);
    }

    /** Nor of what a node takes for clients. */
    @Test
    void whoAsksInTheNameOfAnotherAddressLeavesThatItsRoom() {
        FleetNode node = whereOnlyOneWrites();
        for (int i = 0; i < 600; i++) {
            asks(node, "?liar", i);
        }
        sent.clear();
        asks(node, "client:1", 600);
        assertThat(sent).as("refused").isEmpty();
        asks(node, "?liar", 601);
        assertThat(sent).hasSize(1);
    }

    private void asks(FleetNode node, String from, int number) {
        FleetOperation put = new FleetOperation(
                new RequestId(7, number),
                FleetOperation.Kind.PUT,
                Slice.utf8("k"),
                Slice.of(new byte[FleetOperation.VALUE_BYTES_MAX]));
        FleetMessage ask = new FleetMessage.Ask(
                Contact.at(1_000 + number, "client:1"),
                Writers.signed(put, writer, WALL + 100),
                FleetConsistency.ORDERED,
                OrderKey.FIRST);
        node.onMessage(from, ask, 100, WALL + 100);
    }
}
