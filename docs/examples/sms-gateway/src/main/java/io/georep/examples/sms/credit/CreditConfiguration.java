package io.georep.examples.sms.credit;

import io.georep.geopaxos.MapTransaction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Gives the transactions to the ordered maps, where the node has them. */
@Configuration(proxyBeanMethods = false)
class CreditConfiguration {
    @Bean
    MapTransaction<?, ?> creditTopUp() {
        return CreditTransaction.TOP_UP;
    }

    @Bean
    MapTransaction<?, ?> creditCharge() {
        return CreditTransaction.CHARGE;
    }

    @Bean
    MapTransaction<?, ?> creditResolve() {
        return CreditTransaction.RESOLVE;
    }

    @Bean
    MapTransaction<?, ?> creditSpend() {
        return CreditTransaction.SPEND;
    }

    @Bean
    MapTransaction<?, ?> creditGiveBack() {
        return CreditTransaction.GIVE_BACK;
    }
}
