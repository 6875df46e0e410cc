package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a peer goes to logs, where it must not look like a line of its own. */
class PeerEntryTest {
    private static PeerEntry entry(String address, String site) {
        return new PeerEntry(NodeId.of("x"), address, site, 1, 1, 1, 0, 0, 0, false, 0, 0, 0);
    }

    private static PeerEntry read(PeerEntry entry) {
        BinWriter out = new BinWriter();
        entry.write(out);
        return PeerEntry.read(new BinReader(out.toSlice()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\u007f", "\u0080", "\u0085", "\u009f", "\u2028", "\u2029"})
    void controlCharactersAreRefusedInMessagesAndInTheStore(String control) {
        assertThat(read(entry("host:1", "site"))).isEqualTo(entry("host:1", "site"));
        assertThatThrownBy(() -> read(entry("host" + control + ":1", "site"))).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> read(entry("host:1", "site" + control))).isInstanceOf(MalformedException.class);
    }
}
