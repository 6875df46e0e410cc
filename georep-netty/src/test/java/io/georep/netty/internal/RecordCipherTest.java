package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordCipherTest {
    private static final byte[] KEY = Samples.counting(RecordCipher.KEY_BYTES);

    private static byte[] seal(RecordCipher cipher, String text) {
        ByteBuffer out = ByteBuffer.allocate(text.length() + RecordCipher.TAG_BYTES);
        cipher.next(out.capacity(), ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), out);
        return out.array();
    }

    private static String open(RecordCipher cipher, byte[] sealed) {
        ByteBuffer out = ByteBuffer.allocate(sealed.length - RecordCipher.TAG_BYTES);
        cipher.next(sealed.length, ByteBuffer.wrap(sealed), out);
        return new String(out.array(), StandardCharsets.US_ASCII);
    }

    @Test
    void opensWhatWasSealedAcrossChangesOfTheKey() {
        RecordCipher sealing = RecordCipher.sealing(KEY, 3);
        RecordCipher opening = RecordCipher.opening(KEY, 3);

        for (int i = 0; i < 20; i++) {
            assertThat(open(opening, seal(sealing, "record " + i))).isEqualTo("record " + i);
        }
    }

    @Test
    void theKeyChangesAfterSoManyRecords() {
        RecordCipher sealing = RecordCipher.sealing(KEY, 3);
        RecordCipher patient = RecordCipher.opening(KEY, 4);
        List<byte[]> sealed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sealed.add(seal(sealing, "x"));
        }

        for (int i = 0; i < 3; i++) {
            assertThat(open(patient, sealed.get(i))).isEqualTo("x");
        }
        assertThatThrownBy(() -> open(patient, sealed.get(3))).isInstanceOf(DistrustException.class);
    }

    /** The same bytes never look the same: neither in the next record, nor after the key has changed. */
    @Test
    void equalBytesAreSealedDifferently() {
        RecordCipher sealing = RecordCipher.sealing(KEY, 5);
        HashSet<ByteBuffer> seen = new HashSet<>();

        for (int i = 0; i < 30; i++) {
            assertThat(seen.add(ByteBuffer.wrap(seal(sealing, "the same")))).isTrue();
        }
    }

    @Test
    void theLengthIsProtectedToo() {
        byte[] sealed = seal(RecordCipher.sealing(KEY), "text");
        RecordCipher opening = RecordCipher.opening(KEY);

        assertThatThrownBy(() -> opening.next(sealed.length + 1, ByteBuffer.wrap(sealed), ByteBuffer.allocate(4)))
                .isInstanceOf(DistrustException.class)
                .hasMessageContaining("record 0");
    }
}
