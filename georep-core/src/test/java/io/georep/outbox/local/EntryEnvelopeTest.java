package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EntryEnvelopeTest {
    private static final long TIME = 1_800_000_000_000L;

    @Test
    void readsWhatItWrote() {
        EntryEnvelope read = EntryEnvelope.decode(full().encode());

        assertThat(read).isEqualTo(full());
        assertThat(read.headers().keySet()).containsExactly("a", "b");
        assertThat(read.notBeforeMillis()).isEqualTo(TIME + 10_000);
        assertThat(read.expiredAt(TIME + 59_999)).isFalse();
        assertThat(read.expiredAt(TIME + 60_000)).isTrue();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> EntryEnvelope.decode(Slice.of(new byte[] {0x40, 0})))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> EntryEnvelope.decode(Slice.of(new byte[] {0x30, 0})))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("flags 16");
        assertThatThrownBy(() -> EntryEnvelope.decode(Slice.EMPTY)).isInstanceOf(MalformedException.class);
    }

    @Test
    void everyTruncationIsAnErrorOrAShorterBody() {
        Slice bytes = full().encode();

        for (int length = 0; length < bytes.length() - 4; length++) {
            Slice part = new Slice(bytes.array(), bytes.offset(), length);
            assertThatThrownBy(() -> EntryEnvelope.decode(part)).isInstanceOf(MalformedException.class);
        }
    }

    private static EntryEnvelope full() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("a", "1");
        headers.put("b", "");
        return new EntryEnvelope(TIME, 10_000, 60_000, headers, "key", Slice.utf8("body"));
    }
}
