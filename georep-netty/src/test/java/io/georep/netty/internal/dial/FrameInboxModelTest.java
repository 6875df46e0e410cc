package io.georep.netty.internal.dial;

import static io.georep.ModelChecker.check;

import io.georep.ModelChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The event loop is woken for every frame, takes each once and in order, under every schedule looked at. */
class FrameInboxModelTest {
    /** A link whose event loop runs one drain for each wake-up. */
    private static final class Link {
        final FrameInbox inbox = new FrameInbox(new LaneRoom(1 << 20));
        final AtomicInteger wakes = new AtomicInteger();
        final List<Integer> taken = new ArrayList<>();

        void send(int number) {
            if (inbox.offer(new byte[number], false, 2) == ChunkWriter.Offered.RESTING) {
                wakes.incrementAndGet();
            }
        }

        void runEventLoop() {
            while (wakes.get() > 0) {
                wakes.decrementAndGet();
                for (FrameInbox.Queued next = inbox.takeAll(); next != null; next = next.next) {
                    taken.add(next.frame.length);
                }
            }
        }
    }

    @Test
    void noFrameIsLeftWithoutAWakeUp() {
        ModelChecker.everySchedule(() -> {
            Link link = new Link();
            Thread one = ModelChecker.start(() -> {
                link.send(11);
                link.send(12);
            });
            Thread other = ModelChecker.start(() -> link.send(21));

            link.runEventLoop();
            link.runEventLoop();
            ModelChecker.join(one);
            ModelChecker.join(other);
            link.runEventLoop();

            check(link.taken.size() == 3 && link.taken.containsAll(List.of(11, 12, 21)), link.taken);
            check(link.taken.indexOf(11) < link.taken.indexOf(12), link.taken);
        });
    }

    @Test
    void theBoundHoldsForAllThreadsTogether() {
        ModelChecker.everySchedule(() -> {
            LaneRoom room = new LaneRoom(2 * FrameInbox.FRAME_OVERHEAD_BYTES);
            FrameInbox inbox = new FrameInbox(room);
            AtomicInteger queued = new AtomicInteger();
            Runnable sender = () -> {
                for (int i = 0; i < 2; i++) {
                    if (inbox.offer(new byte[0], false, 2) != ChunkWriter.Offered.REFUSED) {
                        queued.incrementAndGet();
                    }
                }
            };
            Thread one = ModelChecker.start(sender);
            sender.run();
            ModelChecker.join(one);

            check(queued.get() <= 2, queued + " frames where two have room");
            check(room.bytes() == (long) queued.get() * FrameInbox.FRAME_OVERHEAD_BYTES, room.bytes());
        });
    }
}
