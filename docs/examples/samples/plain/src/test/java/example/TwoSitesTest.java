package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TwoSitesTest {
    @Test
    void sends(@TempDir Path directory) throws Exception {
        assertEquals("Your code is 1234", TwoSites.send(directory, "Your code is 1234"));
    }
}
