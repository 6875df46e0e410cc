package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class GatewayTest {
    @Test
    void sends(@TempDir Path directory) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(
                Gateway.class, "--georep.node-id=ams-1", "--georep.data-dir=" + directory.resolve("ams-1"))) {
            assertEquals("Your code is 1234", context.getBean(Gateway.Door.class).send("Your code is 1234"));
        }
    }
}
