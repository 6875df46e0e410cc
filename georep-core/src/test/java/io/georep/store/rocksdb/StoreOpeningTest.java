package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.ChildJvm;
import io.georep.model.ConfigurationException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.StoreException;
import io.georep.model.StoreException.Kind;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.store.RecordingListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which directories a store accepts, and what it says about the others. */
class StoreOpeningTest {
    private final Workload workload = new Workload(100);
    private final RocksDbStoreConfig config = config("a", "test");

    @TempDir
    Path temporary;

    private Path directory;

    @BeforeEach
    void nameTheDirectory() {
        directory = temporary.resolve("deeper").resolve("store");
    }

    @Test
    void createsTheDirectory() {
        RocksDbStore.open(directory, config).close();

        assertThat(directory.resolve("georep.properties")).content().contains("node=a", "cluster=test", "state=ready");
    }

    /** The keys are the application's, and may fail in any way. */
    @Test
    void whateverMakesOpeningFailTheDirectoryIsFreeAgain() {
        EncryptionKeys failing = new EncryptionKeys() {
            @Override
            public EncryptionKey current() {
                throw new NoClassDefFoundError("for the test");
            }

            @Override
            public EncryptionKey find(String id) {
                return null;
            }
        };
        RocksDbStoreConfig encrypted = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .encryption(failing)
                .build();
        assertThatThrownBy(() -> RocksDbStore.open(directory, encrypted)).isInstanceOf(NoClassDefFoundError.class);

        RocksDbStore.open(directory, config).close();
    }

    @Test
    void tellsWhoseStoreADirectoryIsWithoutOpeningIt() throws Exception {
        assertThat(StoreOwner.of(directory)).isNull();
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            assertThat(StoreOwner.of(directory)).as("of %s", store).isEqualTo(NodeId.of("a"));
        }

