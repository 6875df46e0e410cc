package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A look into the key spaces of a node, for checks. */
public final class KeyAudit {
    /**
     * One version of a key.
     *
     * @param value null for a deletion
     */
    public record Seen(String key, Version version, String value) {}

    /** Compares as the protocol does. */
    public record Version(long epoch, String node, long boot) implements Comparable<Version> {
        @Override
        public int compareTo(Version other) {
            return real().compareTo(other.real());
        }

        private KeyVersion real() {
            return new KeyVersion(epoch, io.georep.model.NodeId.of(node), boot);
        }

        static Version of(KeyVersion version) {
            return new Version(version.epoch(), version.node().value(), version.boot());
        }
    }

    private KeyAudit() {}

    /** All replicated records of a space, deleted ones among them. */
    public static List<Seen> records(KeyProtocol protocol, String space) {
        List<Seen> seen = new ArrayList<>();
        var content = protocol.context().table.space(space);
        if (content != null) {
            content.values().forEach(record -> seen.add(seen(record)));
        }
        return seen;
    }

    /** What a node has of a key now; null if nothing. */
    public static Seen record(KeyProtocol protocol, String space, String key) {
        StoredKey found = protocol.context().table.find(space, key.getBytes());
        return found == null ? null : seen(found);
    }

    static Seen seen(StoredKey record) {
        return seen(record.key, record.version, record.value);
    }

    private static Seen seen(byte[] key, KeyVersion version, byte[] value) {
        return new Seen(new String(key), Version.of(version), value == null ? null : new String(value));
    }

    /** The key of the store under which a record is kept. */
    public static byte[] storeKey(String space, String key) {
        return KeyLayout.replicated(space, key.getBytes());
    }

    /** A stored record. */
    public static Seen stored(String key, Slice content) {
        BinReader in = new BinReader(content);
        KeyVersion version = KeyLayout.version(in);
        return seen(key.getBytes(), version, KeyLayout.value(in));
    }

    /** The sum over all replicated records. */
    public static String sum(KeyProtocol protocol) {
        return HexFormat.of().toHexDigits(protocol.context().table.tree().sum(0, 0));
    }

    /** Marks of deletions that are kept. */
    public static int marks(KeyProtocol protocol) {
        return protocol.context().table.marks();
    }

    /** Records taken from other nodes. */
    public static long taken(KeyProtocol protocol) {
        return protocol.context().taken;
    }

    /** Compares all counters with what is in the table; throws if they do not fit. */
    public static void check(KeyProtocol protocol) {
        KeyTable table = protocol.context().table;
        table.check();
        HashTree expected = new HashTree();
        long records = 0;
        long bytes = 0;
        int deletions = 0;
        for (int leaf = 0; leaf < HashTree.LEAVES; leaf++) {
            for (StoredKey record : table.leaf(leaf)) {
                if (table.find(record.space, record.key) != record) {
                    throw new AssertionError("a record in a leaf is not in the table: " + new String(record.key));
                }
                expected.toggle(leaf, record.hash());
                records++;
                bytes += record.bytes();
                deletions += record.isDeleted() ? 1 : 0;
            }
        }
        for (int level = 0; level <= HashTree.LEVELS; level++) {
            for (int part = 0; part < HashTree.partsAt(level); part++) {
                if (expected.sum(level, part) != table.tree().sum(level, part)) {
                    throw new AssertionError("sum of part " + part + " at level " + level);
                }
            }
        }
        if (records != table.records() || bytes != table.bytes() || deletions != table.marks()) {
            throw new AssertionError("table counts " + table.records() + " records with " + table.bytes()
                    + " bytes, has " + records + " with " + bytes);
        }
    }
}
