package io.georep.connect;

/** What the connectors say their version is. */
final class Versions {
    private Versions() {}

    static String own() {
        String version = Versions.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
