package io.georep.bench.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A run as a picture: faults as bars by node, below them the rates, and when all nodes saw each other. */
final class Timeline {
    private static final int WIDTH = 1000;
    private static final int LEFT = 70;
    private static final int LANE = 26;
    private static final int CURVES = 120;
    private static final Map<Fault, String> COLOURS = Map.ofEntries(
            Map.entry(Fault.DOWN, "#c0392b"),
            Map.entry(Fault.FROZEN, "#2980b9"),
            Map.entry(Fault.STORE_LOST, "#000000"),
            Map.entry(Fault.DISK_FULL, "#8e5a2b"),
            Map.entry(Fault.DISK_HUNG, "#d35400"),
            Map.entry(Fault.CLOCK_STEPPED, "#16a085"),
            Map.entry(Fault.BLOCKED, "#8e44ad"),
            Map.entry(Fault.BROKEN, "#e84393"),
            Map.entry(Fault.DELAYED, "#f1c40f"),
            Map.entry(Fault.DAMAGED, "#27ae60"),
            Map.entry(Fault.SLOW, "#7f8c8d"),
            Map.entry(Fault.STARVED, "#b2bec3"),
            Map.entry(Fault.CONSUMER_HUNG, "#34495e"),
            Map.entry(Fault.FLOODED, "#00a8ff"));

    private final List<Event> events;
    private final long end;
    private final StringBuilder svg = new StringBuilder();

    Timeline(List<Event> events) {
        this.events = events;
        this.end = Math.max(1, events.stream().mapToLong(Event::at).max().orElse(1));
    }

    String svg() {
        List<Trouble> troubles = Trouble.all(events);
        Map<String, Integer> lanes = lanes();
        int height = lanes.size() * LANE + CURVES + 60;
        svg.append(String.format(
                Locale.ROOT, "<svg viewBox='0 0 %d %d' width='%d' height='%d'>", WIDTH, height, WIDTH, height));
        lanes.forEach((name, top) -> {
            text(0, top + 16, name.isEmpty() ? "all nodes" : name);
            rect(LEFT, top, WIDTH - LEFT, LANE - 4, "#f4f4f4", "");
        });
        for (Trouble trouble : troubles) {
            bar(trouble, lanes.getOrDefault(trouble.node(), 0));
        }
        int top = lanes.size() * LANE + 10;
        reunion(top);
        curves(top + 14);
        legend(top + CURVES + 34);
        return svg.append("</svg>\n").toString();
    }

    private Map<String, Integer> lanes() {
        Map<String, Integer> lanes = new LinkedHashMap<>();
        lanes.put("", 0);
        for (Event event : events) {
            if (event instanceof Event.Started started) {
                lanes.putIfAbsent(started.node(), lanes.size() * LANE);
            }
        }
        return lanes;
    }

    private double x(long at) {
        return LEFT + (double) Math.min(at, end) / end * (WIDTH - LEFT);
    }

    private void bar(Trouble trouble, int top) {
        boolean way = trouble.fault().scope() == Fault.Scope.WAY;
        double from = x(trouble.from());
        double width = Math.max(2, x(trouble.until()) - from);
        rect(
                from,
                way ? top + LANE / 2 : top,
                width,
                way ? LANE / 2 - 4 : LANE / 2,
                COLOURS.getOrDefault(trouble.fault(), "#000"),
                trouble.describe());
    }

    private void rect(double x, int y, double width, int height, String colour, String title) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' fill-opacity='.75'>%s</rect>",
                x,
                y,
                width,
                height,
                colour,
                title.isEmpty() ? "" : "<title>" + Page.escape(title) + "</title>"));
    }

    private void text(double x, int y, String text) {
        svg.append(String.format(Locale.ROOT, "<text x='%.1f' y='%d'>%s</text>", x, y, Page.escape(text)));
    }

    /** A line that is green while all nodes see each other. */
    private void reunion(int top) {
        text(0, top + 6, "all meet");
        long since = -1;
        for (Event event : events) {
            if (event instanceof Event.Met met) {
                if (since >= 0 && !met.all()) {
                    rect(x(since), top, x(met.at()) - x(since), 6, "#2ecc71", "");
                }
                since = met.all() ? met.at() : -1;
            }
        }
        if (since >= 0) {
            rect(x(since), top, x(end) - x(since), 6, "#2ecc71", "");
        }
    }

    private void curves(int top) {
        int[] acknowledged = Rates.perSecond(
                events, event -> event instanceof Event.Answered it && it.answer() == Event.Answer.ACKNOWLEDGED);
        int[] refused = Rates.perSecond(
                events, event -> event instanceof Event.Answered it && it.answer() != Event.Answer.ACKNOWLEDGED);
        int[] forwarded = Rates.perSecond(events, Event.Forwarded.class::isInstance);
        int most = 1;
        for (int[] rates : List.of(acknowledged, refused, forwarded)) {
            for (int rate : rates) {
                most = Math.max(most, rate);
            }
        }
        text(0, top + 10, most + "/s");
        text(0, top + CURVES, "0 to " + end / 1_000_000 + " s");
        curve(acknowledged, most, top, "#0652dd");
        curve(forwarded, most, top, "#009432");
        curve(refused, most, top, "#ea2027");
    }

    private void curve(int[] rates, int most, int top, String colour) {
        List<String> points = new ArrayList<>();
        for (int second = 0; second < rates.length; second++) {
            points.add(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f",
                    x(second * 1_000_000L + 500_000),
                    top + CURVES * (1 - (double) rates[second] / most)));
        }
        svg.append("<polyline fill='none' stroke='").append(colour).append("' points='");
        svg.append(String.join(" ", points)).append("'/>");
    }

    private void legend(int top) {
        text(LEFT, top, "per second: acknowledged blue, forwarded green, refused or unsure red.");
        double x = LEFT;
        for (Fault fault : Fault.values()) {
            rect(x, top + 6, 8, 8, COLOURS.getOrDefault(fault, "#000"), "");
            text(x + 10, top + 14, fault.name().toLowerCase(Locale.ROOT));
            x += 20 + 5.2 * fault.name().length();
        }
    }
}
