package io.georep.netty.internal.wire;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.codec.TextBound;
import io.georep.model.Channels;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * Bytes of handshake messages; all numbers big endian.
 *
 * <pre>
 * message  = "GEOR" | u8 kind | u16 length of body | body | u32 crc32c of everything before
 * HELLO  1 = u8 versionMin | u8 versionMax | text cluster | identity | text expected id, or empty | chosenBy
 * ACCEPT 2 = u8 version | identity
 * REFUSE 3 = u8 code | text reason
 * identity = text id | varint incarnation | i64 generation | i64 nonce | text address | text site | channels
 * channels = u8 count | (u8 channel | u8 version, both from 1 | text name of the protocol)*, by channel
 * chosenBy = u8 channel of the protocol that chose the link; 0: the link is to a peer
 * text     = varint length in bytes | UTF-8
 * </pre>
 *
 * A reader ignores what follows the last field it knows, so later versions may append fields; it checks everything else.
 */
public final class HandshakeFormat {
    /** Largest message in bytes, envelope included. */
    static final int BYTES_MAX = 3072;

    /** Bytes before the body. */
    public static final int HEAD_BYTES = 7;

    /** Bytes after the body. */
    public static final int CHECKSUM_BYTES = 4;

    /** Wire versions this build speaks. */
    public static final int VERSION_MIN = 1;

    public static final int VERSION_MAX = 1;

    static final int REASON_LENGTH_MAX = 300;

    private static final byte[] MAGIC = "GEOR".getBytes(StandardCharsets.US_ASCII);
    private static final int HELLO = 1;
    private static final int ACCEPT = 2;
    private static final int REFUSE = 3;

    private HandshakeFormat() {}

    /** Returns the byte at this position of every handshake, for position 0 to 3. */
    static byte magic(int position) {
        return MAGIC[position];
    }

    static int magicLength() {
        return MAGIC.length;
    }

    /** Returns whether these bytes may begin a handshake. */
    public static boolean mayBegin(byte[] bytes, int count) {
        int compared = Math.min(count, MAGIC.length);
        return Arrays.equals(bytes, 0, compared, MAGIC, 0, compared);
    }

    /** Fails for an identity that no handshake can carry, so that the start fails and not every link. */
    public static void check(NodeIdentity identity) {
        bounded("address", identity.address(), TextBound.ADDRESS);
        bounded("site", identity.site(), TextBound.SITE);
        int channels = identity.channels().versions().size();
        if (channels > Channels.ANNOUNCED_MAX) {
            throw new ConfigurationException(
                    channels + " channels, at most " + Channels.ANNOUNCED_MAX + " can be announced");
        }
    }

    private static void bounded(String what, String value, TextBound bound) {
        int max = bound.bytesMax();
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > max) {
            throw new ConfigurationException(
                    what + " '" + value + "' takes " + bytes + " bytes, at most " + max + " are allowed");
        }
    }

    public static byte[] encode(Handshake message) {
        BinWriter body = new BinWriter(256);
        int kind = write(message, body);
        BinWriter out = new BinWriter(HEAD_BYTES + body.size() + CHECKSUM_BYTES);
        out.raw(MAGIC, 0, MAGIC.length).u8(kind).u16(body.size()).raw(body.view());
        out.i32(checksum(out.view()));
        return out.toArray();
    }

    private static int write(Handshake message, BinWriter body) {
        if (message instanceof Handshake.Hello hello) {
            body.u8(hello.versionMin()).u8(hello.versionMax()).text(hello.cluster());
            writeIdentity(hello.identity(), body);
            body.text(hello.expected()).u8(hello.chosenBy());
            return HELLO;
        }
        if (message instanceof Handshake.Accept accept) {
            body.u8(accept.version());
            writeIdentity(accept.identity(), body);
            return ACCEPT;
        }
        if (message instanceof Handshake.Refuse refuse) {
            String reason = refuse.reason();
            body.u8(refuse.code().wire()).text(reason.substring(0, Math.min(reason.length(), REASON_LENGTH_MAX)));
            return REFUSE;
        }
        throw new IllegalArgumentException("not a message of the wire: " + message);
    }

    private static void writeIdentity(NodeIdentity identity, BinWriter body) {
        body.node(identity.id()).varint(identity.incarnation()).i64(identity.generation());
        body.i64(identity.nonce()).text(identity.address()).text(identity.site());
        Channels channels = identity.channels();
        Map<Integer, Integer> versions = channels.versions();
        body.u8(versions.size());
        versions.forEach((channel, version) -> body.u8(channel).u8(version).text(channels.name(channel)));
    }

    /**
     * Reads one whole message.
     *
     * @throws MalformedException when it is none
     */
    public static Handshake decode(byte[] message) {
        int checked = message.length - CHECKSUM_BYTES;
        BinReader tail = new BinReader(new Slice(message, checked, CHECKSUM_BYTES));
        if (tail.i32() != checksum(new Slice(message, 0, checked))) {
            throw new MalformedException("the checksum of the handshake is wrong");
        }
        BinReader in = new BinReader(new Slice(message, HEAD_BYTES, checked - HEAD_BYTES));
        int kind = message[MAGIC.length];
        return switch (kind) {
            case HELLO -> readHello(in);
            case ACCEPT -> new Handshake.Accept(in.u8(), readIdentity(in));
            case REFUSE -> new Handshake.Refuse(RefusalCode.of(in.u8()), TextBound.printable(in.text()));
            default -> throw new MalformedException("a handshake of kind " + kind + " is not known");
        };
    }

    private static Handshake.Hello readHello(BinReader in) {
        int versionMin = in.u8();
        int versionMax = in.u8();
        String cluster = TextBound.CLUSTER.read(in);
        NodeIdentity identity = readIdentity(in);
        return new Handshake.Hello(versionMin, versionMax, cluster, identity, TextBound.EXPECTED.read(in), in.u8());
    }

    private static Channels readChannels(BinReader in) {
        int count = in.u8();
        Map<Integer, Integer> versions = new TreeMap<>();
        Map<Integer, String> names = new TreeMap<>();
        int before = 0;
        for (int i = 0; i < count; i++) {
            int channel = in.u8();
            int version = in.u8();
            String name = TextBound.PROTOCOL.read(in);
            if (channel <= before || version == 0 || name.isEmpty()) {
                throw new MalformedException("channel " + channel + " '" + name + "' in version " + version
                        + " is announced after channel " + before
                        + ": channels rise and have names, versions begin with 1");
            }
            versions.put(channel, version);
            names.put(channel, name);
            before = channel;
        }
        return Channels.of(versions).named(names);
    }

    private static NodeIdentity readIdentity(BinReader in) {
        NodeId id = in.node();
        long incarnation = Bound.INCARNATION.read(in);
        long generation = in.i64();
        long nonce = in.i64();
        String address = TextBound.ADDRESS.read(in);
        return new NodeIdentity(id, incarnation, generation, nonce, address, TextBound.SITE.read(in), readChannels(in));
    }

    private static int checksum(Slice bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        return (int) crc.getValue();
    }
}
