package io.georep.spring.boot.actuate;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The node for operators. Read-only unless {@code management.endpoint.georep.access=unrestricted}, because its writes
 * stop deliveries and delete entries. What cannot be done is an {@link EndpointRefusal}; over HTTP {@link
 * GeoRepWebExtension} makes a status and a text of it.
 *
 * <ul>
 *   <li>read {@code /}: everything at a glance; {@code /peers}, {@code /outboxes}, {@code /maps}, {@code /ordered-maps}, {@code /adoptions},
 *       {@code /takeovers}: a part of it;
 *       {@code /dead-letters/<queue>}: a page of dead letters;
 *       {@code /undecided/<queue>}: a page of entries whose transactions have not ended; {@code /connectors} and {@code
 *       /connectors/<name>}: connectors; {@code /ordered-maps/<map>}: a page of its keys and of the groups that have them
 *   <li>write {@code /outboxes/<queue>} with action pause or resume; {@code /peers/<node>} with drain, undrain, remove or join;
 *       {@code /dead-letters/<queue>} with replay, of all or the given ids;
 *       {@code /undecided/<queue>} with commit or withdraw of the given ids; {@code /connectors/<name>} with pause, resume,
 *       restart or stop; {@code /maps/view} with plan or restore; {@code /ordered-maps/<node>} with replace, add, remove or
 *       add-group, and plan-replace, plan-add, plan-remove or plan-add-group
 *   <li>delete {@code /dead-letters/<queue>}, all or the given ids
 * </ul>
 */
@Endpoint(id = "georep", defaultAccess = Access.READ_ONLY)
final class GeoRepEndpoint {
    private final NodeOperator operator;

    GeoRepEndpoint(NodeOperator operator) {
        this.operator = operator;
    }

    @ReadOperation
    EndpointReport.Overview georep() {
        return operator.overview();
    }

    @ReadOperation
    Object part(@Selector String part) {
        return operator.part(part);
    }

    @ReadOperation
    Object item(@Selector String part, @Selector String name, @Nullable String after, @Nullable Integer max) {
        return operator.item(part, name, after, max);
    }

    @WriteOperation
    Map<String, Object> change(
            @Selector String part, @Selector String name, @Nullable String action, @Nullable List<String> ids) {
        return operator.change(part, name, action, ids);
    }

    @DeleteOperation
    Map<String, Object> delete(@Selector String part, @Selector String name, @Nullable List<String> ids) {
        return operator.delete(part, name, ids);
    }
}
