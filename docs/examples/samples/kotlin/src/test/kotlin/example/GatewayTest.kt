package example

import io.georep.spring.OutboxListener
import java.nio.file.Path
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.SpringApplication
import org.springframework.boot.runApplication

class GatewayTest {
    class Suspending {
        @OutboxListener("mail")
        suspend fun forward(text: String) = delay(text.length.toLong())
    }

    @Test
    fun aSuspendFunctionIsRefusedWithWhatToWrite(@TempDir directory: Path) {
        val application = SpringApplication(Gateway::class.java, Suspending::class.java)
        val data = "--georep.data-dir=${directory.resolve("ams-1")}"
        val error = assertThrows<Exception> { application.run("--georep.node-id=ams-1", data) }
        assertTrue("it is a suspend function" in generateSequence<Throwable>(error) { it.cause }.joinToString())
    }

    @Test
    fun sends(@TempDir directory: Path) {
        runApplication<Gateway>("--georep.node-id=ams-1", "--georep.data-dir=${directory.resolve("ams-1")}").use { context ->
            runBlocking {
                context.getBean(Messages::class.java).accept("Your code is 1234")
                val forwarded = withTimeout(20_000) { context.getBean(Operator::class.java).submitted.receive() }
                assertEquals("Your code is 1234", forwarded)
            }
        }
    }
}
