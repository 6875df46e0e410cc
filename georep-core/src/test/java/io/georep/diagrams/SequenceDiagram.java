package io.georep.diagrams;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who tells whom what, from top to bottom. A line of its text is one of
 *
 * <pre>
 * lanes: a | b | c          who takes part
 * under: x | y | z          what stands below their names
 * a -> b: text              a message
 * a -x b: text              a message that is lost
 * a: text                   what a does
 * a dies, a returns         a's line is dotted in between
 * cut a | b, heal           nothing crosses the line between these neighbours
 * == text                   what is so for all, or time that passes
 * </pre>
 */
final class SequenceDiagram {
    private static final int LANE = 165;
    private static final int ROW = 32;
    private static final int TOP = 104;
    private static final Pattern MESSAGE = Pattern.compile("(.+?) -([>x]) (.+?): (.+)");
    private static final Pattern DEED = Pattern.compile("(.+?): (.+)");
    private static final Pattern LIFE = Pattern.compile("(.+?) (dies|returns)");

    private final Drawing drawing = new Drawing();
    private final List<String> lanes;
    private final double[] begins;
    private final Map<Integer, Double> dead = new HashMap<>();
    private double cutX;
    private double cutAt = -1;
    private double y = TOP;

    private SequenceDiagram(List<String> lanes) {
        this.lanes = lanes;
        begins = new double[lanes.size()];
        Arrays.fill(begins, TOP - 20);
    }

    static String svg(String source) {
        List<String> lines = source.lines().toList();
        String title = after("title: ", lines.get(0));
        SequenceDiagram diagram = new SequenceDiagram(parts(after("lanes: ", lines.get(1))));
        diagram.heads(title, parts(after("under: ", lines.get(2))));
        lines.subList(3, lines.size()).forEach(diagram::step);
        diagram.end();
        return diagram.drawing.svg(title, source, diagram.width(), diagram.y + 12);
    }

    private static List<String> parts(String text) {
        return Arrays.asList(text.split(" \\| "));
    }

    private static String after(String word, String line) {
        if (!line.startsWith(word)) {
            throw new IllegalArgumentException("'" + word + "' is missing before: " + line);
        }
        return line.substring(word.length());
    }

    private double width() {
        return (double) LANE * lanes.size();
    }

    private double x(int lane) {
        return LANE * (lane + .5);
    }

    private int lane(String name) {
        int lane = lanes.indexOf(name);
        if (lane < 0) {
            throw new IllegalArgumentException("'" + name + "' is none of " + lanes);
        }
        return lane;
    }

    private void heads(String title, List<String> under) {
        drawing.text("title", width() / 2, 24, title);
        for (int i = 0; i < lanes.size(); i++) {
            drawing.box(x(i), 38, LANE - 24, 42);
            drawing.text("name", x(i), 56, lanes.get(i));
            drawing.text("small", x(i), 72, under.get(i));
        }
    }

    private void step(String line) {
        Matcher message = MESSAGE.matcher(line);
        Matcher life = LIFE.matcher(line);
        Matcher deed = DEED.matcher(line);
        if (line.startsWith("== ")) {
            fits(line, width());
            drawing.box(width() / 2, y - 16, width() - 24, 22);
            drawing.text("", width() / 2, y, line.substring(3));
        } else if (line.startsWith("cut ")) {
            List<String> sides = parts(line.substring(4));
            cutX = (x(lane(sides.get(0))) + x(lane(sides.get(1)))) / 2;
            cutAt = y - 20;
            y -= ROW;
        } else if (line.equals("heal")) {
            heal();
            y -= ROW;
        } else if (message.matches()) {
            message(
                    lane(message.group(1)),
                    lane(message.group(3)),
                    message.group(2).equals("x"),
                    message.group(4));
        } else if (life.matches()) {
            life(lane(life.group(1)), life.group(2).equals("dies"));
        } else if (deed.matches()) {
            fits(deed.group(2), LANE - 30);
            drawing.box(x(lane(deed.group(1))), y - 16, Drawing.width(deed.group(2)) + 16, 22);
            drawing.text("", x(lane(deed.group(1))), y, deed.group(2));
        } else {
            throw new IllegalArgumentException("not understood: " + line);
        }
        y += ROW;
    }

    private void message(int from, int to, boolean lost, String text) {
        double x1 = x(from) + (from < to ? 3 : -3);
        double x2 = x(to) - (from < to ? 3 : -3);
        fits(text, LANE - 6);
        double end = lost ? cutX : x2;
        drawing.line("line", x1, y, end, y);
        if (lost) {
            drawing.cross(end, y);
        } else {
            drawing.head(x2, y, x1);
        }
        // In the first gap on its way, where no line of life crosses it.
        drawing.text("", x(from) + (from < to ? LANE : -LANE) / 2.0, y - 6, text);
    }

    private void life(int lane, boolean dies) {
        if (dies) {
            drawing.ground("line", x(lane), begins[lane], y - 8);
            drawing.cross(x(lane), y - 8);
            dead.put(lane, y - 8);
        } else {
            drawing.ground("line away", x(lane), dead.remove(lane), y - 8);
            begins[lane] = y - 8;
        }
    }

    private void heal() {
        if (cutAt >= 0) {
            drawing.ground("bad away", cutX, cutAt, y - 20);
            cutAt = -1;
        }
    }

    private void end() {
        heal();
        for (int i = 0; i < lanes.size(); i++) {
            Double since = dead.get(i);
            drawing.ground(since == null ? "line" : "line away", x(i), since == null ? begins[i] : since, y - 10);
        }
    }

    private static void fits(String text, double room) {
        if (Drawing.width(text) > room) {
            throw new IllegalArgumentException("too long for its place: " + text);
        }
    }
}
