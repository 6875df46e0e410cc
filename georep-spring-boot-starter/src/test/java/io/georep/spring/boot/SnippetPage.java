package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The Java on a page of the documentation, compiled as it stands there: with the imports the page lists and no others. What
 * else a snippet names (an operator, a table of orders) is in the class it is put into.
 */
final class SnippetPage {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final Pattern TYPE = Pattern.compile("(?m)^(class|interface|record|enum) ");

    private static final Map<String, Class<?>> COMPILED = new ConcurrentHashMap<>();

    private final String imports;
    private final List<String> snippets;

    private SnippetPage(String imports, List<String> snippets) {
        this.imports = imports;
        this.snippets = snippets;
    }

    /** A page and the block of imports on it. */
    static SnippetPage of(String page) {
        return of(page, page);
    }

    /** A page whose snippets use the imports of another one. */
    static SnippetPage of(String page, String pageWithImports) {
        String imports = String.join(
                "",
                blocks(pageWithImports).stream().filter(SnippetPage::isImports).toList());
        return new SnippetPage(
                imports,
                blocks(page).stream().filter(block -> !isImports(block)).toList());
    }

    private static List<String> blocks(String page) {
        List<String> blocks = new ArrayList<>();
        try {
            Matcher block = JAVA.matcher(Files.readString(ROOT.resolve(page)));
            while (block.find()) {
                blocks.add(block.group(1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return blocks;
    }

    /** The one block on a page that contains a text and is a whole file, with imports of its own. */
    static String file(String page, String mark) {
        List<String> found =
                blocks(page).stream().filter(block -> block.contains(mark)).toList();
        assertThat(found).as("blocks with '%s'", mark).hasSize(1);
        return found.get(0);
    }

    private static boolean isImports(String block) {
        return block.startsWith("import ");
    }

    List<String> snippets() {
        return snippets;
    }

    /** Names that are imported and not used by any snippet. */
    List<String> needlessImports() {
        String all = String.join("\n", snippets);
        return imports.lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.substring(line.lastIndexOf('.') + 1, line.length() - 1))
                .filter(name ->
                        !Pattern.compile("\\b" + name + "\\b").matcher(all).find())
                .toList();
    }

    /** The one snippet that contains a text. */
    String snippet(String mark) {
        List<String> found =
                snippets.stream().filter(snippet -> snippet.contains(mark)).toList();
        assertThat(found).as("snippets with '%s'", mark).hasSize(1);
        return found.get(0);
    }

    /** Statements, as a method of a class made from the given one. */
    <C extends Snippets.Statements> C statements(Class<C> context, Path classes, String statements) {
        return object(context, classes, "@Override public void run() throws Exception {\n" + statements + "}\n");
    }

    /** Methods and classes, as members of a class made from the given one. */
    <C> C members(Class<C> context, Path classes, String... members) {
        return object(context, classes, TYPE.matcher(String.join("\n", members)).replaceAll("static $1 "));
    }

    private <C> C object(Class<C> context, Path classes, String body) {
        Class<?> compiled = COMPILED.computeIfAbsent(
                imports + "public class Snippet extends " + context.getCanonicalName() + " {\n" + body + "}\n",
                source -> compiled(source, classes));
        try {
            return context.cast(compiled.getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Class<?> compiled(String source, Path classes) {
        return compiled(Map.of("Snippet", source), classes).get(0);
    }

    /** Compiles whole files, each with one class in it, whose name is given. */
    static List<Class<?>> compiled(Map<String, String> files, Path classes) {
        try {
            Path directory = Files.createTempDirectory(classes, "snippet");
            compile(files, directory);
            URL[] path = {directory.toUri().toURL()};
            // Stays open as long as its classes are used: it has nothing but a directory.
            @SuppressWarnings("resource")
            URLClassLoader loader = new URLClassLoader(path, SnippetPage.class.getClassLoader());
            List<Class<?>> compiled = new ArrayList<>();
            for (String name : files.keySet()) {
                compiled.add(loader.loadClass(name));
            }
            return compiled;
        } catch (ClassNotFoundException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void compile(Map<String, String> files, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler).as("a JDK's compiler").isNotNull();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<SimpleJavaFileObject> units = new ArrayList<>();
        files.forEach((name, source) -> units.add(
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                }));
        List<String> options = List.of(
                "-parameters", "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString());
        compiler.getTask(null, null, problems, options, null, units).call();
        assertThat(problems.getDiagnostics())
                .as("compiling%n%s", String.join("\n", files.values()))
                .noneMatch(problem -> problem.getKind() == Diagnostic.Kind.ERROR);
    }
}
