package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is easily forgotten around a release, and what users copy from the pages. */
class ReleaseTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern XML = Pattern.compile("(?s)```xml\n(.*?)```");
    private static final Pattern RELEASE = Pattern.compile("(?m)^## (\\d+\\.\\d+\\.\\d+)");

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static String property(String name) throws IOException {
        return first("<" + name + ">([^<]+)<", read("pom.xml"));
    }

    private static String first(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .findFirst()
                .orElseThrow(() -> new AssertionError(pattern))
                .group(1);
    }

    private static String version() throws IOException {
        return first("<artifactId>georep-parent</artifactId>\\s*<version>([^<]+)<", read("pom.xml"));
    }

    /** The one before this version, if there is one. */
    @Test
    void theApiIsComparedWithTheLastReleaseInTheChangelog() throws IOException {
        String now = version();
        List<String> releases = RELEASE.matcher(read("CHANGELOG.md"))
                .results()
                .map(heading -> heading.group(1))
                .filter(release -> !release.equals(now))
                .toList();

        assertThat(property("georep.lastRelease"))
                .as("georep.lastRelease in the parent's pom; CONTRIBUTING.md, Release")
                .isEqualTo(releases.isEmpty() ? "none" : releases.get(0));
        assertThat(property("japicmp.skip")).isEqualTo(String.valueOf(releases.isEmpty()));
    }

    @Test
    void onlyANewMinorVersionMayBreakTheApi() throws IOException {
        String last = property("georep.lastRelease");
        Pattern line = Pattern.compile("(0\\.\\d+|[1-9]\\d*)\\..*");
        boolean newLine = !last.equals("none")
                && !line.matcher(last)
                        .replaceAll("$1")
                        .equals(line.matcher(version()).replaceAll("$1"));

        assertThat(property("georep.compatible")).isIn(newLine ? List.of("true", "false") : List.of("true"));
    }

    @Test
    void nodesOfTheLastReleaseRunBesideThoseOfThisOne() throws IOException {
        String last = property("georep.lastRelease");
        try (Stream<Path> jars = Files.list(ROOT.resolve(Path.of("georep-netty", "src", "test", "previous")))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .as(".ci/freeze v" + last + " makes it; CONTRIBUTING.md, Release")
                    .singleElement()
                    .asString()
                    .matches(last.equals("none") ? "georep-.+\\.jar" : Pattern.quote("georep-v" + last + ".jar"));
        }
    }

    @Test
    void theBomHasTheVersionOfTheRest() throws IOException {
        List<String> versions = Pattern.compile("<version>([^<]+)</version>")
                .matcher(read("georep-core/bom/pom.xml"))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(versions).hasSizeGreaterThan(3).containsOnly(version());
    }

    /** ConsumerIT builds those poms. */
    @ParameterizedTest
    @CsvSource({"README.md, plain", "docs/use/quickstart.md, plain", "docs/use/spring-boot.md, spring"})
    void whatThePagesSayIsInThePomOfAnApplication(String page, String application) throws IOException {
        String pom = squeezed(read("docs/examples/samples/" + application + "/pom.xml"));
        List<String> snippets = XML.matcher(read(page))
                .results()
                .map((MatchResult block) -> block.group(1))
                .filter(block -> block.contains("<artifactId>georep-"))
                .toList();

        assertThat(snippets)
                .hasSize(2)
                .allSatisfy(snippet -> assertThat(pom)
                        .contains(squeezed(snippet.replace(version(), "${georep.version}"))
                                .replaceFirst("</dependencies>$", "")));
    }

    /** A sample stands alone, so it names versions itself; the build gives ConsumerIT its own. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "spring", "kotlin"})
    void aSampleHasTheVersionsOfTheBuild(String sample) throws IOException {
        Map<String, String> ours = versions(read("pom.xml"));
        Map<String, String> theirs = versions(read("docs/examples/samples/" + sample + "/pom.xml"));
        theirs.keySet().removeAll(Set.of("kotlin.version", "coroutines.version"));

        assertThat(theirs.remove("georep.version")).isEqualTo(version());
        assertThat(theirs).isNotEmpty();
        assertThat(ours).containsAllEntriesOf(theirs);
    }

    @Test
    void gradleAndMavenBuildTheSampleInKotlinFromTheSame() throws IOException {
        String pom = read("docs/examples/samples/kotlin/pom.xml");
        String gradle = read("docs/examples/samples/kotlin/build.gradle.kts");
        Map<String, String> versions = versions(pom);
        Set<String> inMaven = new TreeSet<>();
        Pattern.compile(
                        "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>\\$\\{([^}]+)})?")
                .matcher(pom.substring(pom.indexOf("<dependencyManagement>"), pom.indexOf("<build>")))
                .results()
                .forEach(found -> inMaven.add(found.group(1) + ":" + found.group(2)
                        + (found.group(3) == null ? "" : ":" + versions.get(found.group(3)))));
        Set<String> inGradle = Pattern.compile("(?:i|testI)mplementation\\((?:platform\\()?\"([^\"]+)\"")
                .matcher(gradle)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(inGradle).isEqualTo(inMaven).hasSize(5);
        assertThat(gradle).contains("kotlin(\"jvm\") version \"" + versions.get("kotlin.version") + "\"");
    }

    private static Map<String, String> versions(String pom) {
        return Pattern.compile("<([a-z.-]+\\.version)>([^<$]+)<")
                .matcher(pom)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2), (a, b) -> a, TreeMap::new));
    }

    private static String squeezed(String xml) {
        return xml.replaceAll("\\s+", "");
    }
}