        Files.writeString(directory.resolve("georep.properties"), "node=no name\n");
        assertThat(StoreOwner.of(directory)).isNull();
        Files.writeString(directory.resolve("georep.properties"), "format=1\n");
        assertThat(StoreOwner.of(directory)).isNull();
    }

    @Test
    void refusesADirectoryBelowAFile() throws Exception {
        Path file = Files.writeString(temporary.resolve("file"), "");

        assertRefused(file.resolve("store"), config, Kind.NOT_WRITABLE).hasMessageContaining("may create and write");
        assertRefused(file, config, Kind.NOT_WRITABLE).hasMessageContaining(file.toString());
    }

    @Test
    void refusesTheDirectoryOfAnotherNode() {
        RocksDbStore.open(directory, config).close();

        assertRefused(directory, config("b", "test"), Kind.FOREIGN)
                .hasMessageContaining("belongs to node 'a', this is node 'b'");
        assertRefused(directory, config("a", "other"), Kind.FOREIGN)
                .hasMessageContaining("belongs to cluster 'test', this is cluster 'other'");
    }

    @Test
    void refusesACopyForAnotherNodeAlsoWhileTheOriginalIsOpen() throws Exception {
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            StoreImage copy = StoreImage.copyOf(directory, temporary.resolve("copy"));

            assertRefused(copy.directory(), config("b", "test"), Kind.FOREIGN)
                    .hasMessageContaining("a copied directory cannot serve another node");
            assertThat(store).hasToString("store in " + directory);
        }
    }

    @Test
    void acceptsAnyClusterName() {
        RocksDbStoreConfig odd = config("a", " \u00e9=:#! \\ \u4e16\n");

        RocksDbStore.open(directory, odd).close();

        RocksDbStore.open(directory, odd).close();
        assertRefused(directory, config, Kind.FOREIGN);
    }

    @Test
    void refusesANewerFormat() throws Exception {
        RocksDbStore.open(directory, config).close();
        rewriteProperties(text -> text.replace("format=1", "format=3"));

        assertRefused(directory, config, Kind.NEWER_VERSION)
                .hasMessageContaining("has format 3, this version knows up to 2");
    }

    @Test
    void refusesPropertiesThatMakeNoSense() throws Exception {
        RocksDbStore.open(directory, config).close();
        Path file = directory.resolve(StoreDirectory.PROPERTIES);
        String whole = Files.readString(file);

        for (String wrong : new String[] {
            "",
            "format=x",
            whole.replace("format=1", "format=0"),
            whole.replace("format=1", "format=2"),
            whole + "encryption.marker=0011223344556677\n",
            whole.replace("format=1", "format=2") + "encryption.marker=00\n",
            whole.replace("format=1", "format=2") + "encryption.marker=0011223344556677\nencryption.keys=a\n",
            whole.replace("state=ready", "state=raedy"),
            "a=\\u00"
        }) {
            Files.writeString(file, wrong);
            assertRefused(directory, config, Kind.CORRUPT).hasMessageContaining(StoreDirectory.PROPERTIES);
        }
    }

    @Test
    void refusesASecondOpenInTheSameProcess() {
        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            assertRefused(directory, config, Kind.LOCKED)
                    .hasMessageContaining(store.toString())
                    .hasMessageContaining("is open in this process");
            assertRefused(directory.resolve("..").resolve("store"), config, Kind.LOCKED);
        }

        RocksDbStore.open(directory, config).close();
    }

    @Test
    void refusesADirectoryThatAnotherProcessHasOpenUntilThatEnds() throws Exception {
        try (ChildJvm other = new ChildJvm(128, HoldingProcess.class, directory.toString())) {
            assertThat(other.line()).contains("store in");

            assertRefused(directory, config, Kind.LOCKED).hasMessageContaining("is open in process " + other.pid());
            other.kill();
        }

        RocksDbStore.open(directory, config).close();
    }

    @Test
    void startsOverAfterACreationThatWasCutShort() throws Exception {
        RocksDbStore.open(directory, config).close();
        rewriteProperties(text -> text.replace("state=ready", "state=creating"));
        Files.delete(directory.resolve("rocksdb").resolve("CURRENT"));

        RocksDbStore store = RocksDbStore.open(directory, config);

        assertThat(workload.prefixIn(store)).isZero();
        store.close();
    }

    @Test
    void doesNotTakeAnEmptiedDirectoryForANewOne() throws Exception {
        RocksDbStore.open(directory, config).close();
        new StoreImage(directory.resolve("rocksdb")).delete();

        assertRefused(directory, config, Kind.CORRUPT);
    }

    @Test
    void leavesARefusedDirectoryFreeForTheRightNode() {
        RocksDbStore.open(directory, config).close();
        assertRefused(directory, config("b", "test"), Kind.FOREIGN);

        RocksDbStore.open(directory, config).close();
    }

    @Test
    void keepsContentWhenTheDurabilityLevelChanges() {
        int written = 0;
        for (Durability level : Durability.values()) {
            RocksDbStoreConfig changed = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                    .durability(level)
                    .build();
            try (RocksDbStore store = RocksDbStore.open(directory, changed)) {
                assertThat(workload.prefixIn(store)).isEqualTo(written);
                RecordingListener listener = new RecordingListener();
                store.start(listener);
                for (int i = 0; i < 20; i++) {
                    store.submit(workload.batch(++written));
                }
                listener.awaitDurable(20);
            }
        }

        try (RocksDbStore store = RocksDbStore.open(directory, config)) {
            assertThat(workload.prefixIn(store)).isEqualTo(written);
        }
    }

    @Test
    void refusesNativeOptionsThatDoNotExist() {
        RocksDbStoreConfig wrong = RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .nativeOption("no_such_option", "1")
                .build();

        assertThatThrownBy(() -> RocksDbStore.open(directory, wrong))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("no_such_option");

        RocksDbStore.open(directory, config).close();
    }

    @Test
    void refusesSettingsThatMakeNoSense() {
        assertThatThrownBy(() -> config("a", " ")).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                        .memtableCountMax(1)
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("memtableCountMax = 1: use at least 2");
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(Path directory, RocksDbStoreConfig config, Kind kind) {
        return assertThatThrownBy(() -> RocksDbStore.open(directory, config))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContaining("store");
    }

    private void rewriteProperties(UnaryOperator<String> change) throws Exception {
        Path file = directory.resolve(StoreDirectory.PROPERTIES);
        Files.writeString(file, change.apply(Files.readString(file)));
    }

    private static RocksDbStoreConfig config(String node, String cluster) {
        return RocksDbStoreConfig.builder(NodeId.of(node), cluster).build();
    }
}
