package io.georep.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsTheFirstColumnLeftAndTheOthersRight() {
        TextTable table =
                new TextTable().row("name", "n", "ratio").row("a", "1000", "2").row("long name");

        assertThat(table.lines()).containsExactly("name          n  ratio", "a          1000      2", "long name");
    }
}
