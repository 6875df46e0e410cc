package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A ratchet on size: files and methods that fit in one look stay that way. Sources are read as text with comments and
 * literals blanked out, then braces are counted; that is crude, and enough for code the formatter has been over.
 */
class SourceShapeTest {

    private static final int FILE_LINES_MAX = 400;
    private static final int METHOD_LINES_MAX = 70;

    private static final List<String> MODULES =
            List.of("georep-core", "georep-netty", "georep-spring-boot-starter", "georep-bench");

    private static final Pattern COMMENT_OR_LITERAL = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?(?<!\\\\)\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'",
            Pattern.DOTALL);
    private static final Pattern TYPE_HEADER = Pattern.compile("\\b(?:class|interface|enum|record)\\s+\\w+");

    /** A comment that begins with the name of a result, and the method that has it. */
    private static final Pattern RESULT_WITHOUT_VERB = Pattern.compile(
            "/\\*\\*[\\s*]*(?:Whether|How (?:many|much|long|often)|Number of|Bytes of|Smallest|Greatest|Longest)\\b"
                    + "(?:(?!\\*/).)*+\\*/\\s*(?:@\\w+\\s+)*(?:(?:public|protected|private|static|final|abstract|default)\\s+)*+"
                    + "(?!(?:void|class|record|interface|enum)\\b)[\\w.]+(?:<[^;(){}=]*>)?(?:\\[\\])*\\s+(\\w+)\\(",
            Pattern.DOTALL);

    private static final Pattern PARENTHESES = Pattern.compile("\\([^()]*\\)");

    private enum Scope {
        TYPE,
        METHOD,
        BLOCK
    }

    private record Opening(Scope scope, int line, String header) {}

    @Test
    void filesStayShort() {
        List<String> offenders = new ArrayList<>();
        for (Path file : sources()) {
            // Imports say in how many rooms the rest stands, not how long it is.
            long lines = read(file)
                    .lines()
                    .filter(line -> !line.startsWith("import "))
                    .count();
            if (lines > FILE_LINES_MAX) {
                offenders.add(name(file) + ": " + lines + " lines, at most " + FILE_LINES_MAX);
            }
        }

        assertThat(offenders).isEmpty();
    }

    @Test
    void methodsStayShort() {
        List<String> offenders = new ArrayList<>();
        for (Path file : sources()) {
            for (String method : longMethods(read(file))) {
                offenders.add(name(file) + ":" + method);
            }
        }

        assertThat(offenders).isEmpty();
    }

    /** CONTRIBUTING.md: Javadoc says "returns". */
    @Test
    void commentsSayThatAMethodReturns() {
        List<String> offenders = new ArrayList<>();
        for (Path file : sources()) {
            String text = read(file);
            if (name(file).contains("/src/main/")
                    && !name(file).contains("georep-bench")
                    && !text.contains("@interface")) {
                RESULT_WITHOUT_VERB
                        .matcher(text)
                        .results()
                        .forEach(it -> offenders.add(name(file) + ": " + it.group(1)));
            }
        }

        assertThat(offenders).isEmpty();
        assertThat("/** Whether it is so. */\n    public static boolean isSo() {")
                .containsPattern(RESULT_WITHOUT_VERB);
        assertThat("/** Whether it is so. */\n    private boolean isSo;\n").doesNotContainPattern(RESULT_WITHOUT_VERB);
    }

    @Test
    void measuresMethodsAndNothingElse() {
        String body = "        call(\"}\"); // }\n".repeat(METHOD_LINES_MAX);
        String source =
                "@Sample({\"{\"})\nclass Outer {\n    int[] table = {\n" + "        1,\n".repeat(METHOD_LINES_MAX)
                        + "    };\n\n    @Tags(value = {1})\n    void tooLong(int a) throws Exception {\n" + body
                        + "    }\n\n    record Inner(int a) {\n        Inner {\n            check(a, '{');\n        }\n"
                        + "        int shortOne() {\n            return new Object() {\n            };\n        }\n    }\n}\n";

        assertThat(longMethods(source))
                .hasSize(1)
                .first()
                .asString()
                .contains("tooLong")
                .contains("72 lines");
    }

    /** Returns "line: header: length" of every method body above the limit, its two braces' lines included. */
    private static List<String> longMethods(String source) {
        String code = blank(source);
        List<String> found = new ArrayList<>();
        Deque<Opening> open = new ArrayDeque<>();
        int line = 1;
        int headerStart = 0;
        for (int i = 0; i < code.length(); i++) {
            char c = code.charAt(i);
            if (c == '\n') {
                line++;
            } else if (c == '{') {
                String header = code.substring(headerStart, i).strip();
                open.push(new Opening(scope(header, open.peek()), line, header));
            } else if (c == '}') {
                Opening opening = open.pop();
                int lines = line - opening.line() + 1;
                if (opening.scope() == Scope.METHOD && lines > METHOD_LINES_MAX) {
                    found.add(
                            opening.line() + ": " + opening.header().replaceAll("\\s+", " ") + ": " + lines + " lines");
                }
            }
            if (c == '{' || c == '}' || c == ';') {
                headerStart = i + 1;
            }
        }
        return found;
    }

    private static Scope scope(String header, Opening parent) {
        if (TYPE_HEADER.matcher(header).find()) {
            return Scope.TYPE;
        }
        if (parent == null || parent.scope() != Scope.TYPE) {
            // The braces of @interface bodies and of annotation values outside a type end up here.
            return header.contains("@interface") ? Scope.TYPE : Scope.BLOCK;
        }
        String flat = header;
        for (String next = flatten(flat); !next.equals(flat); next = flatten(flat)) {
            flat = next;
        }
        boolean insideAnnotation = flat.indexOf('(') >= 0;
        boolean initializer = flat.indexOf('=') >= 0;
        return insideAnnotation || initializer ? Scope.BLOCK : Scope.METHOD;
    }

    private static String flatten(String header) {
        return PARENTHESES.matcher(header).replaceAll("");
    }

    /** Replaces comments and literals by the line breaks they contain, so that line numbers stay right. */
    private static String blank(String source) {
        return COMMENT_OR_LITERAL
                .matcher(source)
                .replaceAll(match -> match.group().replaceAll("[^\\n]", ""));
    }

    private static List<Path> sources() {
        return MODULES.stream()
                .flatMap(module -> sources(Path.of("..", module, "src")).stream())
                .toList();
    }

    private static List<Path> sources(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Path file) {
        return file.toString().replace('\\', '/');
    }
}
