package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.flagons.FleetMapSettings;
import io.georep.funnel.FunnelSettings;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.keys.KeySpaceSettings;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.ForwardOptions;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.SendOptions;
import io.georep.store.rocksdb.RocksDbStoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages tell of things that exist: links lead somewhere, named tests are there, settings are listed. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea", "node_modules");

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");
    private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern SECTION = Pattern.compile("(?m)^## (.+)$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");
    private static final Pattern TEST_NAME =
            Pattern.compile("`([A-Z]\\w*(?:Test|IT|Contract))(?:#(\\w+))?`|-Dtest=([A-Z]\\w*Test)(?:#(\\w+))?");
    private static final Pattern CLASS_COLUMN = Pattern.compile("(?m)^\\| (?:[ob]\\d|6\\.\\d).*\\| ([^|]+) \\|$");
    private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");
    private static final Pattern SETTING_ROW = Pattern.compile("(?m)^\\| (`[^|]+) \\|");
    private static final Pattern NUMBERED_PROMISE = Pattern.compile("(?m)^\\| (\\d+) \\| (\\*\\*[^*]+\\*\\*)");
    private static final Pattern PACKAGE_ROW = Pattern.compile("(?m)^\\| `(io\\.georep[.\\w]*)` \\|");
    private static final Pattern USED_PACKAGE =
            Pattern.compile("(?m)^import (?:static )?(io\\.georep(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    private static final Map<String, String> PAGES = read(".md");
    private static final Map<String, String> SOURCES = read(".java");

    @Test
    void relativeLinksLeadSomewhere() {
        List<String> broken = new ArrayList<>();
        PAGES.forEach((page, text) -> {
            Matcher link = LINK.matcher(prose(text));
            while (link.find()) {
                String target = link.group(1);
                if (!target.contains("://") && !resolves(page, target)) {
                    broken.add(page + ": " + target);
                }
            }
        });

        assertThat(broken).isEmpty();
    }

    @Test
    void namedTestsExist() {
        List<String> missing = new ArrayList<>();
        PAGES.forEach((page, text) -> {
            Matcher name = TEST_NAME.matcher(text);
            while (name.find()) {
                String type = name.group(1) == null ? name.group(3) : name.group(1);
                String method = name.group(1) == null ? name.group(4) : name.group(2);
                if (!exists(type, method)) {
                    missing.add(page + ": " + type + (method == null ? "" : "#" + method));
                }
            }
        });

        assertThat(missing).isEmpty();
    }

    /** Users and operators do not look for them; a page of its own says which test backs what. */
    @Test
    void pagesForUsersAndOperatorsNameNoTests() {
        List<String> named = PAGES.entrySet().stream()
                .filter(page -> page.getKey().startsWith("docs/use/")
                        || page.getKey().startsWith("docs/operate/")
                        || page.getKey().equals("README.md"))
                .filter(page -> TEST_NAME.matcher(page.getValue()).find())
                .map(Map.Entry::getKey)
                .toList();

        assertThat(named).isEmpty();
    }

    @Test
    void everyPromiseNamesTheTestThatBacksIt() {
        String promises = page("docs/how-it-works/promises.md");
        List<String> unbacked = promises.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| promise |"))
                .filter(line -> !TEST_NAME.matcher(line).find() && !line.contains(" rule "))
                .toList();
        Stream<String> numbered = NUMBERED_PROMISE
                .matcher(page("docs/use/guarantees.md"))
                .results()
                .map(promise -> "| " + promise.group(1) + " " + promise.group(2));
        Stream<String> scenarios = SECTION.matcher(page("docs/operate/failure-scenarios.md"))
                .results()
                .map(section -> "| " + section.group(1) + ". |");
        List<String> missing = Stream.concat(numbered, scenarios)
                .filter(promise -> !promises.contains(promise))
                .toList();

        assertThat(unbacked).isEmpty();
        assertThat(missing).isEmpty();
    }

    @Test
    void everySettingIsDescribed() {
        Stream<String> ofRecords = Stream.of(
                        ProtocolConfig.class,
                        KeySpaceSettings.class,
                        FunnelSettings.class,
                        OrderedMapSettings.class,
                        FleetMapSettings.class,
                        RocksDbStoreConfig.class)
                .flatMap(type -> Stream.of(type.getRecordComponents()).map(RecordComponent::getName));
        Stream<String> ofBuilders = Stream.of(
                        NodeBuilder.class, OutboxOptions.class, ForwardOptions.class, SendOptions.class)
                .flatMap(type -> Stream.of(type.getDeclaredMethods())
                        .filter(method -> method.getReturnType() == type
                                && Modifier.isPublic(method.getModifiers())
                                && !Modifier.isStatic(method.getModifiers())))
                .map(Method::getName);

        Set<String> described = SETTING_ROW
                .matcher(page("docs/operate/configuration.md"))
                .results()
                .flatMap(row -> QUOTED.matcher(row.group(1)).results())
                .map(name -> name.group(1))
                .collect(Collectors.toSet());
        assertThat(described).containsAll(Stream.concat(ofRecords, ofBuilders).collect(Collectors.toSet()));
    }

    @Test
    void rulesNameClassesThatExist() {
        Set<String> missing = new TreeSet<>();
        Matcher rule = CLASS_COLUMN.matcher(page("docs/how-it-works/protocol.md"));
        int rules = 0;
        while (rule.find()) {
            rules++;
            Matcher name = QUOTED.matcher(rule.group(1));
            while (name.find()) {
                if (SOURCES.keySet().stream().noneMatch(file -> file.endsWith("/" + name.group(1) + ".java"))) {
                    missing.add(name.group(1));
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(rules).isGreaterThan(70);
    }

    @Test
    void everyTransitionQuotedInTheCodeIsOnThePage() {
        String page = page("docs/how-it-works/protocol.md");
        Pattern quoted = Pattern.compile("\\brules? ((?:[ob]\\d+(?:, )?)+)|\\bgaps? ((?:G\\d+(?:, )?)+)");
        Set<String> missing = new TreeSet<>();
        SOURCES.forEach((file, text) -> {
            Matcher quote = quoted.matcher(file.contains("/src/main/") ? text : "");
            while (quote.find()) {
                String numbers = quote.group(1) == null ? quote.group(2) : quote.group(1);
                for (String number : numbers.split(",\\s*")) {
                    if (!number.isEmpty() && !page.contains("\n| " + number + " |")) {
                        missing.add(file + ": " + number);
                    }
                }
            }
        });

        assertThat(missing).isEmpty();
    }

    /** So there is no circle, and whoever reads from the bottom meets nothing unknown. */
    @Test
    void theTableOfPackagesListsEachAboveThoseThatItUses() {
        List<String> listed = PACKAGE_ROW
                .matcher(page("docs/how-it-works/code.md"))
                .results()
                .map(row -> row.group(1))
                .toList();
        Set<String> there = new TreeSet<>();
        Set<String> upwards = new TreeSet<>();
        SOURCES.forEach((file, text) -> {
            if (!file.matches("georep-(core|netty|spring-boot-starter)/src/main/java/.*")) {
                return;
            }
            String own = file.substring(file.indexOf("io/georep"), file.lastIndexOf('/'))
                    .replace('/', '.');
            there.add(own);
            USED_PACKAGE
                    .matcher(text)
                    .results()
                    .map(used -> used.group(1))
                    .filter(used -> listed.indexOf(used) < listed.indexOf(own))
                    .forEach(used -> upwards.add(file + " uses " + used));
        });

        assertThat(listed).as("rows of docs/how-it-works/code.md").containsExactlyInAnyOrderElementsOf(there);
        assertThat(upwards).as("uses of what stands further up").isEmpty();
    }

    @Test
    void thePageOnTheCodeNamesClassesThatExist() {
        List<String> missing = QUOTED.matcher(page("docs/how-it-works/code.md"))
                .results()
                .map(name -> name.group(1))
                .filter(name -> Character.isUpperCase(name.charAt(0)))
                .filter(name -> SOURCES.keySet().stream().noneMatch(file -> file.endsWith("/" + name + ".java")))
                .toList();

        assertThat(missing).isEmpty();
    }

    private static boolean resolves(String page, String target) {
        String[] parts = target.split("#", 2);
        Path base = ROOT.resolve(page);
        Path file =
                parts[0].isEmpty() ? base : base.getParent().resolve(parts[0]).normalize();
        if (!Files.exists(file)) {
            return false;
        }
        String text = PAGES.get(name(file));
        return parts.length == 1 || (text != null && anchors(text).contains(parts[1]));
    }

    /** Headings as they become anchors: lower case, no punctuation, hyphens for spaces. */
    private static Set<String> anchors(String text) {
        Set<String> anchors = new TreeSet<>();
        Matcher heading = HEADING.matcher(CODE_BLOCK.matcher(text).replaceAll(""));
        while (heading.find()) {
            anchors.add(heading.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'));
        }
        return anchors;
    }

    private static boolean exists(String type, String method) {
        return SOURCES.entrySet().stream()
                .anyMatch(source -> source.getKey().endsWith("/" + type + ".java")
                        && (method == null || source.getValue().contains("void " + method + "(")));
    }

    private static String prose(String text) {
        return COMMENT.matcher(CODE_BLOCK.matcher(text).replaceAll("")).replaceAll("");
    }

    private static String page(String name) {
        return PAGES.get(name);
    }

    private static Map<String, String> read(String suffix) {
        Map<String, String> texts = new TreeMap<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    boolean skipped = SKIPPED.contains(directory.getFileName().toString());
                    return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (file.toString().endsWith(suffix)) {
                        texts.put(name(file), Files.readString(file));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }
}
