package io.georep.spring.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint over HTTP: the same operations, with a status and a text in JSON for what cannot be done. Boot's own
 * error page hides the text, and its null for "not found" is 204 after a POST.
 */
@EndpointWebExtension(endpoint = GeoRepEndpoint.class)
final class GeoRepWebExtension {
    private final GeoRepEndpoint endpoint;

    GeoRepWebExtension(GeoRepEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    WebEndpointResponse<Object> georep() {
        return answer(endpoint::georep);
    }

    @ReadOperation
    WebEndpointResponse<Object> part(@Selector String part) {
        return answer(() -> endpoint.part(part));
    }

    @ReadOperation
    WebEndpointResponse<Object> item(
            @Selector String part, @Selector String name, @Nullable String after, @Nullable Integer max) {
        return answer(() -> endpoint.item(part, name, after, max));
    }

    @WriteOperation
    WebEndpointResponse<Object> change(
            @Selector String part, @Selector String name, @Nullable String action, @Nullable List<String> ids) {
        return answer(() -> endpoint.change(part, name, action, ids));
    }

    @DeleteOperation
    WebEndpointResponse<Object> delete(@Selector String part, @Selector String name, @Nullable List<String> ids) {
        return answer(() -> endpoint.delete(part, name, ids));
    }

    private static WebEndpointResponse<Object> answer(Supplier<Object> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (EndpointRefusal e) {
            Object body = Map.of("status", e.status(), "message", String.valueOf(e.getMessage()));
            return new WebEndpointResponse<>(body, e.status());
        }
    }
}
