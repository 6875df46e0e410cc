package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Keeps the shared secret, and the passwords of connectors, out of the endpoints {@code env} and {@code configprops}, whatever these are told to show. */
@AutoConfiguration
@ConditionalOnClass({GeoRepNode.class, SanitizingFunction.class})
final class GeoRepSanitizerAutoConfiguration {
    private static final Pattern SECRET = Pattern.compile(
            "georepsecuritysecret"
                    + "|georepconnectors.*(password|passwd|passphrase|secret|token|credential|apikey|accesskey|privatekey|jaasconfig).*");

    @Bean
    static SanitizingFunction georepSecretSanitizer() {
        return data -> isSecret(data) ? data.withSanitizedValue() : data;
    }

    /** In properties, variables of the environment and command lines the same key is written in many ways. */
    private static boolean isSecret(SanitizableData data) {
        String key = data.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return SECRET.matcher(key).matches();
    }
}
