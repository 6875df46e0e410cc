package io.georep.examples.sms;

import java.util.List;
import java.util.Locale;

/** Draws how long payments took at each site, second by second, as SVG. */
final class CreditPlot {
    private static final List<String> COLOURS = List.of("#1f77b4", "#d95f02", "#1b9e77");
    private static final int LEFT = 50;
    private static final int TOP = 15;
    private static final int WIDTH = 560;
    private static final int HEIGHT = 200;
    private static final int MILLIS_MAX = 350;
    private static final int MILLIS_STEP = 50;
    private static final int SECONDS_STEP = 5;

    private CreditPlot() {}

    /** Draws one line for each name. NaN where nothing was paid. */
    static String svg(List<String> names, List<double[]> seconds) {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                LEFT + WIDTH + 60,
                TOP + HEIGHT + 45));
        for (int millis = 0; millis <= MILLIS_MAX; millis += MILLIS_STEP) {
            double y = y(millis);
            svg.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%d %.0fh%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%d</text>%n",
                    LEFT,
                    y,
                    WIDTH,
                    LEFT - 6,
                    y + 4,
                    millis));
        }
        for (int second = 0; second < seconds.size(); second += SECONDS_STEP) {
            svg.append(text(x(second, seconds.size()), TOP + HEIGHT + 16, String.valueOf(second)));
        }
        svg.append(text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 35, "seconds; milliseconds until a message is paid"));
        for (int line = 0; line < names.size(); line++) {
            StringBuilder path = new StringBuilder();
            double last = 0;
            for (int second = 0; second < seconds.size(); second++) {
                double millis = seconds.get(second)[line];
                if (!Double.isNaN(millis)) {
                    last = y(Math.min(millis, MILLIS_MAX));
                    path.append(String.format(
                            Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", x(second, seconds.size()), last));
                }
            }
            svg.append(String.format(
                    Locale.ROOT,
                    "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>"
                            + "<text x=\"%d\" y=\"%.0f\" fill=\"%s\">%s</text>%n",
                    path,
                    COLOURS.get(line),
                    LEFT + WIDTH + 8,
                    last + 4,
                    COLOURS.get(line),
                    names.get(line)));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String text(double x, double y, String text) {
        return String.format(Locale.ROOT, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>%n", x, y, text);
    }

    private static double x(int second, int seconds) {
        return LEFT + (double) WIDTH * second / Math.max(1, seconds - 1);
    }

    private static double y(double millis) {
        return TOP + HEIGHT - HEIGHT * millis / MILLIS_MAX;
    }
}
