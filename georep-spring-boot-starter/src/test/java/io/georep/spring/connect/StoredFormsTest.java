package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;

/** What connectors keep in key spaces has the bytes of the release, and survives. */
class StoredFormsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static GeoRepNode node() {
        return GeoRepNode.builder()
                .nodeId("n1")
                .durability(Durability.MEMORY)
                .keySpaces(KeySpaceSettings.defaults())
                .start();
    }

    @Test
    void aMapHasTheBytesOfTheRelease() {
        Map<String, Object> map = new HashMap<>();
        map.put("text", "é");
        map.put("number", 7);
        map.put("fraction", 0.5f);
        map.put("yes", true);
        map.put("none", null);
        map.put("bytes", ByteBuffer.wrap(new byte[] {1, 2}));

        byte[] bytes = FlatMap.write(map);

        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("00000006" + "00000005" + "6279746573" + "05" + "00000002" + "0102" + "00000008"
                        + "6672616374696f6e" + "03" + "3fe0000000000000" + "00000004" + "6e6f6e65" + "00" + "00000006"
                        + "6e756d626572" + "02" + "0000000000000007" + "00000004" + "74657874" + "04" + "00000002"
                        + "c3a9" + "00000003" + "796573" + "01" + "01");
        assertThat(FlatMap.read(bytes))
                .containsEntry("text", "é")
                .containsEntry("number", 7L)
                .containsEntry("fraction", 0.5)
                .containsEntry("yes", true)
                .containsEntry("none", null)
                .containsEntry("bytes", new byte[] {1, 2});
        assertThat(FlatMap.read(FlatMap.write(null))).isEmpty();
    }

    @Test
    void whatCannotBeKeptIsRefusedByName() {
        assertThatThrownBy(() -> FlatMap.write(Map.of("place", List.of(1))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("'place'");
        assertThatThrownBy(() -> FlatMap.write(Collections.singletonMap(null, 1)))
                .isInstanceOf(DataException.class);
        byte[] whole = FlatMap.write(Map.of("line", 7L, "name", "x"));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = java.util.Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> FlatMap.read(part)).isInstanceOf(DataException.class);
        }
    }

    @Test
    void offsetsOfASourceAreFoundAgain() throws Exception {
        try (GeoRepNode node = node()) {
            KeySpace space = node.service(KeySpaces.class).replicated("offsets", 0);
            SourceOffsets offsets = new SourceOffsets(space, "files", null);
            Map<ByteBuffer, Map<String, ?>> written = new HashMap<>();
            for (int i = 0; i < 250; i++) {
                written.put(ByteBuffer.wrap(FlatMap.write(Map.of("file", "f" + i))), Map.of("line", i));
            }

            offsets.write(written, () -> false);

            assertThat(offsets.offset(Map.of("file", "f7"))).containsExactly(Map.entry("line", 7L));
            assertThat(offsets.offset(Map.of("file", "other"))).isNull();
            assertThat(offsets.offsets(List.of(Map.of("file", "f249"), Map.of("file", "other"))))
                    .containsOnlyKeys(Map.of("file", "f249"));
            assertThat(new SourceOffsets(space, "other", null).offset(Map.of("file", "f7")))
                    .isNull();
            assertThat(new SourceOffsets(space, "files", "n1").offset(Map.of("file", "f7")))
                    .isNull();
            KeySpace.Entry first = space.scan(new byte[0], null, 1)
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS)
                    .entries()
                    .get(0);
            assertThat(first.text()).startsWith("source/files//");
            assertThat(HexFormat.of().formatHex(first.value())).matches("01000000(13|14|15)0000000100000004.*");

            Map<ByteBuffer, Map<String, ?>> forgotten = new HashMap<>();
            forgotten.put(ByteBuffer.wrap(FlatMap.write(Map.of("file", "f7"))), null);
            offsets.write(forgotten, () -> false);
            assertThat(offsets.offset(Map.of("file", "f7"))).isNull();
            assertThat(offsets.offset(Map.of("file", "f8"))).isNotNull();
        }
    }

    /** Nodes of this release and of later ones share these records. */
    @Test
    void offsetsAndLeasesHaveTheBytesOfTheRelease() throws Exception {
        try (GeoRepNode node = node()) {
            KeySpace space = node.service(KeySpaces.class).replicated("forms", 0);
            new SourceOffsets(space, "files", null)
                    .write(Map.of(ByteBuffer.wrap(FlatMap.write(Map.of("file", "a"))), Map.of("line", 7)), () -> false);
            new SourceOffsets(space, "files", "n1")
                    .write(Map.of(ByteBuffer.wrap(FlatMap.write(Map.of("file", "a"))), Map.of("line", 8)), () -> false);
            List<String> records = new ArrayList<>();
            for (KeySpace.Entry entry : space.scan(new byte[0], null, 10)
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS)
                    .entries()) {
                records.add(HexFormat.of().formatHex(entry.key()) + " "
                        + HexFormat.of().formatHex(entry.value()));
            }
            String digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(FlatMap.write(Map.of("file", "a"))));
            String partition = "00000012" + "00000001" + "00000004" + "66696c65" + "04" + "00000001" + "61";
            String offset = "00000001" + "00000004" + "6c696e65" + "02";
            assertThat(records)
                    .containsExactly(
                            "736f757263652f66696c65732f2f" + digest + " 01" + partition + offset + "0000000000000007",
                            "736f757263652f66696c65732f6e312f" + digest + " 01" + partition + offset
                                    + "0000000000000008");
        }
        byte[] lease = HexFormat.of().parseHex("01" + "1122334455667788" + "616d732d31");
        assertThat(SourceLease.Claim.read(lease, "files"))
                .isEqualTo(new SourceLease.Claim("ams-1", 0x1122334455667788L));
        assertThat(new SourceLease.Claim("ams-1", 0x1122334455667788L).write()).isEqualTo(lease);
        for (String other : List.of("02112233445566778861", "011122334455667788", "01", "")) {
            assertThatThrownBy(() -> SourceLease.Claim.read(HexFormat.of().parseHex(other), "files"))
                    .hasMessageContaining("files")
                    .hasMessageContaining("update this library");
        }
    }

    @Test
    void anOrderHasTheBytesOfTheRelease() throws Exception {
        try (GeoRepNode node = node()) {
            KeySpace space = node.service(KeySpaces.class).replicated("forms", 0);
            space.put("order/files", HexFormat.of().parseHex("01" + "53" + "1122334455667788"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(new ConnectorOrders(space, "files").first(10_000)).isEqualTo(ConnectorOrders.Target.STOPPED);

            new ConnectorOrders(space, "files").give(ConnectorOrders.Target.PAUSED);
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> space.get("order/files").toCompletableFuture().join()[1] == 'P');
            byte[] stored = space.get("order/files").toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(HexFormat.of().formatHex(stored)).startsWith("0150").hasSize(20);

            space.put("order/files", HexFormat.of().parseHex("02" + "53" + "1122334455667788"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(new ConnectorOrders(space, "files").first(10_000))
                    .as("a later version")
                    .isNull();
        }
    }

    /** What a running node writes is that record. */
    @Test
    void theNodeThatRunsASourceIsInTheLease() throws Exception {
        try (GeoRepNode node = node()) {
            HostParts parts = new HostParts(node, null, null, 0, Duration.ofSeconds(1), Duration.ofSeconds(1));
            KeySpace space = node.service(KeySpaces.class).replicated("leases", 0);
            SourceLease lease = new SourceLease(parts, space, "files");
            await("there is nobody else").atMost(Duration.ofSeconds(20)).until(lease::held);
            byte[] bytes = space.get("lease/files").toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(SourceLease.Claim.read(bytes, "files").node()).isEqualTo("n1");
            assertThat(lease.held()).isTrue();

            lease.giveBack();
            assertThat(space.get("lease/files").toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isNull();
        }
    }

    @Test
    void anOffsetIsNeverGivenTwiceEvenIfTheClockGoesBack() throws Exception {
        try (GeoRepNode node = node()) {
            KeySpace space = node.service(KeySpaces.class).local("numbers");
            OffsetNumbers first = OffsetNumbers.open(space, "files", () -> 1_000_000, SOON);
            assertThat(first.peek()).isEqualTo(1_000_000L << 12);
            assertThat(first.next(1)).isEqualTo(1_000_000L << 12);
            long last = first.next(1);

            OffsetNumbers later = OffsetNumbers.open(space, "files", () -> 999_000, SOON);
            assertThat(later.next(1)).isGreaterThan(last);
            assertThat(HexFormat.of()
                            .formatHex(space.get("offsets/files")
                                    .toCompletableFuture()
                                    .get(60, TimeUnit.SECONDS)))
                    .isEqualTo("01" + String.format("%016x", (1_000_000L << 12) + 2 * OffsetNumbers.RESERVED_AT_ONCE));

            OffsetNumbers muchLater = OffsetNumbers.open(space, "files", () -> 2_000_000, SOON);
            assertThat(muchLater.next(1)).as("the clock is ahead").isEqualTo(2_000_000L << 12);
        }
    }

    @Test
    void numbersInARowAreOnDiskBeforeTheyAreGiven() throws Exception {
        try (GeoRepNode node = node()) {
            KeySpace space = node.service(KeySpaces.class).local("numbers");
            OffsetNumbers numbers = OffsetNumbers.open(space, "files", () -> 1_000_000, SOON);
            int most = Math.toIntExact(OffsetNumbers.RESERVED_AT_ONCE - 1);
            assertThat(numbers.next(most)).isEqualTo(1_000_000L << 12);

            long row = numbers.next(3);

            assertThat(row).isEqualTo((1_000_000L << 12) + most);
            assertThat(OffsetNumbers.open(space, "files", () -> 999_000, SOON).next(1))
                    .isGreaterThanOrEqualTo(row + 3);
        }
    }

    @Test
    void tasksAndNodesHavePartitionsOfTheirOwn() {
        assertThat(Partitions.of(NodeId.of("ams-1"), 0)).isNotEqualTo(Partitions.of(NodeId.of("ams-1"), 1));
        assertThat(Partitions.of(NodeId.of("ams-1"), 0)).isNotEqualTo(Partitions.of(NodeId.of("nyc-1"), 0));
        assertThat(Partitions.of(NodeId.of("ams-1"), 127)).isEqualTo(Partitions.of(NodeId.of("ams-1"), 0) + 127);
        assertThat(Partitions.of(NodeId.of("ams-1"), 0))
                .as("the same in every release")
                .isEqualTo(1065709824);
    }
}
