package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command for the figures of the paper works; a small fleet says nothing about them. */
class FleetFiguresTest {
    @Test
    void itWritesTablesAndPlots(@TempDir Path directory) throws IOException {
        new FleetFigures(directory, 13_000, .1).all(20);

        assertThat(directory.resolve("figures-20.md"))
                .content()
                .contains("Figure 3", "Figure 7", "| 10 % | printed 18/25 |", "| 10 % | without order |", "| +58 % |");
        assertThat(directory.resolve("figure3-20.svg")).content().contains("second</text>");
        assertThat(directory.resolve("figure7-20-churn10.svg")).content().contains("got</text>");
        assertThat(directory.resolve("figure9-20.svg")).content().contains("without order</text>");
        assertThat(directory.resolve("figure10-20.svg")).content().contains("printed 11/8</text>");
        assertThat(directory.resolve("figure8-20-churn10.svg")).content().contains("hardened</text>");
    }
}
