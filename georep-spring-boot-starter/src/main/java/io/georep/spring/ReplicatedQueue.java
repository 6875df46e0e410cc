package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes the {@link java.util.concurrent.BlockingQueue} that a {@code @Bean} method answers a replicated one. Producers and
 * consumers stay as they are.
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
 *   <li><b>put, offer, add</b> return when f+1 copies are durable, and throw what {@code Outbox.send} fails with; they wait
 *       for room as long as the queue's own bound is reached by elements of this node. The element arrives at the queue's
 *       end shortly after, so a {@code poll()} right after a {@code put} may still find nothing. When a producer is
 *       interrupted, or its {@code offer} times out, while it waits for copies, the element may still appear.
 *   <li><b>take, poll, remove(), drainTo</b> hand elements over. They count as forwarded, and all copies are deleted, when
 *       the same thread asks for the next one, also when it gets none, or when
 *       {@link ReplicatedBlockingQueue#acknowledge()} is called. {@code remove(element)}, {@code removeIf}, {@code clear}
 *       and the like count as forwarded at once.
 *   <li><b>A stop</b> waits for elements in hand, up to {@code georep.close-timeout}; {@code take} then throws a
 *       {@code ClosedException}, {@code poll} finds nothing.
 *   <li><b>Restart and adoption</b>: elements that were not forwarded before this node stopped, and those of a node that
 *       died, appear in the queue. Elements a consumer had in hand appear again, too.
 *   <li><b>A consumer thread that ends</b> without acknowledging gives its elements back to the queue.
 *   <li>Two queues of one application that are replicated need different names; the name is the bean's unless
 *       {@link #name} says otherwise, and it is the same on all nodes.
 * </ul>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ReplicatedQueue {
    /** Copies on other nodes; -1: as {@code georep.outboxes.<name>.f} or {@code georep.f} say. */
    int f() default -1;

    /** Name of the queue in the cluster; may contain placeholders; default: the bean's name. */
    String name() default "";
}
