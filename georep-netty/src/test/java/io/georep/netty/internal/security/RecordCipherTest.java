package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.wire.DistrustException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class RecordCipherTest {
    private static final byte[] KEY = Samples.counting(RecordCipher.KEY_BYTES);

    private static byte[] seal(RecordCipher cipher, String text) {
        byte[] sealed = Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), text.length() + RecordCipher.TAG_BYTES);
        cipher.next(sealed, text.length(), sealed, 0);
        return sealed;
    }

    private static String open(RecordCipher cipher, byte[] sealed) {
        int offset = 3;
        byte[] out = new byte[offset + sealed.length - RecordCipher.TAG_BYTES];
        cipher.next(sealed, sealed.length, out, offset);
        return new String(out, offset, out.length - offset, StandardCharsets.US_ASCII);
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

    /** As wire-format.md says it: written here once more, with nothing but the cipher of Java. */
    @Test
    void aRecordProvesItsLengthToo() throws GeneralSecurityException {
        byte[] sealed = seal(RecordCipher.sealing(KEY), "text");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        GCMParameterSpec firstRecord = new GCMParameterSpec(128, new byte[12]);

        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(KEY, "AES"), firstRecord);
        cipher.updateAAD(new byte[] {0, 0, 0, (byte) sealed.length});
        assertThat(cipher.doFinal(sealed)).asString().isEqualTo("text");

        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(KEY, "AES"), firstRecord);
        cipher.updateAAD(new byte[] {0, 0, 0, (byte) (sealed.length + 1)});
        assertThatThrownBy(() -> cipher.doFinal(sealed)).isInstanceOf(AEADBadTagException.class);
    }

    @Test
    void aRecordWithoutItsLastByteIsNotOpened() {
        byte[] sealed = seal(RecordCipher.sealing(KEY), "text");

        assertThatThrownBy(() -> open(RecordCipher.opening(KEY), Arrays.copyOf(sealed, sealed.length - 1)))
                .isInstanceOf(DistrustException.class)
                .hasMessageContaining("record 0");
    }
}
