package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.GoldenFormats;
import io.georep.model.Channels;
import io.georep.netty.internal.dial.ChunkWriterTest;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.netty.internal.wire.SecretPreamble;
import io.georep.spi.RecordingListener;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bytes of handshakes and chunks. Those of a frame in several chunks are too many: {@link ChunkWriterTest} has them. */
class LinkGoldenTest extends GoldenFormats {
    /** The handshake has no version, it grows at its end. */
    private static final int HANDSHAKE = 1;

    private static final int CHUNKS = 1;

    @Override
    protected String file() {
        return "link";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>();
        formats.add(handshake("Hello", new Handshake.Hello(1, 1, "georep", Samples.AMS, "nyc-1")));
        formats.add(handshake("Hello, to a seed", new Handshake.Hello(1, 2, "georep", Samples.NYC, "")));
        formats.add(handshake("Accept", new Handshake.Accept(1, Samples.AMS)));
        formats.add(handshake("Hello, chosen by a protocol", new Handshake.Hello(1, 1, "georep", Samples.NYC, "", 9)));
        Channels more =
                Channels.of(Map.of(1, 1, 2, 3, 254, 255)).named(Map.of(1, "membership", 2, "outbox", 254, "votes"));
        formats.add(handshake("Accept, more channels", new Handshake.Accept(1, Samples.AMS.withChannels(more))));
        for (RefusalCode code : RefusalCode.values()) {
            formats.add(handshake("Refuse, " + code, new Handshake.Refuse(code, "wrong cluster")));
        }
        formats.add(chunk("chunk", false, "hello"));
        formats.add(chunk("chunk, urgent", true, "hello"));
        formats.add(chunk("chunk, empty", false, ""));
        formats.addAll(secretLink());
        return formats;
    }

    private static Format handshake(String name, Handshake value) {
        return new Format(name, HANDSHAKE, HandshakeFormat.encode(value), value, HandshakeFormat::decode);
    }

    private static Format chunk(String name, boolean urgent, String frame) {
        byte[] bytes = Samples.chunks(urgent, frame.getBytes(StandardCharsets.UTF_8));
        return new Format(name, CHUNKS, bytes, List.of(frame), LinkGoldenTest::frames);
    }

    private static List<String> frames(byte[] chunks) {
        RecordingListener heard = new RecordingListener(new Object());
        EmbeddedChannel channel = new EmbeddedChannel(Samples.decoder(Samples.NYC, 1 << 20, heard, new LinkCounters()));
        channel.writeInbound(Unpooled.wrappedBuffer(chunks));
        channel.finishAndReleaseAll();
        return heard.frames().stream()
                .map(frame -> new String(frame, StandardCharsets.UTF_8))
                .toList();
    }

    /** All that two ends say that share a secret and have these nonces, up to the first record. */
    private static List<Format> secretLink() {
        SecretEnd dialer = SecretEnd.dialer(SecretEnd.OLD);
        SecretEnd acceptor = SecretEnd.acceptor(SecretEnd.OLD);
        List<Format> formats = new ArrayList<>();
        byte[] challenge = dialer.said();
        formats.add(preamble("secret, challenge", challenge));
        acceptor.hear(challenge);
        byte[] answer = acceptor.said();
        formats.add(preamble("secret, answer", answer));
        dialer.hear(answer);
        byte[] proof = dialer.said();
        formats.add(preamble("secret, proof", proof));
        acceptor.hear(proof);
        byte[] welcome = acceptor.said();
        formats.add(preamble("secret, welcome", welcome));
        dialer.hear(welcome);
        for (SecretPreamble.Refusal refusal : SecretPreamble.Refusal.values()) {
            formats.add(preamble(
                    "secret, refuse, " + refusal, SecretPreamble.encode(refusal).array()));
        }
        formats.add(record("secret, record 0 of the dialer", 0, dialer));
        formats.add(record("secret, record 0 of the acceptor", 1, acceptor));
        return formats;
    }

    private static Format preamble(String name, byte[] message) {
        return new Format(name, SecretPreamble.VERSION, message, LinkGoldenTest.text(message), LinkGoldenTest::text);
    }

    private static String text(byte[] message) {
        return SecretPreamble.version(message) + " " + SecretPreamble.kind(message) + " "
                + (SecretPreamble.kind(message) == SecretPreamble.Kind.REFUSE
                        ? SecretPreamble.refusal(message)
                        : HexFormat.of().formatHex(SecretPreamble.body(message)));
    }

    private static Format record(String name, int sender, SecretEnd from) {
        from.write("hello");
        byte[] record = from.said();
        return new Format(name, SecretPreamble.VERSION, record, "hello", bytes -> {
            SecretEnd fresh = SecretEnd.linked()[1 - sender];
            fresh.hear(bytes);
            return fresh.text();
        });
    }

    @Test
    void everyHandshakeMessageHasGoldenBytes() {
        List<String> names = formats().stream().map(Format::name).toList();

        assertThat(Arrays.stream(Handshake.class.getPermittedSubclasses())
                        .filter(kind -> kind != Handshake.Garbage.class)
                        .map(Class::getSimpleName))
                .allMatch(kind -> names.stream().anyMatch(name -> name.startsWith(kind)));
    }
}
