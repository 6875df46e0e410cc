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
    static final Map<String, String> TYPES = Map.of(
            "index.html", "text/html;charset=UTF-8",
            "console.css", "text/css;charset=UTF-8",
            "entries.js", "text/javascript;charset=UTF-8",
            "console.js", "text/javascript;charset=UTF-8",
            "table.js", "text/javascript;charset=UTF-8",
            "views.js", "text/javascript;charset=UTF-8",
            "matrix.js", "text/javascript;charset=UTF-8",
            "orders.js", "text/javascript;charset=UTF-8",
            "plot.js", "text/javascript;charset=UTF-8",
            "icon.svg", "image/svg+xml");

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
