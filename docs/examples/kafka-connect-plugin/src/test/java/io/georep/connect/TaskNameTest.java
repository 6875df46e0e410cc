package io.georep.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.connect.TaskName.Role;
import io.georep.model.NodeId;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No two tasks, and no task on two workers, are the same node. */
final class TaskNameTest {
    @Test
    void connectorTaskAndWorkerMakeTheName() {
        assertThat(new TaskName(Role.SINK, "to-nyc", 3, "ams-1.example.com").nodeId())
                .isEqualTo("sink.to-nyc-3.ams-1.example.com");
    }

    @Test
    void differentTasksAreDifferentNodes() {
        Set<String> names = new HashSet<>();
        for (Role role : Role.values()) {
            for (String connector : List.of("a", "a b", "a_b", "ä", "-", "long".repeat(30), "long".repeat(30) + "er")) {
                for (int task = 0; task < 3; task++) {
                    for (String worker : List.of("w1", "w2", "w 2", "worker".repeat(20), "worker".repeat(21))) {
                        names.add(NodeId.of(new TaskName(role, connector, task, worker).nodeId())
                                .value());
                    }
                }
            }
        }
        assertThat(names).hasSize(2 * 7 * 3 * 5).allMatch(each -> each.startsWith("s"));
    }

    @Test
    void storesOfAConnectorAreTogetherAndApartFromThoseOfOthers() {
        Path data = Path.of("data");

        assertThat(new TaskName(Role.SINK, "a", 0, "w").stores(data, "c"))
                .isEqualTo(new TaskName(Role.SINK, "a", 1, "w").stores(data, "c"))
                .isNotEqualTo(new TaskName(Role.SOURCE, "a", 0, "w").stores(data, "c"))
                .isNotEqualTo(new TaskName(Role.SINK, "a", 0, "w").stores(data, "d"));
        assertThat(new TaskName(Role.SINK, "../../etc", 0, "w")
                        .stores(data, "..")
                        .normalize()
                        .startsWith(data))
                .isTrue();
    }
}
