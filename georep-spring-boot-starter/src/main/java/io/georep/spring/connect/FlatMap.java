package io.georep.spring.connect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a source's partition or offset: a map from texts to simple values. Equal maps have equal bytes. Numbers come back as
 * {@code Long} and {@code Double}, as they do in Kafka Connect.
 *
 * <pre>
 * i32  count
 * then for each key, in the order of the texts: i32 length, UTF-8; u8 kind; the value
 *   0 null; 1 boolean: u8; 2 number: i64; 3 fraction: f64; 4 text: i32 length, UTF-8; 5 bytes: i32 length, bytes
 * </pre>
 */
final class FlatMap {
    private FlatMap() {}

    /** Writes a map; null stands for an empty one. */
    static byte[] write(@Nullable Map<String, ?> map) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            Map<String, Object> sorted = new TreeMap<>();
            if (map != null) {
                map.forEach((key, value) -> {
                    if (key == null) {
                        throw new DataException("a source's partition or offset has a key that is null");
                    }
                    sorted.put(key, value);
                });
            }
            out.writeInt(sorted.size());
            for (Map.Entry<String, Object> entry : sorted.entrySet()) {
                write(out, entry.getKey().getBytes(StandardCharsets.UTF_8));
                value(out, entry.getKey(), entry.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not in memory
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void value(DataOutputStream out, String key, @Nullable Object value) throws IOException {
        if (value == null) {
            out.writeByte(0);
        } else if (value instanceof Boolean truth) {
            out.writeByte(1);
            out.writeBoolean(truth);
        } else if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            out.writeByte(2);
            out.writeLong(((Number) value).longValue());
        } else if (value instanceof Double || value instanceof Float) {
            out.writeByte(3);
            out.writeDouble(((Number) value).doubleValue());
        } else if (value instanceof String text) {
            out.writeByte(4);
            write(out, text.getBytes(StandardCharsets.UTF_8));
        } else if (value instanceof byte[] bytes) {
            out.writeByte(5);
            write(out, bytes);
        } else if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            out.writeByte(5);
            write(out, bytes);
        } else {
            throw new DataException("a source's partition or offset has a "
                    + value.getClass().getName() + " as '" + key + "': allowed are texts, numbers, booleans and bytes");
        }
    }

    /** Reads what {@link #write} wrote. */
    static Map<String, Object> read(byte[] bytes) {
        Map<String, Object> map = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int count = in.readInt();
            if (count < 0) {
                throw new IOException("count " + count);
            }
            for (int i = 0; i < count; i++) {
                String key = new String(bytes(in), StandardCharsets.UTF_8);
                map.put(key, value(in));
            }
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes too many");
            }
        } catch (IOException e) {
            throw new DataException("a stored offset of a source is damaged", e);
        }
        return map;
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("length " + length + " of " + in.available());
        }
        return in.readNBytes(length);
    }

    private static @Nullable Object value(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 0 -> null;
            case 1 -> in.readBoolean();
            case 2 -> in.readLong();
            case 3 -> in.readDouble();
            case 4 -> new String(bytes(in), StandardCharsets.UTF_8);
            case 5 -> bytes(in);
            default -> throw new IOException("kind " + kind);
        };
    }
}
