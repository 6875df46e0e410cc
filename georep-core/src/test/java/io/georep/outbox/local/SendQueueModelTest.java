package io.georep.outbox.local;

import static io.georep.ModelChecker.check;

import io.georep.ModelChecker;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.runtime.BlockingInputs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sends reach a driver that sleeps, all of them and in order, and at its end each is accounted for once. */
class SendQueueModelTest {
    private static final Object WAKE = new Object();

    private static PendingSend send() {
        return new PendingSend("q", 1, Slice.EMPTY);
    }

    private static void gather(SendQueue sends, List<Object> into) {
        OutboxCommand.PutAll all = sends.gather();
        if (all != null) {
            all.puts().forEach(put -> into.add(put.token()));
        }
    }

    private static List<Object> listed(PendingSend first) {
        List<Object> sends = new ArrayList<>();
        for (PendingSend send = first; send != null; send = send.next()) {
            sends.add(send);
        }
        return sends;
    }

    @Test
    void theFirstOfABurstWakesTheDriverForAllOfIt() {
        ModelChecker.everySchedule(() -> {
            BlockingInputs inputs = new BlockingInputs();
            SendQueue sends = new SendQueue(() -> inputs.offer(WAKE));
            PendingSend one = send();
            List<PendingSend> more = List.of(send(), send());
            Thread single = ModelChecker.start(() -> sends.offer(one, one));
            Thread several = ModelChecker.start(() -> sends.offer(TestSends.link(more), more.get(0)));

            List<Object> drained = new ArrayList<>();
            List<Object> taken = new ArrayList<>();
            while (taken.size() < 3) {
                if (inputs.drainTo(drained, 1) == 0) {
                    inputs.await();
                } else {
                    gather(sends, taken);
                }
            }

            ModelChecker.join(single);
            ModelChecker.join(several);
            check(taken.size() == 3 && taken.contains(one) && taken.containsAll(more), taken);
            check(taken.indexOf(more.get(0)) < taken.indexOf(more.get(1)), taken);
        });
    }

    @Test
    void atItsEndTheDriverKnowsEverySendItAccepted() {
        ModelChecker.everySchedule(() -> {
            SendQueue sends = new SendQueue(() -> {});
            PendingSend one = send();
            PendingSend other = send();
            boolean[] accepted = new boolean[2];
            Thread early = ModelChecker.start(() -> accepted[0] = sends.offer(one, one));
            Thread late = ModelChecker.start(() -> accepted[1] = sends.offer(other, other));

            List<Object> taken = new ArrayList<>();
            gather(sends, taken);
            sends.close();
            ModelChecker.join(early);
            ModelChecker.join(late);

            check(listed(sends.firstUnanswered()).equals(taken), "gathered and not answered");
            taken.addAll(listed(sends.firstUnseen()));
            check(Collections.frequency(taken, one) == (accepted[0] ? 1 : 0), taken);
            check(Collections.frequency(taken, other) == (accepted[1] ? 1 : 0), taken);
        });
    }
}
