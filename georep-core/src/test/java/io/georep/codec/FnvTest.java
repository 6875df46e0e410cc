package io.georep.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** By the vectors that its authors published. */
class FnvTest {
    @Test
    void hashesAsItsAuthorsSay() {
        assertThat(Fnv.hash(Slice.EMPTY)).isEqualTo(0xcbf29ce484222325L);
        assertThat(Fnv.hash(Slice.utf8("a"))).isEqualTo(0xaf63dc4c8601ec8cL);
        assertThat(Fnv.hash(Slice.utf8("foobar"))).isEqualTo(0x85944171f73967e8L);
        assertThat(Fnv.hash(Fnv.hash(Slice.utf8("foo")), new Slice("a bar".getBytes(), 2, 3)))
                .isEqualTo(0x85944171f73967e8L);
    }

    @Test
    void bytesHaveNoSign() {
        assertThat(Fnv.hash(Slice.of(new byte[] {(byte) 0xff}))).isEqualTo(0xaf64724c8602eb6eL);
    }
}
