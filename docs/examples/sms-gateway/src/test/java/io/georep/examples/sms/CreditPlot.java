package io.georep.examples.sms;

import java.util.List;
import java.util.Locale;

/** Draws how long payments took at each site, second by second, as SVG that follows the reader's choice of light or dark. */
final class CreditPlot {
    private static final String STYLE = "<style>text{fill:#1f2328}path{fill:none;stroke:#d0d7de}rect{fill:#fff}"
            + ".a{stroke:#0969da}.b{stroke:#bc4c00}.c{stroke:#1a7f37}"
            + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}path{stroke:#3d444d}rect{fill:#0d1117}"
            + ".a{stroke:#58a6ff}.b{stroke:#f0883e}.c{stroke:#3fb950}}</style>\n";
    private static final List<String> LINES = List.of("a", "b", "c");
    private static final int LEFT = 50;
    private static final int TOP = 15;
    private static final int WIDTH = 560;
    private static final int HEIGHT = 200;
    private static final int MILLIS_MAX = 350;
    private static final int MILLIS_STEP = 50;
    private static final int SECONDS_STEP = 5;

    private CreditPlot() {}

    /** Draws one line for each name, which stands where it begins: there they are apart. NaN where nothing was paid. */
    static String svg(List<String> names, List<double[]> seconds) {
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n",
                LEFT + WIDTH + 15, TOP + HEIGHT + 45));
        svg.append(STYLE).append("<rect width=\"100%\" height=\"100%\"/>\n");
        for (int millis = 0; millis <= MILLIS_MAX; millis += MILLIS_STEP) {
            svg.append(format("<path d=\"M%d %.0fh%d\"/>", LEFT, y(millis), WIDTH))
                    .append(text(LEFT - 6, y(millis) + 4, "end", String.valueOf(millis)));
        }
        for (int second = 0; second < seconds.size(); second += SECONDS_STEP) {
            svg.append(text(x(second, seconds.size()), TOP + HEIGHT + 16, "middle", String.valueOf(second)));
        }
        svg.append(
                text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 35, "middle", "seconds; milliseconds until a message is paid"));
        for (int line = 0; line < names.size(); line++) {
            svg.append(line(names.get(line), LINES.get(line), seconds, line));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String line(String name, String style, List<double[]> seconds, int column) {
        StringBuilder path = new StringBuilder();
        double first = 0;
        for (int second = 0; second < seconds.size(); second++) {
            double millis = seconds.get(second)[column];
            if (!Double.isNaN(millis)) {
                double y = y(Math.min(millis, MILLIS_MAX));
                first = path.isEmpty() ? y : first;
                path.append(format("%s%.0f %.0f", path.isEmpty() ? "M" : "L", x(second, seconds.size()), y));
            }
        }
        return format("<path class=\"%s\" stroke-width=\"2\" d=\"%s\"/>", style, path)
                + text(LEFT + 4, first - 6, "start", name);
    }

    private static String text(double x, double y, String anchor, String text) {
        return format("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static double x(int second, int seconds) {
        return LEFT + (double) WIDTH * second / Math.max(1, seconds - 1);
    }

    private static double y(double millis) {
        return TOP + HEIGHT - HEIGHT * millis / MILLIS_MAX;
    }
}
