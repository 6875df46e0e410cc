package io.georep.spring.boot.actuate;

import io.georep.spring.Connectors;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The endpoint's view of the connectors. */
final class ConnectorOperations {
    private final @Nullable Connectors connectors;

    ConnectorOperations(@Nullable Connectors connectors) {
        this.connectors = connectors;
    }

    List<Connectors.Status> all() {
        return connectors == null ? List.of() : connectors.all();
    }

    Connectors.Status one(String name) {
        Connectors.Status status = connectors == null ? null : connectors.byName(name);
        if (status == null) {
            throw EndpointRefusal.notFound("there is no connector '" + name + "': there are "
                    + all().stream().map(Connectors.Status::name).toList());
        }
        return status;
    }

    Map<String, Object> change(String name, @Nullable String action) {
        one(name);
        Connectors all = connectors;
        if (all != null) {
            switch (action == null ? "" : action) {
                case "pause" -> all.pause(name);
                case "resume" -> all.resume(name);
                case "restart" -> all.restart(name);
                case "stop" -> all.stop(name);
                default ->
                    throw EndpointRefusal.badRequest(
                            "action '" + action + "' is not known for connectors: send pause, resume, restart or stop");
            }
        }
        return Done.of("connector", name, "action", String.valueOf(action));
    }
}
