package io.georep.examples.sms.http;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import tools.jackson.databind.json.JsonMapper;

/** Puts the door before everything else on the clients' port. The management port has no such door. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {
    @Bean
    FilterRegistrationBean<HttpDoor> httpDoor(Accounts accounts, SmsProperties properties, JsonMapper mapper) {
        FilterRegistrationBean<HttpDoor> door =
                new FilterRegistrationBean<>(new HttpDoor(accounts, properties.http(), mapper));
        door.setAsyncSupported(true);
        // Not for ASYNC: that is how a request goes on when its body is there.
        door.setDispatcherTypes(DispatcherType.REQUEST);
        door.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return door;
    }
}
