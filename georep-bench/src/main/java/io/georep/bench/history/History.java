package io.georep.bench.history;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.json.JsonMapper;

/** All events of a run, in the order in which they became known. Thread-safe. */
public final class History {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final long beganNanos = System.nanoTime();
    private final boolean recording;
    private final List<Event> events = new ArrayList<>();

    private History(boolean recording) {
        this.recording = recording;
    }

    /** An empty one. */
    public static History recording() {
        return new History(true);
    }

    /** One that forgets everything at once. */
    public static History none() {
        return new History(false);
    }

    /** Microseconds since the beginning. */
    public long now() {
        return at(System.nanoTime());
    }

    /** Microseconds from the beginning to a reading of {@link System#nanoTime}, of any process of this machine. */
    public long at(long nanos) {
        return (nanos - beganNanos) / 1000;
    }

    /** Returns whether events are kept. */
    public boolean isRecording() {
        return recording;
    }

    /** Keeps an event. */
    public void add(Event event) {
        if (recording) {
            synchronized (this) {
                events.add(event);
            }
        }
    }

    /** All events so far. */
    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** Writes all events, one line of JSON each, compressed with gzip. */
    public void write(Path file) throws IOException {
        try (Writer out = new BufferedWriter(
                new OutputStreamWriter(new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8))) {
            for (Event event : events()) {
                out.write(JSON.writerFor(Event.class).writeValueAsString(event));
                out.write('\n');
            }
        }
    }

    /** Reads what {@link #write} wrote. */
    public static List<Event> read(Path file) throws IOException {
        List<Event> read = new ArrayList<>();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                read.add(JSON.readValue(line, Event.class));
            }
        }
        return read;
    }
}
