package io.georep.store.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Remembers, beside the log, up to which write the store has reported changes as durable. The log alone cannot tell a
 * tail that was torn while it was written from one that was lost after it was promised. With the mark, recovery may
 * stop at the first damaged record, and opening is refused if that record lies before the mark.
 *
 * <p>The mark is written after the writes, without an fsync of its own. So it is a lower bound: it may lag after a
 * power cut, but it never claims too much. At level {@code OS}, log and mark are both in the page cache, so that mark
 * counts only until the machine is restarted.
 *
 * <pre>
 * file = slot at 0, slot at 4096; written in turns, so that a torn write leaves the other one
 * slot = u32 magic | u32 synced (1) or not (0) | u64 write number | u64 boot
 *        | u64 manifest file number | u64 manifest bytes | u32 CRC-32C of these | u32 CRC-32C of the 44 bytes before
 * </pre>
 */
final class DurableMark implements AutoCloseable {
    /**
     * What must be found when the directory is opened.
     *
     * @param writeNumber the last write that was reported durable, 0 if it may have been lost with the page cache
     * @param manifest the least the list of files must say
     */
    record Promise(long writeNumber, ManifestPrefix manifest) {}

    private static final Comparator<Promise> LATER = Comparator.comparingLong(Promise::writeNumber)
            .thenComparingLong(promise -> promise.manifest().fileNumber())
            .thenComparingLong(promise -> promise.manifest().bytes());

    private static final int MAGIC = 0x47524d31;
    private static final int SLOT_BYTES = 48;
    private static final int SLOT_DISTANCE = 4096;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final FileChannel channel;
    private final long boot;
    private final ByteBuffer slot = ByteBuffer.allocateDirect(SLOT_BYTES);
    private final CRC32C crc = new CRC32C();
    private ManifestPrefix manifest = ManifestPrefix.NONE;
    private int nextSlot;
    private boolean isLastSynced = true;
    private long lastWriteNumber;
    private boolean isDirty;

    private DurableMark(FileChannel channel, long boot) {
        this.channel = channel;
        this.boot = boot;
    }

    static DurableMark open(Path file) throws IOException {
        return open(file, currentBoot());
    }

    static DurableMark open(Path file, long boot) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new DurableMark(channel, boot);
    }

    /** Returns what this file promises; null if it is missing or damaged. */
    @Nullable
    Promise read() throws IOException {
        Promise latest = null;
        for (int i = 0; i < 2; i++) {
            Promise promise = readSlot(i);
            if (promise != null && (latest == null || LATER.compare(promise, latest) > 0)) {
                latest = promise;
            }
        }
        return latest;
    }

    /** Takes in what the list of files says now. Cheap if it has not changed. */
    void look(Path data) throws IOException {
        ManifestPrefix seen = manifest.extended(data);
        if (!seen.equals(manifest)) {
            manifest = seen;
            advance(isLastSynced, lastWriteNumber);
            isDirty = true;
        }
    }

    /** Promises everything up to this write number: for good when synced, else until the machine restarts. */
    void advance(boolean isSynced, long writeNumber) throws IOException {
        isLastSynced = isSynced;
        lastWriteNumber = writeNumber;
        slot.clear();
        slot.putInt(MAGIC).putInt(isSynced ? 1 : 0).putLong(writeNumber).putLong(boot);
        slot.putLong(manifest.fileNumber()).putLong(manifest.bytes()).putInt(manifest.crc());
        crc.reset();
        crc.update(slot.flip());
        slot.limit(SLOT_BYTES).putInt((int) crc.getValue()).flip();
        channel.write(slot, (long) nextSlot * SLOT_DISTANCE);
        nextSlot = 1 - nextSlot;
        isDirty |= isSynced;
    }

    /** Promises everything up to this write number for good, in both slots, and makes the mark itself durable. */
    void reset(long writeNumber) throws IOException {
        advance(true, writeNumber);
        advance(true, writeNumber);
        force();
    }

    /** Makes the mark survive a power cut, if it has moved and says more than what a power cut takes away anyway. */
    void force() throws IOException {
        if (isDirty) {
            channel.force(false);
            isDirty = false;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private @Nullable Promise readSlot(int index) throws IOException {
        slot.clear();
        while (slot.hasRemaining()) {
            if (channel.read(slot, (long) index * SLOT_DISTANCE + slot.position()) < 0) {
                return null;
            }
        }
        crc.reset();
        crc.update(slot.flip().limit(SLOT_BYTES - 4));
        slot.limit(SLOT_BYTES);
        int actual = slot.getInt();
        slot.rewind();
        int magic = slot.getInt();
        boolean isSynced = slot.getInt() == 1;
        long writeNumber = slot.getLong();
        long slotBoot = slot.getLong();
        ManifestPrefix prefix = new ManifestPrefix(slot.getLong(), slot.getLong(), slot.getInt());
        if (magic != MAGIC || actual != (int) crc.getValue()) {
            return null;
        }
        boolean isBinding = isSynced || (slotBoot != 0 && slotBoot == boot);
        return new Promise(isBinding ? writeNumber : 0, prefix);
    }

    /** Returns a number that changes when the machine restarts; 0 if there is none. */
    private static long currentBoot() {
        try {
            byte[] id = Files.readString(BOOT_ID).strip().getBytes(StandardCharsets.US_ASCII);
            CRC32C high = new CRC32C();
            high.update(id);
            return (high.getValue() << 32) | Integer.toUnsignedLong(Arrays.hashCode(id));
        } catch (IOException e) {
            return 0;
        }
    }
}
