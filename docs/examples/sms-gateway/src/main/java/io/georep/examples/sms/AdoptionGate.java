package io.georep.examples.sms;

import io.georep.GeoRepNode;
import java.util.HashSet;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Lets this gateway adopt messages while it has a session with any operator. Thread-safe. */
@Component
public final class AdoptionGate {
    private final GeoRepNode node;
    private final Set<String> connected = new HashSet<>();

    /** Opens and closes adoption at this node. */
    public AdoptionGate(GeoRepNode node) {
        this.node = node;
    }

    /** Says whether there is a session with this operator. */
    public synchronized void session(String operator, boolean up) {
        if (up) {
            connected.add(operator);
        } else {
            connected.remove(operator);
        }
        node.allowAdoption(isOpen());
    }

    /** Returns whether this gateway may adopt. */
    public synchronized boolean isOpen() {
        return !connected.isEmpty();
    }
}
