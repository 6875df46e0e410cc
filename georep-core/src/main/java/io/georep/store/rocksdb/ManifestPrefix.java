package io.georep.store.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The beginning of a MANIFEST, the file that lists the table files, as it was at some time. A MANIFEST only grows
 * until the next one replaces it. RocksDB takes one that has lost its end for a shorter one, and would drop the table
 * files listed last. The prefix makes such a loss visible.
 *
 * @param fileNumber the number in the file's name, 0 for none
 * @param bytes how much of it there was
 * @param crc CRC-32C of these bytes
 */
record ManifestPrefix(long fileNumber, long bytes, int crc) {
    /** Nothing was seen yet. */
    static final ManifestPrefix NONE = new ManifestPrefix(0, 0, 0);

    private static final String PREFIX = "MANIFEST-";

    /** Returns whether what was seen is still there, or a later MANIFEST has replaced it. */
    boolean isKeptIn(Path data) throws IOException {
        long current = currentNumber(data);
        if (current != fileNumber) {
            return current > fileNumber;
        }
        try (FileChannel file = open(data, current)) {
            return file.size() >= bytes && crcOf(file, bytes) == crc;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns what there is now, made durable; this object if nothing has changed. */
    ManifestPrefix extended(Path data) throws IOException {
        long current = currentNumber(data);
        try (FileChannel file = open(data, current)) {
            long size = file.size();
            if (current == fileNumber && size == bytes) {
                return this;
            }
            file.force(false);
            return new ManifestPrefix(current, size, crcOf(file, size));
        } catch (NoSuchFileException e) {
            // Replaced between the two looks; the next look will see the new one.
            return this;
        }
    }

    /** Returns the number of the MANIFEST in use; 0 if it cannot be told. */
    private static long currentNumber(Path data) throws IOException {
        try {
            byte[] name = Files.readAllBytes(data.resolve("CURRENT"));
            String text = new String(name, StandardCharsets.ISO_8859_1).strip();
            return text.matches(PREFIX + "\\d{1,18}") ? Long.parseLong(text.substring(PREFIX.length())) : 0;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static FileChannel open(Path data, long number) throws IOException {
        return FileChannel.open(
                data.resolve(String.format("%s%06d", PREFIX, number)),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static int crcOf(FileChannel file, long length) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
        for (long position = 0; position < length; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), length - position));
            int count = file.read(buffer, position);
            if (count < 0) {
                break;
            }
            crc.update(buffer.flip());
            position += count;
        }
        return (int) crc.getValue();
    }
}
