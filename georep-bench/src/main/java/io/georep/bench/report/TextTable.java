package io.georep.bench.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A table for the terminal; the first column is aligned left, the others right. Not thread-safe. */
public final class TextTable {
    private final List<List<String>> rows = new ArrayList<>();

    /** Adds a row; the first one is the heading. */
    public TextTable row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /** The lines of the table. */
    public List<String> lines() {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            lines.add(line(row, widths));
        }
        return lines;
    }

    /** Prints all lines. */
    public void print(PrintStream out) {
        lines().forEach(out::println);
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            line.append(i == 0 ? row.get(i) + padding : "  " + padding + row.get(i));
        }
        return line.toString().stripTrailing();
    }
}
