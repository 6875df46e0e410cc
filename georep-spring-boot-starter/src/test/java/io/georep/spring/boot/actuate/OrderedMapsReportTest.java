package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.geopaxos.OrderedMapsStatistics.Group;
import io.georep.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OrderedMapsReportTest {
    private static final NodeId N1 = NodeId.of("n1");

    private static @Nullable String reason(@Nullable NodeId leader, long behind, long kept, boolean leftBehind) {
        Group group = new Group(0, List.of(N1), false, leader, false, 7, behind, 0);
        return EndpointReport.OrderedMapsReport.reason(
                new OrderedMapsStatistics(List.of(group), 0, 0, 0, 0, 0, kept, 10, leftBehind));
    }

    @Test
    void saysWhyANodeIsOutOfService() {
        assertThat(reason(N1, 1_000, 9, false)).isNull();
        assertThat(reason(null, 0, 0, false)).contains("no leader of group 0");
        assertThat(reason(N1, 1_001, 0, false)).contains("lacks 1001 operations of group 0");
        assertThat(reason(N1, 0, 10, false)).contains("10 bytes of logs and results wait to be forgotten");
    }

    /** Such a node has no leader of the group either; what the operator must know comes first. */
    @Test
    void aNodeThatIsLeftBehindSaysSo() {
        assertThat(reason(null, 0, 10, true)).contains("without operations that this node has executed");
    }
}
