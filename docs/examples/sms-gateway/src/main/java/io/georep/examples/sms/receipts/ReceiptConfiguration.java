package io.georep.examples.sms.receipts;

import io.georep.examples.sms.talk.GatewayTalkModule;
import io.georep.spring.NodeBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets the gateways talk: a receipt may come to another gateway than the one its client is bound to. */
@Configuration(proxyBeanMethods = false)
class ReceiptConfiguration {
    @Bean
    NodeBuilderCustomizer gatewayTalk() {
        return builder -> builder.add(new GatewayTalkModule());
    }
}
