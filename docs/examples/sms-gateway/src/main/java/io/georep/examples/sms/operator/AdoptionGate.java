package io.georep.examples.sms.operator;

import io.georep.GeoRepNode;
import java.util.HashSet;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Lets this gateway adopt messages while it has a session with any operator. Thread-safe. */
@Component
final class AdoptionGate {
    private final GeoRepNode node;
    private final Set<String> connected = new HashSet<>();

    AdoptionGate(GeoRepNode node) {
        this.node = node;
    }

    /** Says whether there is a session with this operator. */
    synchronized void session(String operator, boolean up) {
        if (up) {
            connected.add(operator);
        } else {
            connected.remove(operator);
        }
        node.allowAdoption(!connected.isEmpty());
    }
}
