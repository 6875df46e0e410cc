package io.georep.examples.sms.tables;

import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/** What is at the management port only. A file below META-INF names it; a scan would find it for the clients' port too. */
@ConditionalOnProperty("sms.admin.password")
public class ConsoleLoginConfiguration {
    @Bean
    FilterRegistrationBean<ConsoleLogin> consoleLogin(AdminDoor door, WebEndpointProperties endpoints) {
        FilterRegistrationBean<ConsoleLogin> login = new FilterRegistrationBean<>(new ConsoleLogin(door));
        // The endpoint shows and does what the console does. That of sms and that of credit ask by themselves.
        String endpoint = endpoints.getBasePath() + "/georep";
        login.addUrlPatterns("/georep", "/georep/*", endpoint, endpoint + "/*");
        return login;
    }
}
