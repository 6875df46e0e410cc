package example

import io.georep.model.EntryId
import io.georep.outbox.Outbox
import io.georep.spring.OutboxListener
import io.georep.spring.OutboxName
import java.util.concurrent.CompletionStage
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.stereotype.Component

/** An application with a node of its own that is alone. */
@SpringBootApplication(proxyBeanMethods = false)
class Gateway

fun main(arguments: Array<String>) {
    runApplication<Gateway>(*arguments)
}

/** Somebody to whom messages are forwarded, and who takes their time. */
@Component
class Operator {
    val submitted = Channel<String>(Channel.UNLIMITED)

    suspend fun submit(text: String) {
        delay(10)
        submitted.send(text)
    }
}

@Component
class Messages(
    @param:OutboxName("sms") private val outbox: Outbox<String>,
    private val operator: Operator,
) : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)

    /** Returns when the message is durable on f + 1 nodes; throws what the stage of [Outbox.send] fails with. */
    suspend fun accept(text: String): EntryId = outbox.send(text).await()

    /** The message was forwarded when the coroutine ends normally; if it throws, it is tried again. No thread waits for it. */
    @OutboxListener("sms")
    fun forward(text: String): CompletionStage<Unit> = scope.future { operator.submit(text) }

    override fun close() = scope.cancel()
}
