package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JudgeTest {
    @TempDir
    private Path directory;

    private static Operation put(String value, long from, long until) {
        return new Operation("k", Kind.PUT, value, null, from, until, true, null, "w");
    }

    private static Operation read(String seen, long from, long until) {
        return new Operation("k", Kind.READ, null, null, from, until, true, seen, "r");
    }

    @Test
    void findsAReadThatIsStale() {
        assertThatCode(() -> Judge.check(List.of(put("1", 1, 2), put("2", 3, 6), read("1", 4, 5), read("2", 7, 8))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Judge.check(List.of(put("1", 1, 2), put("2", 3, 4), read("1", 5, 6))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void findsAWriteThatWasRefusedAndYetSeen() {
        assertThatThrownBy(() -> Judge.check(List.of(read("refused", 1, 2)))).isInstanceOf(AssertionError.class);
    }

    private static Operation transfer(int left, long from, long until) {
        return new Operation("b", Kind.TRANSFER, "0,1,5", null, from, until, true, "" + left, "t");
    }

    private static Operation page(String seen, long from, long until) {
        return new Operation("b", Kind.READ, null, null, from, until, true, seen, "p");
    }

    @Test
    void findsATransferThatWasDoneTwice() {
        assertThatCode(() -> Judge.check(
                        List.of(transfer(95, 1, 4), page(null, 2, 3), transfer(90, 5, 6), page("90,110,,", 7, 8))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Judge.check(List.of(transfer(95, 1, 2), page("90,110,,", 3, 4))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void findsAPageOfTwoMoments() {
        assertThatThrownBy(() -> Judge.check(List.of(transfer(95, 1, 3), page("95,100,,", 2, 4))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aHistoryIsReadAsItWasWrittenUntilTheProcessWasKilled() throws Exception {
        Path file = directory.resolve("node-0.history");
        try (HistoryFile history = new HistoryFile(file)) {
            long put = history.call(Kind.PUT, "k", "1", null);
            long replace = history.call(Kind.REPLACE, "k", "2", "1");
            history.answer(put, true, null);
            history.withoutEffect(replace, "NO_LEASE");
            long read = history.call(Kind.READ, "k", null, null);
            history.answer(read, true, "1");
            history.unknown(history.call(Kind.REMOVE, "k", null, null), "Indeterminate");
            history.call(Kind.PUT, "k", "3", null);
        }
        Files.writeString(file, "B 6 PUT k 4", StandardOpenOption.APPEND);

        List<HistoryFile.Call> calls = HistoryFile.read(file);

        assertThat(calls)
                .extracting(HistoryFile.Call::fate)
                .containsExactly("ok", "X:NO_LEASE", "ok", "U:Indeterminate", "cut");
        assertThat(calls.get(2).operation().seen()).isEqualTo("1");
        assertThat(calls.get(4).operation().isAnswered()).isFalse();
        assertThat(calls.get(4).operation().value()).isEqualTo("3");
    }
}
