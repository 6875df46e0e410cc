package io.georep.bench.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** The poms and manifests that others get. */
class PublishedPomsIT {
    /** A module is published only if its own pom says so. */
    @Test
    void onlyTheLibraryAndItsBomArePublished() throws Exception {
        Path root = Path.of("..", "pom.xml");
        Set<String> published = new TreeSet<>();
        published(root, published);

        assertThat(text(child(parse(root), "properties"), "maven.deploy.skip")).isEqualTo("true");
        assertThat(published).containsExactlyInAnyOrderElementsOf(Published.MODULES.keySet());
    }

    /** Those of a pom and of all modules that it names, also in profiles. */
    private static void published(Path file, Set<String> published) throws Exception {
        Element pom = parse(file);
        Element properties = child(pom, "properties");
        if (properties != null && "false".equals(text(properties, "maven.deploy.skip"))) {
            published.add(text(pom, "artifactId"));
        }
        NodeList modules = pom.getElementsByTagName("module");
        for (int i = 0; i < modules.getLength(); i++) {
            published(file.resolveSibling(modules.item(i).getTextContent()).resolve("pom.xml"), published);
        }
    }

    /** Central asks for all of these, and a pom that names a parent or a property needs a parent that is not published. */
    @ParameterizedTest
    @ValueSource(strings = {"georep-bom", "georep-core", "georep-netty", "georep-spring-boot-starter"})
    void aPublishedPomStandsAlone(String artifact) throws Exception {
        Path file = Published.pom(artifact);
        Element pom = parse(file);

        assertThat(Files.readString(file)).doesNotContain("${");
        assertThat(child(pom, "parent")).as("parent").isNull();
        for (String name : List.of("groupId", "version", "name", "description", "url")) {
            assertThat(text(pom, name)).as(name).isNotBlank();
        }
        assertThat(text(pom, "version")).isEqualTo(Published.version());
        assertThat(children(pom, "licenses")).hasSize(1);
        assertThat(children(pom, "developers")).isNotEmpty();
        assertThat(text(child(pom, "scm"), "connection")).startsWith("scm:git:https://");
        assertThat(text(child(pom, "scm"), "url")).isEqualTo(text(pom, "url"));
        assertThat(child(pom, "build")).as("build").isNull();
        assertThat(child(pom, "profiles")).as("profiles").isNull();
        for (Element dependency : children(pom, "dependencies")) {
            assertThat(text(dependency, "version"))
                    .as("%s", text(dependency, "artifactId"))
                    .isNotBlank();
            assertThat(text(dependency, "scope")).isIn("compile", "runtime");
        }
    }

    @Test
    void theBomHasExactlyWhatIsPublished() throws Exception {
        Element pom = parse(Published.pom("georep-bom"));

        List<Element> managed = children(child(pom, "dependencyManagement"), "dependencies");
        assertThat(managed)
                .extracting(entry -> text(entry, "artifactId"))
                .containsExactlyInAnyOrderElementsOf(Published.JARS);
        assertThat(managed).extracting(entry -> text(entry, "version")).containsOnly(text(pom, "version"));
        assertThat(children(pom, "dependencies")).isEmpty();
    }

    @Test
    void everyJarHasItsLicense() throws Exception {
        for (String artifact : Published.JARS) {
            try (JarFile jar = new JarFile(Published.jar(artifact).toFile())) {
                for (String file : List.of("LICENSE", "NOTICE")) {
                    assertThat(jar.getInputStream(jar.getEntry("META-INF/" + file)))
                            .as("%s of %s", file, artifact)
                            .hasContent(Files.readString(Path.of("..", file)));
                }
            }
        }
    }

    @Test
    void everyJarHasTheNameOfItsModule() throws Exception {
        List<String> names = new ArrayList<>();
        for (String artifact : Published.JARS) {
            try (JarFile jar = new JarFile(Published.jar(artifact).toFile())) {
                names.add(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
            }
        }

        assertThat(names).containsExactly("io.georep.core", "io.georep.netty", "io.georep.spring");
    }

    private static Element parse(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
    }

    private static Element child(Element parent, String name) {
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                return element;
            }
        }
        return null;
    }

    private static List<Element> children(Element parent, String list) {
        List<Element> children = new ArrayList<>();
        Element named = child(parent, list);
        for (Node node = named == null ? null : named.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static String text(Element parent, String name) {
        Element named = child(parent, name);
        return named == null ? null : named.getTextContent().strip();
    }
}
