package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import java.util.Locale;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Keeps the shared secret out of the endpoints {@code env} and {@code configprops}, whatever these are told to show. */
@AutoConfiguration
@ConditionalOnClass({GeoRepNode.class, SanitizingFunction.class})
final class GeoRepSanitizerAutoConfiguration {
    private static final String SECRET = "georepsecuritysecret";

    @Bean
    static SanitizingFunction georepSecretSanitizer() {
        return data -> isSecret(data) ? data.withSanitizedValue() : data;
    }

    /** In properties, variables of the environment and command lines the same key is written in many ways. */
    private static boolean isSecret(SanitizableData data) {
        return data.getKey()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]", "")
                .equals(SECRET);
    }
}
