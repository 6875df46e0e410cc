package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Replicates the {@link java.util.concurrent.BlockingQueue} that a {@code @Bean} method returns. Producers and consumers stay as
 * they are.
 *
 * <pre>{@code
 * @Bean
 * @ReplicatedQueue(f = 1)
 * BlockingQueue<Sms> outgoing() {
 *     return new LinkedBlockingQueue<>(1000);
 * }
 * }</pre>
 *
 * <ul>
 *   <li><b>put, offer, add</b> return when f + 1 copies are durable, and throw what {@code Outbox.send} fails with. They wait for
 *       room while elements of this node fill the queue's own bound. The element arrives at the queue's end shortly afterwards,
 *       so a {@code poll()} right after a {@code put} may still find nothing. If a producer is interrupted while it waits for
 *       copies, or its {@code offer} times out, the element may still appear.
 *   <li><b>take, poll, remove(), drainTo</b> hand elements over. The elements count as forwarded, and all copies are deleted,
 *       when the same thread asks for the next one, even if it gets none, or when it calls {@link
 *       ReplicatedBlockingQueue#acknowledge()}. {@code remove(element)}, {@code removeIf}, {@code clear} and the like count as
 *       forwarded at once.
 *   <li><b>A stop</b> waits for elements in hand, up to {@code georep.close-timeout}. Then {@code take} throws a {@code
 *       ClosedException}, and {@code poll} finds nothing.
 *   <li><b>Restart and adoption</b>: elements that were not forwarded before this node stopped appear in the queue, and so do
 *       those of a node that died. Elements that a consumer had in hand appear again, too.
 *   <li><b>A consumer thread that ends</b> without acknowledging gives its elements back to the queue.
 *   <li>The name of the queue is that of the bean unless {@link #name} says otherwise. It must be the same on all nodes. Two
 *       replicated queues of one application need different names.
 * </ul>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ReplicatedQueue {
    /**
     * Copies on other nodes. {@code georep.outboxes.<name>.f} wins over it. -1: {@code georep.f} decides unless that is set.
     */
    int f() default -1;

    /** Name of the queue in the cluster. It may contain placeholders. Default: the bean's name. */
    String name() default "";
}
