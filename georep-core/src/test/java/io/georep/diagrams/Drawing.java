package io.georep.diagrams;

import java.util.Locale;

/** Parts of an SVG picture that is readable on light and dark pages, in print, and by a screen reader. */
final class Drawing {
    private static final String STYLE = """
            <style>
              svg { --paper: #ffffff; --ink: #1f2933; --box: #e6eef5; --line: #52606d; --bad: #b42318; }
              @media (prefers-color-scheme: dark) {
                svg { --paper: #1b2430; --ink: #e4e7eb; --box: #32435a; --line: #9fb0c0; --bad: #ff9a8b; }
              }
              text { font: 13px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
              .title { font-size: 15px; font-weight: 600; }
              .name { font-weight: 600; }
              .small { font-size: 11px; }
              .box { fill: var(--box); stroke: var(--line); }
              .line { stroke: var(--line); stroke-width: 1.5; fill: none; }
              .away { stroke-dasharray: 2 5; }
              .bad { stroke: var(--bad); stroke-width: 2; fill: none; }
              .arrow { fill: var(--line); }
            </style>
            """;

    private final StringBuilder ground = new StringBuilder();
    private final StringBuilder parts = new StringBuilder();

    void box(double centre, double top, double width, double height) {
        add(
                "<rect class='box' x='%.0f' y='%.0f' width='%.0f' height='%.0f' rx='5'/>",
                centre - width / 2, top, width, height);
    }

    void text(String kind, double x, double y, String text) {
        add("<text class='%s' x='%.0f' y='%.0f'>%s</text>", kind, x, y, escaped(text));
    }

    void line(String kind, double x1, double y1, double x2, double y2) {
        add("<line class='%s' x1='%.0f' y1='%.0f' x2='%.0f' y2='%.0f'/>", kind, x1, y1, x2, y2);
    }

    /** A line from top to bottom that everything else covers. */
    void ground(String kind, double x, double y1, double y2) {
        ground.append(String.format(
                Locale.ROOT, "<line class='%s' x1='%.0f' y1='%.0f' x2='%.0f' y2='%.0f'/>%n", kind, x, y1, x, y2));
    }

    /** The head of an arrow that comes from that side. */
    void head(double x, double y, double from) {
        double back = from < x ? x - 9 : x + 9;
        add("<path class='arrow' d='M%.0f %.0f L%.0f %.0f L%.0f %.0f Z'/>", x, y, back, y - 5, back, y + 5);
    }

    void cross(double x, double y) {
        line("bad", x - 6, y - 6, x + 6, y + 6);
        line("bad", x - 6, y + 6, x + 6, y - 6);
    }

    /** How wide a text is at most, in pixels. */
    static double width(String text) {
        return text.length() * 7.2;
    }

    private void add(String format, Object... values) {
        parts.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** The picture; whoever does not see it is told the text that it is made from. */
    String svg(String title, String source, double width, double height) {
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns='http://www.w3.org/2000/svg' role='img' viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f'>%n",
                        width,
                        height,
                        width,
                        height)
                + "<title>" + escaped(title) + "</title>\n<desc>" + escaped(source) + "</desc>\n" + STYLE
                + "<rect width='100%' height='100%' rx='8' style='fill: var(--paper)'/>\n" + ground + parts
                + "</svg>\n";
    }
}
