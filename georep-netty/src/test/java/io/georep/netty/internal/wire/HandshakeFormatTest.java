package io.georep.netty.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.codec.TextBound;
import io.georep.model.Channels;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.Samples;
import io.georep.runtime.WireFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeFormatTest {
    private static final String IDENTITY = "05616d732d31" + "ac02" + "0102030405060708" + "1112131415161718"
            + "12616d732d312e6578616d706c653a37343030" + "0665752d616d73";
    private static final String CHANNELS = "02" + "0101" + "0a6d656d62657273686970" + "0201" + "066f7574626f78";

    private static final Handshake.Hello SAMPLE_HELLO = new Handshake.Hello(1, 1, "georep", Samples.AMS, "nyc-1");
    private static final Handshake.Refuse SAMPLE_REFUSE =
            new Handshake.Refuse(RefusalCode.WRONG_CLUSTER, "wrong cluster");

    private static void assertBytes(Handshake message, String hex) {
        assertThat(HexFormat.of().formatHex(HandshakeFormat.encode(message))).isEqualTo(hex);
        assertThat(HandshakeFormat.decode(HexFormat.of().parseHex(hex))).isEqualTo(message);
    }

    @Test
    void exampleOfTheDocumentationIsAHello() throws IOException {
        String hex = Files.readString(Path.of("../docs/how-it-works/wire-format.md"))
                .lines()
                .dropWhile(line -> !line.startsWith("HELLO of node"))
                .skip(1)
                .dropWhile(String::isBlank)
                .takeWhile(line -> !line.isBlank())
                .map(line -> line.substring(0, 60).replace(" ", ""))
                .collect(Collectors.joining());

        Channels channels = Channels.of(Map.of(1, 1, 2, 1)).named(Map.of(1, "membership", 2, "outbox"));
        NodeIdentity nyc = new NodeIdentity(NodeId.of("nyc-1"), 1, 2, 3, "nyc-1:7400", "us-nyc", channels);
        assertBytes(new Handshake.Hello(1, 1, "georep", nyc, ""), hex);
    }

    @Test
    void channelsAreAnnouncedByBothSides() {
        NodeIdentity more = Samples.AMS.withChannels(Channels.of(Map.of(1, 1, 2, 3, 9, 255, 255, 7))
                .named(Map.of(1, "membership", 2, "outbox", 9, "tally", 255, "votes")));

        for (Handshake message :
                List.of(new Handshake.Hello(1, 1, "georep", more, "x"), new Handshake.Accept(1, more))) {
            assertThat(HandshakeFormat.decode(HandshakeFormat.encode(message))).isEqualTo(message);
        }
    }

    @Test
    void whatALaterVersionAppendsIsIgnored() {
        assertThat(HandshakeFormat.decode(sealed(2, "01" + IDENTITY + CHANNELS + "aabbcc")))
                .isEqualTo(new Handshake.Accept(1, Samples.AMS));
        String hello = "0101" + "0667656f726570" + IDENTITY + CHANNELS + "056e79632d31" + "00";
        assertThat(HandshakeFormat.decode(sealed(1, hello + "aabbcc"))).isEqualTo(SAMPLE_HELLO);
    }

    /** None, cut short, empty, too long, and fit to forge a line of the log. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "06",
                "00",
                "21" + "6161616161616161616161616161616161616161616161616161616161616161" + "61",
                "010a"
            })
    void namesThatAreNoneAreRefused(String names) {
        assertThatThrownBy(() -> HandshakeFormat.decode(sealed(2, "01" + IDENTITY + "010201" + names)))
                .isInstanceOf(MalformedException.class);
    }

    /** Not there, cut short, without a version, twice the same, falling, channel 0. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "01",
                "0201010161",
                "0101000161",
                "02010101610101" + "0162",
                "02020101610101" + "0162",
                "0100010161"
            })
    void channelsThatAreNoListAreRefused(String channels) {
        assertThatThrownBy(() -> HandshakeFormat.decode(sealed(2, "01" + IDENTITY + channels)))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void everyFlippedBitIsNoticed() {
        byte[] bytes = HandshakeFormat.encode(SAMPLE_HELLO);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));

            assertThatThrownBy(() -> HandshakeFormat.decode(flipped)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void fieldsThatALaterVersionAppendsAreIgnored() {
        assertThat(HandshakeFormat.decode(sealed(3, "01" + "0d77726f6e6720636c7573746572" + "090009")))
                .isEqualTo(SAMPLE_REFUSE);
    }

    @Test
    void refusalCodeOfALaterVersionIsReadAsOther() {
        assertThat(RefusalCode.of(200)).isEqualTo(RefusalCode.OTHER);
    }

    @Test
    void longReasonIsCut() {
        byte[] bytes = HandshakeFormat.encode(new Handshake.Refuse(RefusalCode.REFUSED, "\u20ac".repeat(5000)));

        assertThat(bytes.length).isLessThanOrEqualTo(HandshakeFormat.BYTES_MAX);
        assertThat(((Handshake.Refuse) HandshakeFormat.decode(bytes)).reason())
                .isEqualTo("\u20ac".repeat(HandshakeFormat.REASON_LENGTH_MAX));
    }

    @Test
    void reasonCannotForgeLinesInTheLog() {
        byte[] bytes =
                HandshakeFormat.encode(new Handshake.Refuse(RefusalCode.REFUSED, "a\n\u0085\u2028ERROR\u009b b"));

        assertThat(((Handshake.Refuse) HandshakeFormat.decode(bytes)).reason()).isEqualTo("a???ERROR? b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\u007f", "\u0080", "\u0085", "\u009f", "\u2028", "\u2029"})
    void controlCharactersInAnIdentityAreRefused(String control) {
        NodeIdentity forged = new NodeIdentity(NodeId.of("x"), 1, 1, 1, "host:1", "site" + control + "ERROR");
        byte[] bytes = HandshakeFormat.encode(new Handshake.Accept(1, forged));

        assertThatThrownBy(() -> HandshakeFormat.decode(bytes))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("site contains control characters");
    }

    /** The same bounds as in every message that relays these fields, or a node could be told what it must not repeat. */
    @Test
    void everyFieldOfAnIdentityHasItsBound() {
        for (WireFields.Field field : WireFields.IDENTITY.fields()) {
            for (WireFields.Probe probe : field.probes()) {
                byte[] bytes = accept(WireFields.IDENTITY.with(probe));
                boolean taken = true;
                try {
                    HandshakeFormat.decode(bytes);
                } catch (MalformedException e) {
                    taken = false;
                }
                assertThat(taken).as(field.name() + " " + probe.value()).isEqualTo(probe.taken());
            }
        }
    }

    private static byte[] accept(byte[] identity) {
        return sealed(2, "01" + HexFormat.of().formatHex(identity) + CHANNELS);
    }

    /** A message of this kind with this body and the right checksum. */
    private static byte[] sealed(int kind, String hex) {
        byte[] body = HexFormat.of().parseHex(hex);
        BinWriter out = new BinWriter().raw("GEOR".getBytes(StandardCharsets.US_ASCII), 0, 4);
        out.u8(kind).u16(body.length).raw(body, 0, body.length);
        CRC32C crc = new CRC32C();
        crc.update(out.toArray());
        return out.i32((int) crc.getValue()).toArray();
    }

    @Test
    void largestHandshakeFits() {
        NodeIdentity largest = new NodeIdentity(
                NodeId.of("n".repeat(NodeId.LENGTH_MAX)),
                Long.MAX_VALUE,
                -1,
                -1,
                "a".repeat(TextBound.ADDRESS.bytesMax()),
                "s".repeat(TextBound.SITE.bytesMax()),
                channels(Channels.ANNOUNCED_MAX));
        HandshakeFormat.check(largest);

        byte[] bytes = HandshakeFormat.encode(new Handshake.Hello(
                1, 255, "c".repeat(TextBound.CLUSTER.bytesMax()), largest, "e".repeat(NodeId.LENGTH_MAX), 254));

        assertThat(bytes.length).isLessThanOrEqualTo(HandshakeFormat.BYTES_MAX);
    }

    private static Channels channels(int count) {
        String longest = "p".repeat(TextBound.PROTOCOL.bytesMax());
        List<Integer> all = IntStream.rangeClosed(1, count).boxed().toList();
        return Channels.of(all.stream().collect(Collectors.toMap(Function.identity(), channel -> 255)))
                .named(all.stream().collect(Collectors.toMap(Function.identity(), channel -> longest)));
    }

    @Test
    void moreChannelsThanCanBeAnnouncedAreRefusedAtTheStart() {
        NodeIdentity many = Samples.AMS.withChannels(channels(Channels.ANNOUNCED_MAX + 1));

        assertThatThrownBy(() -> HandshakeFormat.check(many))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("65 channels, at most 64");
    }

    @Test
    void identityThatDoesNotFitIsRefusedAtTheStart() {
        NodeIdentity long1 = new NodeIdentity(NodeId.of("x"), 1, 1, 1, "host:1", "s".repeat(129));

        assertThatThrownBy(() -> HandshakeFormat.check(long1))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("takes 129 bytes, at most 128");
    }
}
