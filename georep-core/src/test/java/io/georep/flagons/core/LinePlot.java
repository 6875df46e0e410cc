package io.georep.flagons.core;

import java.util.List;
import java.util.Locale;

/** Draws lines as SVG that follows the reader's choice of light or dark. */
final class LinePlot {
    private static final String STYLE = "<style>text{fill:#1f2328}path{fill:none;stroke:#d0d7de}rect{fill:#fff}"
            + ".a{stroke:#0969da}.b{stroke:#bc4c00}.c{stroke:#1a7f37}.d{stroke:#8250df}"
            + "@media(prefers-color-scheme:dark){text{fill:#e6edf3}path{stroke:#3d444d}rect{fill:#0d1117}"
            + ".a{stroke:#58a6ff}.b{stroke:#f0883e}.c{stroke:#3fb950}.d{stroke:#bc8cff}}</style>\n";
    private static final int LEFT = 60;
    private static final int TOP = 15;
    private static final int WIDTH = 560;
    private static final int HEIGHT = 220;
    private static final int STEPS = 5;

    private LinePlot() {}

    /** Draws columns 1 and on over column 0; each line has its name where it ends. */
    static String svg(String axes, List<String> names, List<double[]> points) {
        double right = points.stream().mapToDouble(each -> each[0]).max().orElse(1);
        double top = 1;
        for (double[] point : points) {
            for (int i = 1; i < point.length; i++) {
                top = Math.max(top, point[i]);
            }
        }
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n",
                LEFT + WIDTH + 110, TOP + HEIGHT + 45));
        svg.append(STYLE).append("<rect width=\"100%\" height=\"100%\"/>\n");
        for (int i = 0; i <= STEPS; i++) {
            double y = TOP + HEIGHT - HEIGHT * i / (double) STEPS;
            svg.append(format("<path d=\"M%d %.0fh%d\"/>", LEFT, y, WIDTH))
                    .append(text(LEFT - 6, y + 4, "end", top * i / STEPS))
                    .append(text(LEFT + WIDTH * i / (double) STEPS, TOP + HEIGHT + 16, "middle", right * i / STEPS));
        }
        for (int line = 0; line < names.size(); line++) {
            StringBuilder path = new StringBuilder();
            double y = 0;
            for (double[] point : points) {
                y = TOP + HEIGHT - HEIGHT * point[line + 1] / top;
                path.append(format("%s%.0f %.0f", path.isEmpty() ? "M" : "L", LEFT + WIDTH * point[0] / right, y));
            }
            svg.append(format("<path class=\"%c\" stroke-width=\"2\" d=\"%s\"/>", 'a' + line, path))
                    .append(format("<text x=\"%d\" y=\"%.0f\">%s</text>%n", LEFT + WIDTH + 4, y + 4, names.get(line)));
        }
        return svg.append(format(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>%n</svg>%n",
                        LEFT + WIDTH / 2, TOP + HEIGHT + 35, axes))
                .toString();
    }

    private static String text(double x, double y, String anchor, double number) {
        return format("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%.0f</text>%n", x, y, anchor, number);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
