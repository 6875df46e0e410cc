package io.georep.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Draws spreads over categories as SVG: lines where the categories are numbers in their order, bars where they are names. It
 * follows the reader's choice of light or dark, and is legible in print: lines differ in their dashes too, bars in their order.
 */
final class SpreadPlot {
    private static final String STYLE = "<style>text{fill:#1f2328}.g{fill:none;stroke:#d0d7de}.w{stroke:#1f2328}"
            + ".p{fill:none;stroke-width:2}"
            + ".a{stroke:#0969da}.b{stroke:#bc4c00;stroke-dasharray:7 3}.c{stroke:#1a7f37;stroke-dasharray:2 3}"
            + ".d{stroke:#8250df;stroke-dasharray:9 3 2 3}"
            + ".fa{fill:#0969da}.fb{fill:#bc4c00}.fc{fill:#1a7f37}.fd{fill:#8250df}"
            + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.g{stroke:#3d444d}.w{stroke:#e6edf3}.k{fill:#0d1117}"
            + ".a{stroke:#58a6ff}.b{stroke:#f0883e}.c{stroke:#3fb950}.d{stroke:#bc8cff}"
            + ".fa{fill:#58a6ff}.fb{fill:#f0883e}.fc{fill:#3fb950}.fd{fill:#bc8cff}}"
            + "@media print{text{fill:#000}.k{fill:#fff}}</style>\n";
    private static final int LEFT = 70;
    private static final int TOP = 34;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 240;
    private static final int STEPS = 4;
    private static final int LINES_MAX = 4;

    private final String axes;
    private final List<String> categories;
    private final Map<String, Map<String, Spread>> lines;
    private final double top;
    private final StringBuilder svg = new StringBuilder();

    /**
     * A plot.
     *
     * @param axes what stands below it: the meaning of both directions
     * @param categories from left to right
     * @param lines at most four, each with spreads by category; a category may be missing
     */
    SpreadPlot(String axes, List<String> categories, Map<String, Map<String, Spread>> lines) {
        if (lines.size() > LINES_MAX) {
            throw new IllegalArgumentException(lines.size() + " lines, " + LINES_MAX + " can be told apart");
        }
        this.axes = axes;
        this.categories = categories;
        this.lines = lines;
        this.top = round(lines.values().stream()
                .flatMap(line -> line.values().stream())
                .mapToDouble(Spread::max)
                .max()
                .orElse(1));
    }

    /** The next number that is easily divided by the steps. */
    private static double round(double max) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(max, 1e-9))));
        for (double factor : new double[] {1, 2, 4, 6, 8}) {
            if (factor * unit >= max) {
                return factor * unit;
            }
        }
        return 10 * unit;
    }

    String svg(boolean bars) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\" role=\"img\"><title>%s</title>%n",
                LEFT + WIDTH + 20, TOP + HEIGHT + 50, escaped(axes));
        svg.append(STYLE).append("<rect class=\"k\" fill=\"#fff\" width=\"100%\" height=\"100%\"/>\n");
        for (int i = 0; i <= STEPS; i++) {
            double value = top * i / STEPS;
            add("<path class=\"g\" d=\"M%d %.0fh%d\"/>", LEFT, y(value), WIDTH);
            text(LEFT - 8, y(value) + 4, "end", i == 0 ? "0" : Spread.number(value));
        }
        for (int i = 0; i < categories.size(); i++) {
            text(x(i), TOP + HEIGHT + 18, "middle", categories.get(i));
        }
        text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 40, "middle", axes);
        int index = 0;
        for (Map.Entry<String, Map<String, Spread>> line : lines.entrySet()) {
            legend(index, line.getKey(), bars);
            if (bars) {
                bars(index, line.getValue());
            } else {
                line(index, line.getValue());
            }
            index++;
        }
        return svg.append("</svg>\n").toString();
    }

    private void legend(int index, String name, boolean bars) {
        double left = LEFT + WIDTH * (double) index / LINES_MAX;
        if (bars) {
            add("<rect class=\"f%c\" x=\"%.0f\" y=\"8\" width=\"20\" height=\"10\"/>", color(index), left);
        } else {
            add("<path class=\"p %c\" d=\"M%.0f 13h24\"/>", color(index), left);
        }
        text(left + 30, 17, "start", name);
    }

    private void line(int index, Map<String, Spread> spreads) {
        List<String> points = new ArrayList<>();
        for (int i = 0; i < categories.size(); i++) {
            Spread spread = spreads.get(categories.get(i));
            if (spread != null) {
                points.add(String.format(Locale.ROOT, "%.1f %.1f", x(i), y(spread.median())));
                whisker(x(i), spread);
            }
        }
        add("<path class=\"p %c\" d=\"M%s\"/>%n", color(index), String.join("L", points));
    }

    private void bars(int index, Map<String, Spread> spreads) {
        double width = WIDTH / (double) categories.size() / (lines.size() + 1);
        for (int i = 0; i < categories.size(); i++) {
            Spread spread = spreads.get(categories.get(i));
            if (spread != null) {
                double left = x(i) + (index - lines.size() / 2.0) * width;
                double y = y(spread.median());
                add(
                        "<rect class=\"f%c\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>%n",
                        color(index), left, y, width - 2, TOP + HEIGHT - y);
                whisker(left + width / 2 - 1, spread);
            }
        }
    }

    private void whisker(double x, @Nullable Spread spread) {
        if (spread != null && spread.max() > spread.min()) {
            add("<path class=\"w\" d=\"M%.1f %.1fV%.1f\"/>%n", x, y(spread.min()), y(spread.max()));
        }
    }

    private static char color(int index) {
        return (char) ('a' + index);
    }

    private double x(int category) {
        return LEFT + WIDTH * (category + 0.5) / categories.size();
    }

    private double y(double value) {
        return TOP + HEIGHT * (1 - value / top);
    }

    private void text(double x, double y, String anchor, String text) {
        add("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
