package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a user of this library sees, type by type and member by member, is a file that is reviewed: a change of it is a
 * change of the contract. After one that is meant, run the test with {@code -Dgeorep.surface=rewrite} and commit the file.
 */
class PublicSurfaceTest {
    private static final Path FILE = Path.of("src", "test", "resources", "public-surface.txt");

    /** All other packages are the library's own business. */
    private static final Set<String> PACKAGES = Set.of(
            "io.georep",
            "io.georep.flagons",
            "io.georep.funnel",
            "io.georep.geopaxos",
            "io.georep.keys",
            "io.georep.logging",
            "io.georep.metrics",
            "io.georep.model",
            "io.georep.outbox",
            "io.georep.protocol",
            "io.georep.protocol.local",
            "io.georep.reports",
            "io.georep.spi",
            "io.georep.testing");

    /** What authors of protocols need of packages that are the library's own business. */
    private static final Set<String> TYPES =
            Set.of("io.georep.codec.BinReader", "io.georep.codec.BinWriter", "io.georep.codec.MalformedException");

    private static boolean isOpen(String packageName, String type) {
        return PACKAGES.contains(packageName) || TYPES.contains(type);
    }

    @Test
    void isAsReviewed() throws IOException {
        List<String> surface = surface();
        if ("rewrite".equals(System.getProperty("georep.surface"))) {
            Files.write(FILE, surface);
        }

        assertThat(surface)
                .as("the public surface changed: if that is meant, run this test with -Dgeorep.surface=rewrite,"
                        + " look at the difference and tell of it in the changelog")
                .isEqualTo(Files.readAllLines(FILE));
    }

    /** A release is compared with the one before it in these packages. */
    @Test
    void allOfItIsComparedWithTheLastRelease() throws IOException {
        String pom = Files.readString(Path.of("pom.xml"));

        assertThat(Stream.concat(PACKAGES.stream(), TYPES.stream()))
                .allSatisfy(open -> assertThat(pom).contains("<include>" + open + "</include>"));
    }

    /** What is closed stays closed only if no signature leads there. */
    @Test
    void namesOnlyTypesThatUsersSee() {
        Set<String> leaks = new TreeSet<>();
        for (Class<?> type : types()) {
            signatures(type)
                    .filter(named -> named.getName().startsWith("io.georep."))
                    .filter(named -> !isOpen(named.getPackageName(), named.getName())
                            || !Modifier.isPublic(named.getModifiers()))
                    .forEach(named -> leaks.add(type.getName() + " names " + named.getName()));
        }

        assertThat(leaks).isEmpty();
    }

    private static Stream<Class<?>> signatures(Class<?> type) {
        Stream<Class<?>> above =
                Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
        Stream<Class<?>> fields = Stream.of(type.getDeclaredFields())
                .filter(field -> isVisible(field.getModifiers()))
                .map(Field::getType);
        Stream<Class<?>> results = Stream.of(type.getDeclaredMethods())
                .filter(method -> isVisible(method.getModifiers()) && !method.isSynthetic())
                .map(Method::getReturnType);
        Stream<Class<?>> given = Stream.concat(
                        Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredConstructors()))
                .filter(executable -> isVisible(executable.getModifiers()) && !executable.isSynthetic())
                .flatMap(executable -> Stream.concat(
                        Stream.of(executable.getParameterTypes()), Stream.of(executable.getExceptionTypes())));
        return Stream.of(above, fields, results, given)
                .flatMap(all -> all)
                .map(named -> named.isArray() ? named.getComponentType() : named);
    }

    private static List<String> surface() {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : types()) {
            lines.add(type.getName());
            members(type).forEach(member -> lines.add("    " + member));
        }
        return lines;
    }

    private static List<Class<?>> types() {
        List<Class<?>> types = new ArrayList<>();
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.georep").stream()
                        .filter(type -> isOpen(type.getPackageName(), type.getName()) && isVisible(type))
                        .map(JavaClass::reflect)
                        .sorted((a, b) -> a.getName().compareTo(b.getName()))
                        .forEach(types::add);
        return types;
    }

    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicSurfaceTest::isVisible).orElse(true);
    }

    private static Set<String> members(Class<?> type) {
        Set<String> members = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
                members.add(field.getName());
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isVisible(constructor.getModifiers())) {
                members.add("new" + parameters(constructor));
            }
        }
        for (Method method : type.getDeclaredMethods()) {
            if (isVisible(method.getModifiers()) && !method.isSynthetic() && !isOfEveryObject(method)) {
                members.add(method.getName() + parameters(method) + ": "
                        + method.getReturnType().getSimpleName());
            }
        }
        return members;
    }

    private static boolean isOfEveryObject(Method method) {
        return Set.of("equals", "hashCode", "toString").contains(method.getName());
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String parameters(Executable executable) {
        return Arrays.stream(executable.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
