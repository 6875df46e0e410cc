package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LinkTest {
    /** Keeps the numbers it reads and answers each with its double, if told to. */
    private static final class Numbers implements Link.Receiver {
        final List<Integer> received = new CopyOnWriteArrayList<>();
        final CountDownLatch expected;
        final CountDownLatch closed = new CountDownLatch(1);
        final boolean answers;

        Numbers(int expected, boolean answers) {
            this.expected = new CountDownLatch(expected);
            this.answers = answers;
        }

        @Override
        public void message(Link link, DataInputStream in) throws IOException {
            int number = in.readInt();
            received.add(number);
            if (answers) {
                link.send(out -> out.writeInt(2 * number));
            }
            expected.countDown();
        }

        @Override
        public void closed(Link link) {
            closed.countDown();
        }
    }

    @Test
    void carriesMessagesBothWaysInOrderAndTellsTheEndOnBothSides() throws Exception {
        Numbers near = new Numbers(1000, false);
        Numbers far = new Numbers(1000, true);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Link client =
                        new Link("near", new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()), near);
                Link service = new Link("far", server.accept(), far)) {
            client.start();
            service.start();

            for (int i = 0; i < 1000; i++) {
                int number = i;
                assertThat(client.send(out -> out.writeInt(number))).isTrue();
            }
            assertThat(near.expected.await(60, TimeUnit.SECONDS)).isTrue();
            service.close();

            assertThat(near.received)
                    .containsExactlyElementsOf(
                            IntStream.range(0, 1000).map(i -> 2 * i).boxed().toList());
            assertThat(near.closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(far.closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(client.isClosed()).isTrue();
            assertThat(client.send(out -> out.writeInt(1))).isFalse();
        }
    }
}
