package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.netty.MutualTls;
import io.georep.spring.Outboxes;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;

/** What the health contributor tells, for tests of other packages. */
public final class HealthOfTheNode {
    private HealthOfTheNode() {}

    public static Map<String, Object> details(BeanFactory beans) {
        return Objects.requireNonNull(new GeoRepHealthAutoConfiguration()
                        .georepHealthIndicator(
                                beans.getBean(GeoRepNode.class),
                                beans.getBean(Outboxes.class),
                                beans.getBean(ReadinessTarget.class),
                                beans.getBeanProvider(MutualTls.class))
                        .health())
                .getDetails();
    }
}
