package io.georep.spring;

import java.util.List;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Says where other nodes are. A bean of this type replaces {@code georep.seeds}. For example, it may ask a service registry, or
 * the containers of a test.
 */
public interface GeoRepConnectionDetails extends ConnectionDetails {
    /** Returns the {@code host:port} of nodes to meet first. Called once, when the node starts. */
    List<String> seeds();
}
