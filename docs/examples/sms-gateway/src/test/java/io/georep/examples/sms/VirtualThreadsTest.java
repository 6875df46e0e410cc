package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.demo.SmppClient;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Virtual threads, from the door to the operator. */
@EnabledForJreRange(min = JRE.JAVA_21)
final class VirtualThreadsTest {
    /** Remembers on which thread each kind of observed work began. */
    private static final class Threads implements ObservationHandler<Observation.Context> {
        final Map<String, String> byWork = new ConcurrentHashMap<>();

        @Override
        public void onStart(Observation.Context context) {
            byWork.put(context.getName(), Thread.currentThread().toString());
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @Test
    void carryRequestsAndForwardsWhenEnabled(@TempDir Path directory) throws Exception {
        Threads threads = new Threads();
        try (Sites sites = Sites.start(
                        2,
                        directory,
                        (index, context) -> context.registerBean(ObservationHandler.class, () -> threads),
                        "spring.threads.virtual.enabled=true");
                SmppClient client = sites.client(0)) {
            assertThat(client.submit("GeoRep", "+31201234567", "by SMPP")).startsWith("ams-1:");
            assertThat(sites.post(1, "{\"from\":\"GeoRep\",\"to\":\"+31201234567\",\"text\":\"by HTTP\"}")
                            .statusCode())
                    .isEqualTo(202);
            Await.until(
                    "the operator to get both",
                    () -> sites.texts().contains("by SMPP") && sites.texts().contains("by HTTP"));

            assertThat(threads.byWork.get("georep.forward")).startsWith("VirtualThread");
            assertThat(threads.byWork.get("http.server.requests")).startsWith("VirtualThread");
        }
    }
}
