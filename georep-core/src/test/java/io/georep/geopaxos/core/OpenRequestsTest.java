package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How many requests a node takes, of its own and of nodes without part. */
class OpenRequestsTest {
    private static final Slice SMALL = LeafService.use(1, List.of(), List.of(1));

    private final Executor executor =
            new Executor(1, 1, new LeafService(), new Rules(), (operation, timestamp, outcome, result) -> {});
    private final OpenRequests open = new OpenRequests();
    private final GuestCalls guests = new GuestCalls((to, message) -> {});
    private long calls;

    private static GeoCommand own() {
        return new GeoCommand.Submit("own", SMALL);
    }

    private GeoCommand guest(Slice body) {
        NodeId node = NodeId.of("guest" + ++calls % 20);
        GeoMessage.Call call = GeoMessage.Call.of(calls, new GeoCommand.Submit("theirs", body), false);
        return Objects.requireNonNull(guests.command(node, call, true));
    }

    private GeoEvent.Reason refusal(GeoCommand command) {
        GeoEvent.Refused refused = open.refusal(command, executor);
        return refused == null ? null : refused.reason();
    }

    @Test
    void callsOfOtherNodesLeaveRoomForThoseOfTheNodeItself() {
        while (refusal(guest(SMALL)) == null) {
            open.add(guest(SMALL));
        }
        assertThat(open.size()).isEqualTo(OpenRequests.OPEN_MAX / 2);
        assertThat(refusal(guest(SMALL))).isEqualTo(GeoEvent.Reason.OPEN);
        assertThat(refusal(own())).isNull();
        open.ends(1);
        assertThat(refusal(guest(SMALL))).isNull();
    }

    @Test
    void theirBytesLeaveRoomToo() {
        Slice large = Slice.of(new byte[1 << 20]);
        for (int taken = 0; taken < OpenRequests.OPEN_BYTES_MAX / 2 >> 20; taken++) {
            assertThat(refusal(guest(SMALL))).isNull();
            open.add(guest(large));
        }
        assertThat(refusal(guest(SMALL))).isEqualTo(GeoEvent.Reason.OPEN);
        assertThat(refusal(own())).isNull();
    }
}
