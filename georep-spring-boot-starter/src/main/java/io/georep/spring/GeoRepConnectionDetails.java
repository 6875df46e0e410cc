package io.georep.spring;

import java.util.List;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where other nodes are found. A bean of this type replaces {@code georep.seeds}, for example one that asks a service
 * registry or a test's containers.
 */
public interface GeoRepConnectionDetails extends ConnectionDetails {
    /** {@code host:port} of nodes to meet first; asked once, when the node starts. */
    List<String> seeds();
}
