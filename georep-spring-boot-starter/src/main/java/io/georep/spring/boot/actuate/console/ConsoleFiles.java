package io.georep.spring.boot.actuate.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files of the page. Only what is listed here is served. */
final class ConsoleFiles {
    private static final String SCRIPT = "text/javascript;charset=UTF-8";

    static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("index.html", "text/html;charset=UTF-8"),
            Map.entry("console.css", "text/css;charset=UTF-8"),
            Map.entry("console.js", SCRIPT),
            Map.entry("entries.js", SCRIPT),
            Map.entry("matrix.js", SCRIPT),
            Map.entry("orders.js", SCRIPT),
            Map.entry("payload.js", SCRIPT),
            Map.entry("plot.js", SCRIPT),
            Map.entry("table.js", SCRIPT),
            Map.entry("views.js", SCRIPT),
            Map.entry("icon.svg", "image/svg+xml"));

    private static final int TAG_BYTES = 12;

    /** A file and what tells whether a browser has the same. */
    record Served(String type, byte[] bytes, String tag) {}

    private final Map<String, Served> files = new TreeMap<>();

    ConsoleFiles() {
        TYPES.forEach((name, type) -> {
            byte[] bytes = read(name);
            files.put("/" + name, new Served(type, bytes, tag(bytes)));
        });
        Served index = files.remove("/index.html");
        if (index != null) {
            files.put("/", index);
        }
    }

    @Nullable
    Served at(String path) {
        return files.get(path);
    }

    private static byte[] read(String name) {
        try (InputStream file = ConsoleFiles.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("the jar of the starter lacks the file " + name + " of the console");
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(Arrays.copyOf(hash, TAG_BYTES)) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
