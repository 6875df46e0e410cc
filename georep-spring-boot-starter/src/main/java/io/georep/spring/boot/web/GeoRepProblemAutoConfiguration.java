package io.georep.spring.boot.web;

import io.georep.GeoRepNode;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Failed sends as problem details, in servlet and in reactive applications: without them a refusal looks like an error of the application. */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass({GeoRepNode.class, ProblemDetail.class, RestControllerAdvice.class})
@ConditionalOnBooleanProperty(name = "georep.web.problem-details", matchIfMissing = true)
final class GeoRepProblemAutoConfiguration {
    @Bean
    ProblemAdvice georepProblemAdvice() {
        return new ProblemAdvice();
    }
}
