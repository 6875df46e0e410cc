package io.georep.spring.boot;

import java.util.List;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Sets {@code georep.test.enabled} in tests with Spring's test support, such as {@code @SpringBootTest}, unless the
 * test or the application sets it. So the tests of an application start as they did before it had a node.
 */
final class GeoRepTestContextCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        return Customizer.ALWAYS_THE_SAME;
    }

    /** One object, so that tests share their contexts as before. */
    private enum Customizer implements ContextCustomizer {
        ALWAYS_THE_SAME;

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            context.getEnvironment()
                    .getPropertySources()
                    .addLast(new MapPropertySource("georepTest", Map.of("georep.test.enabled", "true")));
        }
    }
}
