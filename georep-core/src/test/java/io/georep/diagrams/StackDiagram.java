package io.georep.diagrams;

import java.util.Arrays;
import java.util.List;

/** What stands on what: rows from top to bottom, each with boxes side by side, {@code name, what is below the name}. */
final class StackDiagram {
    private static final int WIDTH = 900;
    private static final int ROW = 62;
    private static final int TOP = 40;

    private StackDiagram() {}

    static String svg(String source) {
        Drawing drawing = new Drawing();
        List<String> lines = source.lines().toList();
        String title = lines.get(0).substring("title: ".length());
        drawing.text("title", WIDTH / 2.0, 24, title);
        double y = TOP;
        for (String line : lines.subList(1, lines.size())) {
            List<String> boxes = Arrays.asList(line.substring("row: ".length()).split(" \\| "));
            double width = (double) (WIDTH - 20) / boxes.size();
            for (int i = 0; i < boxes.size(); i++) {
                box(drawing, 10 + width * (i + .5), y, width - 8, boxes.get(i));
            }
            y += ROW;
        }
        return drawing.svg(title, source, WIDTH, y);
    }

    private static void box(Drawing drawing, double centre, double top, double width, String text) {
        int comma = text.lastIndexOf(", ");
        String name = comma < 0 ? text : text.substring(0, comma);
        if (Drawing.width(text) > 2 * width || Drawing.width(name) > width) {
            throw new IllegalArgumentException("too long for its box: " + text);
        }
        drawing.box(centre, top, width, ROW - 10);
        drawing.text("name", centre, top + (comma < 0 ? 30 : 23), name);
        if (comma >= 0) {
            drawing.text("small", centre, top + 40, text.substring(comma + 2));
        }
    }
}
