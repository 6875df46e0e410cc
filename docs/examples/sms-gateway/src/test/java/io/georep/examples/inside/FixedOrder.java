package io.georep.examples.inside;

import io.georep.model.NodeId;
import io.georep.spi.PeerSelection;
import java.util.Arrays;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes a gateway in a container choose owners in the order of the environment variable FIXED_ORDER, as the paper's test does. */
@Configuration(proxyBeanMethods = false)
public class FixedOrder {
    @Bean
    PeerSelection selectionInOrder() {
        return PeerSelection.fixed(Arrays.stream(System.getenv("FIXED_ORDER").split(","))
                .map(NodeId::of)
                .toList());
    }
}
